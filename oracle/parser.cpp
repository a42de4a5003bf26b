#include "oracle/parser.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "core/text.h"
#include "oracle/lexer.h"
#include "oracle/words.h"

namespace assay::lang {
namespace {

constexpr int kDeepest = 200;             // nesting of an expression
constexpr std::size_t kMostExprs = 5000;  // a chain of terms is as deep as it is long

// After the first error the parser stands at the end of the text, so that every loop ends; what it has built
// by then is dropped.
class Parser {
 public:
  Parser(std::vector<Token> tokens, std::string_view text, std::string_view file)
      : tokens_(std::move(tokens)), text_(text), file_(file) {}

  Expected<std::vector<Program>> contracts() {
    std::vector<Program> programs;
    skip_newlines();
    while (!at_end()) {
      const std::size_t start = now().offset;
      Program program = contract();
      if (error_) return tl::unexpected(*error_);
      program.file = std::string(file_);
      program.source = std::string(text_.substr(start, last_end_ - start));
      programs.push_back(std::move(program));
      skip_newlines();
    }
    if (programs.empty()) return usage_error("{}:1:1: no contract; begin with 'contract NAME(dims)'", file_);
    return programs;
  }

  Expected<std::vector<ExprId>> conditions(Program& program) {
    program_ = &program;
    std::vector<ExprId> list;
    skip_newlines();
    if (at_end()) return list;
    do list.push_back(expression());
    while (accept(","));
    skip_newlines();
    if (!at_end() && !error_) expected("',' or the end of the condition");
    if (error_) return tl::unexpected(*error_);
    return list;
  }

 private:
  using Kind = Expr::Kind;

  // -- tokens

  const Token& now() const { return tokens_[place_]; }
  const Token& next() const { return tokens_[std::min(place_ + 1, tokens_.size() - 1)]; }
  bool at_end() const { return now().kind == Token::Kind::end; }
  bool at_newline() const { return now().kind == Token::Kind::newline; }
  bool is(std::string_view text) const {
    return (now().kind == Token::Kind::symbol || now().kind == Token::Kind::name) && now().text == text;
  }
  bool next_is(std::string_view text) const {
    return next().kind == Token::Kind::symbol && next().text == text;
  }

  void advance() {
    last_end_ = now().offset + now().text.size() + (now().kind == Token::Kind::string ? 2 : 0);
    if (!at_end()) ++place_;
  }

  bool accept(std::string_view text) {
    if (!is(text)) return false;
    advance();
    return true;
  }

  void require(std::string_view text) {
    if (!accept(text)) expected(fmt::format("'{}'", text));
  }

  void skip_newlines() {
    while (at_newline()) advance();
  }

  void end_statement() {
    if (error_) return;
    if (!at_newline() && !at_end()) expected("the end of the line");
    skip_newlines();
  }

  // -- errors

  void fail(Position at, std::string message) {
    if (!error_) {
      error_ = Error{ErrorKind::usage, fmt::format("{}:{}:{}: {}", file_, at.line, at.column, message)};
    }
    place_ = tokens_.size() - 1;
  }

  void expected(std::string_view what, std::string_view hint = {}) {
    fail(now().at,
         fmt::format("expected {}, found {}{}{}", what, describe(now()), hint.empty() ? "" : "; ", hint));
  }

  // -- small pieces

  std::string identifier(std::string_view what) {
    if (now().kind != Token::Kind::name) {
      expected(what);
      return {};
    }
    std::string text(now().text);
    advance();
    return text;
  }

  std::string declared(std::string_view what) {
    const Position at = now().at;
    std::string text = identifier(what);
    if (!error_ && is_reserved(text))
      fail(at, fmt::format("'{}' is a word of the language; choose another name", text));
    return text;
  }

  std::optional<DType> storage_type() {  // TYPE = dtype | DTYPE
    if (accept("dtype")) return std::nullopt;
    return float_dtype("'dtype', f64, f32, f16 or bf16");
  }

  DType float_dtype(std::string_view what) {
    const std::optional<DType> dtype = parse_float_dtype(now().kind == Token::Kind::name ? now().text : "");
    if (!dtype) {
      expected(what);
      return DType::f32;
    }
    advance();
    return *dtype;
  }

  double number(std::string_view what) {
    if (now().kind != Token::Kind::number) {
      expected(what);
      return 0;
    }
    const double value = std::strtod(std::string(now().text).c_str(), nullptr);
    advance();
    return value;
  }

  ExprId add(Expr expr) {
    program_->exprs.push_back(std::move(expr));
    if (program_->exprs.size() > kMostExprs) fail(now().at, "the contract is too long");
    return static_cast<ExprId>(program_->exprs.size()) - 1;
  }

  ExprId add(Kind kind, Position at, std::vector<ExprId> children) {
    Expr expr;
    expr.kind = kind;
    expr.at = at;
    expr.children = std::move(children);
    return add(std::move(expr));
  }

  // -- contracts and statements

  Program contract() {
    Program program;
    program_ = &program;
    program.at = now().at;
    if (!accept("contract")) {
      expected("'contract NAME(dims)'");
      return program;
    }
    program.name = identifier("the contract's name");
    if (is("=")) {
      fail(now().at,
           fmt::format(
               "a contract that is only 'adjoint of' another cannot be evaluated in this version; write its "
               "inputs, outputs and equations, with the clause 'adjoint of NAME' among them"));
      return program;
    }
    signature();
    end_statement();
    if (now().kind == Token::Kind::string) {
      program.summary = std::string(now().text);
      advance();
      end_statement();
    }
    form_ = nullptr;
    while (!at_end() && !is("contract") && !error_) statement();
    return program;
  }

  void signature() {
    require("(");
    if (!is(")") && !is(";")) {
      do {
        program_->dim_positions.push_back(now().at);
        program_->dims.push_back(declared("the name of a dimension"));
      } while (accept(","));
    }
    if (accept(";") && !is(")")) {
      do {
        AttributeDeclaration attribute;
        attribute.at = now().at;
        attribute.name = declared("the name of an attribute");
        if (accept("=")) attribute.fallback = expression();
        program_->attributes.push_back(std::move(attribute));
      } while (accept(","));
    }
    require(")");
  }

  void statement() {
    if (now().kind == Token::Kind::name && (next_is("[") || next_is("="))) {
      auto& list = form_ ? form_->equations : program_->equations;
      list.push_back(equation());
      end_statement();
      return;
    }
    cpu_ = false;
    if (accept("profile")) {
      if (!accept("cpu"))
        return expected("'cpu'", "'profile cpu' stands before a clause that only PyTorch's CPU needs");
      cpu_ = true;
    }
    const Position at = now().at;
    if (accept("form")) {
      Form form;
      form.at = at;
      form.cpu = cpu_;
      form.name = declared("the form's name");
      program_->forms.push_back(std::move(form));
      form_ = &program_->forms.back();
      return end_statement();
    }
    if (accept("round")) {
      rounding();
      return end_statement();
    }
    const std::string word(now().kind == Token::Kind::name ? now().text : "");
    const std::vector<std::string> words = statement_words();
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      if (word.empty()) return expected("a statement");
      return fail(at, fmt::format("unknown statement '{}'{}", word, suggestion(word, words)));
    }
    if (form_) {
      return fail(at,
                  fmt::format("'{}' belongs above the forms; a form holds equations and 'round' only", word));
    }
    if (cpu_ && word != "accuracy" && word != "subnormals" && word != "allow") {
      return fail(
          at,
          fmt::format("'profile cpu' does not apply to '{}'; it stands before accuracy, subnormals, allow, "
                      "round or form",
                      word));
    }
    advance();
    if (word == "input")
      declarations(program_->inputs, false);
    else if (word == "output")
      declarations(program_->outputs, true);
    else if (word == "where")
      conditions_of_domain();
    else
      clause(word, at);
    end_statement();
  }

  void conditions_of_domain() {
    do program_->where.push_back(expression());
    while (accept(","));
  }

  void declarations(std::vector<Declaration>& list, bool output) {
    std::size_t first = list.size();
    do {
      Declaration declaration;
      declaration.at = now().at;
      declaration.name = declared(output ? "the name of an output" : "the name of an input");
      if (accept("[")) {
        do declaration.shape.push_back(expression());
        while (accept(","));
        require("]");
      }
      list.push_back(std::move(declaration));
      if (accept(":")) {
        Declaration typed;
        type(typed);
        for (; first < list.size(); ++first) {
          list[first].type = typed.type;
          list[first].bound = typed.bound;
          list[first].ignore = typed.ignore;
          list[first].like = typed.like;
        }
      }
    } while (accept(","));
    if (first < list.size() && !error_) expected("': TYPE'", "as in 'x[n] : float'");
  }

  void type(Declaration& declaration) {
    const Position at = now().at;
    const std::string word = identifier("a type: float, like NAME, a dtype, bool, int or index(n)");
    if (error_) return;
    ElementType& type = declaration.type;
    if (word == "float") {
      type.kind = ElementType::Kind::floating;
    } else if (word == "like") {
      declaration.like = identifier("the name of an input");
    } else if (word == "bool") {
      type = {ElementType::Kind::fixed, DType::boolean};
    } else if (word == "int") {
      type = {ElementType::Kind::fixed, DType::i32};
    } else if (word == "index") {
      type.kind = ElementType::Kind::index;
      require("(");
      declaration.bound = expression();
      require(")");
      if (accept("or")) declaration.ignore = sum();
    } else if (const auto dtype = parse_dtype(word)) {
      type = {ElementType::Kind::fixed, *dtype};
    } else {
      fail(at, fmt::format("unknown type '{}'{}", word,
                           suggestion(word, {"float", "like", "bool", "int", "index", "f64", "f32", "f16",
                                             "bf16", "i64", "i32"})));
    }
  }

  void rounding() {
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

  void clause(const std::string& word, Position at) {
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

  void accumulate(Position at) {
    if (program_->states_accumulator) {
      return fail(
          at, fmt::format("a second 'accumulate'; the first is in line {}", program_->accumulate_at.line));
    }
    program_->states_accumulator = true;
    program_->accumulate_at = at;
    program_->accumulator = storage_type();
    if (accept("depth")) program_->depth = sum();
  }

  void accuracy(Position at) {
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

  void subnormals(Position at) {
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
      do subnormals.dtypes.push_back(float_dtype("f64, f32, f16 or bf16"));
      while (accept(","));
    }
    program_->subnormals.push_back(std::move(subnormals));
  }

  void allow() {
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

  void class_of_values(Classes& classes) {
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

  void stop() {
    do program_->stops.push_back(identifier("a name"));
    while (accept(","));
  }

  void dtypes() {
    do {
      const Position at = now().at;
      const DType dtype = float_dtype("f64, f32, f16 or bf16");
      if (error_) return;
      if (std::find(program_->dtypes.begin(), program_->dtypes.end(), dtype) != program_->dtypes.end()) {
        return fail(at, fmt::format("{} stands here twice", assay::name(dtype)));
      }
      program_->dtypes.push_back(dtype);
    } while (accept(","));
  }

  void layouts() {
    do {
      if (!is("contiguous") && !is("strided")) return expected("'contiguous' or 'strided'");
      program_->layouts.emplace_back(now().text);
      advance();
    } while (accept(","));
  }

  void aligned(Position at) {
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

  void examples() {
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

  void adjoint(Position at) {
    require("of");
    if (!program_->adjoint_of.empty()) return fail(at, "a second 'adjoint of'");
    program_->adjoint_at = at;
    program_->adjoint_of = identifier("the name of the forward contract");
  }

  Equation equation() {
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

  Equation::Pattern pattern() {
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

  // -- expressions

  ExprId expression() {
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

  ExprId disjunction() {
    ExprId left = conjunction();
    while (is("or") && !error_) {
      const Position at = now().at;
      advance();
      const ExprId right = conjunction();
      left = add(Kind::either, at, {left, right});
    }
    return left;
  }

  ExprId conjunction() {
    ExprId left = inversion();
    while (is("and") && !error_) {
      const Position at = now().at;
      advance();
      const ExprId right = inversion();
      left = add(Kind::both, at, {left, right});
    }
    return left;
  }

  ExprId inversion() {
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

  std::optional<Comparison> comparison_here() const {
    if (now().kind != Token::Kind::symbol) return std::nullopt;
    for (int i = 0; i < 6; ++i) {
      if (now().text == name(static_cast<Comparison>(i))) return static_cast<Comparison>(i);
    }
    return std::nullopt;
  }

  ExprId comparison() {
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

  bool conditional_equals() {
    fail(now().at, "unexpected '='; equality is written '=='");
    return true;
  }

  ExprId sum() {
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

  ExprId product() {
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

  ExprId unary() {
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

  ExprId power() {
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

  ExprId primary() {
    const Position at = now().at;
    if (error_) return kNone;
    if (now().kind == Token::Kind::number) return literal();
    if (accept("(")) {
      const ExprId inner = expression();
      require(")");
      return inner;
    }
    if (now().kind == Token::Kind::name && !is("for") && !is("if") && !is("else") && !is("and") &&
        !is("or") && !is("in") && !is("not") && !is("dtype")) {
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

  // The exact value of a decimal numeral: all of its digits times a power of ten.
  ExprId literal() {
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

  ExprId read(std::string word, Position at) {
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

  ExprId call(std::string word, Position at) {
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

  ExprId reduction_of(Reduction reduction, ExprId term, Position at) {
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

  std::vector<Token> tokens_;
  std::string_view text_;
  std::string_view file_;
  std::size_t place_ = 0;
  std::size_t last_end_ = 0;
  int depth_ = 0;
  bool cpu_ = false;
  Program* program_ = nullptr;
  Form* form_ = nullptr;
  std::optional<Error> error_;
};

}  // namespace

Expected<std::vector<Program>> parse(std::string_view text, std::string_view file) {
  auto tokens = tokenize(text, file);
  if (!tokens) return tl::unexpected(tokens.error());
  return Parser(std::move(*tokens), text, file).contracts();
}

Expected<std::vector<ExprId>> parse_conditions(Program& program, std::string_view text,
                                               std::string_view file) {
  auto tokens = tokenize(text, file);
  if (!tokens) return tl::unexpected(tokens.error());
  return Parser(std::move(*tokens), text, file).conditions(program);
}

}  // namespace assay::lang
