#pragma once

// The parser, whose members are spread over parser*.cpp: tokens, contracts and statements, clauses,
// expressions.
//
// After the first error it stands at the end of the text, so that every loop ends; what it has built by then
// is dropped.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/lexer.h"
#include "oracle/parser.h"

namespace assay::lang {

class Parser {
 public:
  Parser(std::vector<Token> tokens, std::string_view text, std::string_view file)
      : tokens_(std::move(tokens)), text_(text), file_(file) {}

  Expected<std::vector<Program>> contracts();
  Expected<std::vector<ExprId>> conditions(Program& program);

 private:
  using Kind = Expr::Kind;

  // -- tokens

  const Token& now() const { return tokens_[place_]; }
  const Token& next() const { return tokens_[std::min(place_ + 1, tokens_.size() - 1)]; }
  bool at_end() const { return now().kind == Token::Kind::end; }
  bool at_newline() const { return now().kind == Token::Kind::newline; }
  bool is(std::string_view text) const;
  bool next_is(std::string_view text) const;
  void advance();
  bool accept(std::string_view text);
  void require(std::string_view text);
  void skip_newlines();
  void end_statement();

  // -- errors

  void fail(Position at, std::string message);
  void expected(std::string_view what, std::string_view hint = {});

  // -- small pieces

  std::string identifier(std::string_view what);
  std::string declared(std::string_view what);
  std::optional<DType> storage_type() {  // TYPE = dtype | DTYPE
    if (accept("dtype")) return std::nullopt;
    return float_dtype("'dtype', f64, f32, f16, bf16, e4m3 or e5m2");
  }

  DType float_dtype(std::string_view what);
  double number(std::string_view what);
  ExprId add(Expr expr);
  ExprId add(Kind kind, Position at, std::vector<ExprId> children);

  // -- contracts and statements

  Program contract();
  void derived();
  void signature();
  void statement();
  void conditions_of_domain();
  void declarations(std::vector<Declaration>& list, bool output);
  void type(Declaration& declaration);
  void values(Declaration& declaration);
  void rounding();
  void clause(const std::string& word, Position at);
  void accumulate(Position at);
  void accuracy(Position at);
  void subnormals(Position at);
  void allow();
  void class_of_values(Classes& classes);
  void stop();
  void dtypes();
  void layouts();
  void aligned(Position at);
  void examples();
  void adjoint(Position at);
  Equation equation();
  Equation::Pattern pattern();

  // -- expressions

  ExprId expression();
  ExprId disjunction();
  ExprId conjunction();
  ExprId inversion();
  std::optional<Comparison> comparison_here() const;
  ExprId comparison();
  bool conditional_equals();
  ExprId sum();
  ExprId product();
  ExprId unary();
  ExprId power();
  ExprId primary();

  // The exact value of a decimal numeral: all of its digits times a power of ten.
  ExprId literal();

  ExprId read(std::string word, Position at);
  ExprId call(std::string word, Position at);
  ExprId reduction_of(Reduction reduction, ExprId term, Position at);

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

}  // namespace assay::lang
