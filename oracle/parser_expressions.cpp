#include <algorithm>
#include <cstdlib>

#include "core/text.h"
#include "oracle/parser_parts.h"
#include "oracle/words.h"

namespace assay::lang {
namespace {

constexpr int kDeepest = 200;  // nesting of an expression

}  // namespace

ExprId Parser::expression() {
  if (++depth_ > kDeepest) {
    fail(now().at, "the expression is nested too deeply");
    return kNone;
  }
  ExprId value = disjunction();
  if (is("if") && !error_) {
    const Position at = now().at;
    advance();
    const ExprId condition = disjunction();
    if (!accept("else")) expected("'else'", "a choice reads 'A if CONDITION else B'");
    const ExprId other = expression();
    value = add(Kind::conditional, at, {value, condition, other});
  }
  --depth_;
  return value;
}

ExprId Parser::disjunction() {
  ExprId left = conjunction();
  while (is("or") && !error_) {
    const Position at = now().at;
    advance();
    const ExprId right = conjunction();
    left = add(Kind::either, at, {left, right});
  }
  return left;
}

ExprId Parser::conjunction() {
  ExprId left = inversion();
  while (is("and") && !error_) {
    const Position at = now().at;
    advance();
    const ExprId right = inversion();
    left = add(Kind::both, at, {left, right});
  }
  return left;
}

ExprId Parser::inversion() {
  const Position at = now().at;
  if (!accept("not")) return comparison();
  if (++depth_ > kDeepest) {
    fail(at, "the expression is nested too deeply");
    return kNone;
  }
  const ExprId operand = inversion();
  --depth_;
  return add(Kind::negation, at, {operand});
}

std::optional<Comparison> Parser::comparison_here() const {
  if (now().kind != Token::Kind::symbol) return std::nullopt;
  for (int i = 0; i < 6; ++i) {
    if (now().text == name(static_cast<Comparison>(i))) return static_cast<Comparison>(i);
  }
  return std::nullopt;
}

ExprId Parser::comparison() {
  const ExprId left = sum();
  const std::optional<Comparison> op = comparison_here();
  if (is("=") && conditional_equals()) return kNone;
  if (!op || error_) return left;
  const Position at = now().at;
  advance();
  const ExprId right = sum();
  if (comparison_here()) {
    fail(now().at,
         "a comparison of a comparison: readers disagree on what a < b < c means; write 'a < b and b < c'");
  }
  Expr expr;
  expr.kind = Kind::compare;
  expr.at = at;
  expr.comparison = *op;
  expr.children = {left, right};
  return add(std::move(expr));
}

bool Parser::conditional_equals() {
  fail(now().at, "unexpected '='; equality is written '=='");
  return true;
}

ExprId Parser::sum() {
  ExprId left = product();
  while ((is("+") || is("-")) && !error_) {
    const Position at = now().at;
    const Kind kind = is("+") ? Kind::add : Kind::subtract;
    advance();
    const ExprId right = product();
    left = add(kind, at, {left, right});
  }
  return left;
}

ExprId Parser::product() {
  ExprId left = unary();
  while ((is("*") || is("/") || is("//") || is("%")) && !error_) {
    const Position at = now().at;
    const Kind kind = is("*")    ? Kind::multiply
                      : is("/")  ? Kind::divide
                      : is("//") ? Kind::floor_divide
                                 : Kind::modulo;
    advance();
    const ExprId right = unary();
    left = add(kind, at, {left, right});
  }
  return left;
}

ExprId Parser::unary() {
  const Position at = now().at;
  if (!accept("-")) return power();
  if (++depth_ > kDeepest) {
    fail(at, "the expression is nested too deeply");
    return kNone;
  }
  const ExprId operand = unary();
  --depth_;
  return add(Kind::negate, at, {operand});
}

ExprId Parser::power() {
  const ExprId base = primary();
  const Position at = now().at;
  if (is("**")) {
    fail(at, "unexpected '**'; a power is written 'x^2'");
    return kNone;
  }
  if (!accept("^")) return base;
  if (++depth_ > kDeepest) {
    fail(at, "the expression is nested too deeply");
    return kNone;
  }
  const ExprId exponent = unary();
  --depth_;
  return add(Kind::power, at, {base, exponent});
}

ExprId Parser::primary() {
  const Position at = now().at;
  if (error_) return kNone;
  if (now().kind == Token::Kind::number) return literal();
  if (accept("(")) {
    const ExprId inner = expression();
    require(")");
    return inner;
  }
  if (now().kind == Token::Kind::name && !is("for") && !is("if") && !is("else") && !is("and") && !is("or") &&
      !is("in") && !is("not") && !is("dtype")) {
    std::string word(now().text);
    advance();
    if (is("(")) return call(std::move(word), at);
    if (is("[")) return read(std::move(word), at);
    Expr expr;
    expr.kind = Kind::name;
    expr.at = at;
    expr.text = std::move(word);
    return add(std::move(expr));
  }
  expected("an expression");
  return kNone;
}

ExprId Parser::literal() {
  Expr expr;
  expr.kind = Kind::number;
  expr.at = now().at;
  expr.text = std::string(now().text);
  expr.integral = expr.text.find_first_of(".eE") == std::string::npos;
  const std::size_t mark = expr.text.find_first_of("eE");
  std::string digits;
  int exponent = 0;
  bool fraction = false;
  for (const char c : expr.text.substr(0, mark)) {
    if (c == '.')
      fraction = true;
    else {
      digits += c;
      exponent -= fraction ? 1 : 0;
    }
  }
  if (mark != std::string::npos) {
    const long power = std::strtol(expr.text.c_str() + mark + 1, nullptr, 10);
    if (power < -400 || power > 400) {
      fail(expr.at, fmt::format("the exponent of {} is beyond 400", expr.text));
      return kNone;
    }
    exponent += static_cast<int>(power);
  }
  const std::size_t lead = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  digits.erase(0, lead);
  if (digits.size() > 18) {
    fail(expr.at, fmt::format("{} has more than 18 significant digits", expr.text));
    return kNone;
  }
  expr.constant.numerator = std::strtoll(digits.c_str(), nullptr, 10);
  expr.constant.exponent = expr.constant.numerator == 0 ? 0 : exponent;
  advance();
  return add(std::move(expr));
}

ExprId Parser::read(std::string word, Position at) {
  Expr expr;
  expr.kind = Kind::read;
  expr.at = at;
  expr.text = std::move(word);
  require("[");
  do expr.children.push_back(expression());
  while (accept(","));
  if (accept("else")) expr.otherwise = expression();
  require("]");
  return add(std::move(expr));
}

ExprId Parser::call(std::string word, Position at) {
  require("(");
  std::vector<ExprId> arguments = {expression()};
  const std::optional<Reduction> reduction = parse_reduction(word);
  if (is("for")) {
    if (!reduction) {
      fail(at, fmt::format("'{}' is no reduction{}", word,
                           suggestion(word, {"sum", "prod", "mean", "max", "min", "fmax", "fmin", "argmax",
                                             "argmin", "count", "any", "all"})));
      return kNone;
    }
    return reduction_of(*reduction, arguments[0], at);
  }
  if (is("if")) expected("'for'");
  while (accept(",")) arguments.push_back(expression());
  if (!error_ && !is(")"))
    expected(reduction && arguments.size() == 1 ? "'for' and its indices, or ','" : "',' or ')'");
  require(")");
  if (error_) return kNone;
  const auto& known = callables();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Callable& c) { return c.name == word; });
  if (found == known.end()) {
    if (reduction) {
      fail(at, fmt::format("'{}' needs the indices it runs over: {}(... for j)", word, word));
    } else {
      fail(at, fmt::format("unknown function '{}'{}", word, suggestion(word, callable_names())));
    }
    return kNone;
  }
  if (arguments.size() < found->least || arguments.size() > found->most) {
    const bool reducible = reduction && arguments.size() == 1;
    fail(at, fmt::format("'{}' takes {} argument{}, found {}{}", word,
                         found->least == found->most ? fmt::format("{}", found->least)
                                                     : fmt::format("at least {}", found->least),
                         found->most == 1 ? "" : "s", arguments.size(),
                         reducible ? fmt::format("; over an index write {}(... for j)", word) : ""));
    return kNone;
  }
  Expr expr;
  expr.kind = Kind::call;
  expr.at = at;
  expr.text = std::move(word);
  expr.children = std::move(arguments);
  return add(std::move(expr));
}

ExprId Parser::reduction_of(Reduction reduction, ExprId term, Position at) {
  Expr expr;
  expr.kind = Kind::reduction;
  expr.at = at;
  expr.reduction = reduction;
  expr.children = {term};
  require("for");
  do {
    Binder binder;
    binder.at = now().at;
    binder.name = declared("the name of an index");
    if (accept("<")) {
      binder.upper = sum();
    } else if (accept("<=")) {
      binder.upper = sum();
      binder.closed = true;
    } else if (accept("in")) {
      binder.lower = sum();
      require("..");
      binder.upper = sum();
    } else {
      binder.inferred = true;
    }
    expr.binders.push_back(std::move(binder));
  } while (accept(","));
  if (accept("if")) expr.guard = expression();
  if (!error_ && !is(")")) expected("',', 'if' or ')'");
  require(")");
  return add(std::move(expr));
}

}  // namespace assay::lang
