#include <algorithm>
#include <charconv>

#include "core/text.h"
#include "oracle/parser_parts.h"
#include "oracle/words.h"

namespace assay::lang {

void Parser::rounding() {
  std::vector<Rounding> roundings;
  do {
    Rounding rounding;
    rounding.at = now().at;
    rounding.name = identifier("the name of an equation or attribute");
    rounding.cpu = cpu_;
    roundings.push_back(std::move(rounding));
  } while (accept(","));
  require("to");
  const std::optional<DType> dtype = storage_type();
  for (Rounding& rounding : roundings) {
    rounding.dtype = dtype;
    (form_ ? form_->roundings : program_->roundings).push_back(rounding);
  }
}

void Parser::clause(const std::string& word, Position at) {
  if (word == "accumulate")
    accumulate(at);
  else if (word == "accuracy")
    accuracy(at);
  else if (word == "subnormals")
    subnormals(at);
  else if (word == "allow")
    allow();
  else if (word == "stop")
    stop();
  else if (word == "tensor") {
    require("cores");
    program_->tensor_cores = true;
  } else if (word == "dtypes")
    dtypes();
  else if (word == "layouts")
    layouts();
  else if (word == "aligned")
    aligned(at);
  else if (word == "examples")
    examples();
  else
    adjoint(at);
}

void Parser::accumulate(Position at) {
  if (program_->states_accumulator) {
    return fail(at,
                fmt::format("a second 'accumulate'; the first is in line {}", program_->accumulate_at.line));
  }
  program_->states_accumulator = true;
  program_->accumulate_at = at;
  if (accept("i32"))
    program_->accumulator = DType::i32;
  else if (!accept("dtype"))
    program_->accumulator = float_dtype("'dtype', f64, f32, f16, bf16 or i32");
  if (accept("depth")) program_->depth = sum();
}

void Parser::accuracy(Position at) {
  Accuracy accuracy;
  accuracy.at = at;
  accuracy.cpu = cpu_;
  const Position name_at = now().at;
  const std::string function = identifier("the name of a function");
  if (error_) return;
  const std::optional<Function> parsed = parse_function(function);
  if (!parsed) {
    std::vector<std::string> names;
    for (const Callable& c : callables()) {
      if (parse_function(c.name)) names.emplace_back(c.name);
    }
    return fail(name_at,
                fmt::format("'{}' is no function that rounds{}", function, suggestion(function, names)));
  }
  accuracy.function = *parsed;
  accuracy.ulps = number("a number of ulps");
  require("ulp");
  program_->accuracies.push_back(accuracy);
}

void Parser::subnormals(Position at) {
  Subnormals subnormals;
  subnormals.at = at;
  subnormals.cpu = cpu_;
  if (accept("may")) {
    require("flush");
    subnormals.may_flush = true;
  } else if (!accept("preserve")) {
    return expected("'preserve' or 'may flush'");
  }
  if (accept("for")) {
    do subnormals.dtypes.push_back(float_dtype("f64, f32, f16, bf16, e4m3 or e5m2"));
    while (accept(","));
  }
  program_->subnormals.push_back(std::move(subnormals));
}

void Parser::allow() {
  if (accept("nondeterminism")) {
    program_->allows_nondeterminism = true;
    return;
  }
  if (accept("ties")) {
    program_->allows_ties = true;
    return;
  }
  if (is("in") && next().text == "place") {
    advance();
    advance();
    program_->allows_in_place = true;
    return;
  }
  Allowance allowance;
  allowance.cpu = cpu_;
  if (accept("sign")) {
    require("of");
    require("zero");
    allowance.classes.zero_sign = true;
  } else {
    do class_of_values(allowance.classes);
    while (accept(","));
  }
  require("in");
  allowance.at = now().at;
  allowance.name = identifier("the name of an equation");
  if (accept("[")) {
    do allowance.patterns.push_back(pattern());
    while (accept(","));
    require("]");
  }
  if (accept("if")) allowance.guard = expression();
  program_->allowances.push_back(std::move(allowance));
}

void Parser::class_of_values(Classes& classes) {
  const bool plus = accept("+");
  const bool minus = !plus && accept("-");
  if (!plus && !minus && accept("nan")) {
    classes.nan = true;
  } else if (accept("inf")) {
    classes.pos_inf |= !minus;
    classes.neg_inf |= !plus;
  } else if (now().kind == Token::Kind::number && now().text == "0") {
    advance();
    classes.pos_zero |= !minus;
    classes.neg_zero |= !plus;
  } else {
    expected("nan, inf, +inf, -inf, 0, +0, -0, 'sign of zero', 'nondeterminism', 'in place' or 'ties'");
  }
}

void Parser::stop() {
  do program_->stops.push_back(identifier("a name"));
  while (accept(","));
}

void Parser::dtypes() {
  do {
    const Position at = now().at;
    const DType dtype = float_dtype("f64, f32, f16, bf16, e4m3 or e5m2");
    if (error_) return;
    if (std::find(program_->dtypes.begin(), program_->dtypes.end(), dtype) != program_->dtypes.end()) {
      return fail(at, fmt::format("{} stands here twice", assay::name(dtype)));
    }
    program_->dtypes.push_back(dtype);
  } while (accept(","));
}

void Parser::layouts() {
  do {
    if (!is("contiguous") && !is("strided")) return expected("'contiguous' or 'strided'");
    program_->layouts.emplace_back(now().text);
    advance();
  } while (accept(","));
}

void Parser::aligned(Position at) {
  require("to");
  const double bytes = number("a number of bytes");
  if (error_) return;
  if (program_->states_alignment) return fail(at, "a second 'aligned to'");
  const auto whole = static_cast<std::int64_t>(bytes);
  if (whole < 1 || whole > 256 || (whole & (whole - 1)) != 0 || static_cast<double>(whole) != bytes) {
    return fail(at, fmt::format("alignment is a power of two from 1 to 256 bytes, found {}", bytes));
  }
  program_->alignment = whole;
  program_->states_alignment = true;
}

void Parser::examples() {
  do {
    Example example;
    example.at = now().at;
    example.name = identifier("the name of an example");
    require("(");
    do {
      std::string key = identifier("the name of a dimension or attribute");
      require("=");
      example.values.emplace_back(std::move(key), sum());
    } while (accept(","));
    require(")");
    program_->examples.push_back(std::move(example));
  } while (accept(","));
}

void Parser::adjoint(Position at) {
  require("of");
  if (!program_->adjoint_of.empty()) return fail(at, "a second 'adjoint of'");
  program_->adjoint_at = at;
  program_->adjoint_of = identifier("the name of the forward contract");
}

Equation Parser::equation() {
  Equation equation;
  equation.at = now().at;
  equation.name = declared("the name of an equation");
  if (accept("[")) {
    do equation.patterns.push_back(pattern());
    while (accept(","));
    require("]");
  }
  require("=");
  equation.body = expression();
  return equation;
}

Equation::Pattern Parser::pattern() {
  Equation::Pattern pattern;
  pattern.at = now().at;
  const bool minus = accept("-");
  if (now().kind == Token::Kind::number) {
    const std::string_view digits = now().text;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), pattern.constant);
    if (problem != std::errc() || end != digits.data() + digits.size()) {
      expected("an integer", "the left side of an equation has names and integer constants");
    }
    if (minus) pattern.constant = -pattern.constant;
    advance();
  } else if (minus) {
    expected("an integer");
  } else {
    pattern.name = declared("the name of an index");
  }
  return pattern;
}

}  // namespace assay::lang
