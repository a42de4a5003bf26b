#include <cstdlib>

#include "core/text.h"
#include "oracle/parser_parts.h"
#include "oracle/words.h"

namespace assay::lang {
namespace {

constexpr std::size_t kMostExprs = 5000;  // a chain of terms is as deep as it is long

}  // namespace

bool Parser::is(std::string_view text) const {
  return (now().kind == Token::Kind::symbol || now().kind == Token::Kind::name) && now().text == text;
}

bool Parser::next_is(std::string_view text) const {
  return next().kind == Token::Kind::symbol && next().text == text;
}

void Parser::advance() {
  last_end_ = now().offset + now().text.size() + (now().kind == Token::Kind::string ? 2 : 0);
  if (!at_end()) ++place_;
}

bool Parser::accept(std::string_view text) {
  if (!is(text)) return false;
  advance();
  return true;
}

void Parser::require(std::string_view text) {
  if (!accept(text)) expected(fmt::format("'{}'", text));
}

void Parser::skip_newlines() {
  while (at_newline()) advance();
}

void Parser::end_statement() {
  if (error_) return;
  if (!at_newline() && !at_end()) expected("the end of the line");
  skip_newlines();
}

void Parser::fail(Position at, std::string message) {
  if (!error_) {
    error_ = Error{ErrorKind::usage, fmt::format("{}:{}:{}: {}", file_, at.line, at.column, message)};
  }
  place_ = tokens_.size() - 1;
}

void Parser::expected(std::string_view what, std::string_view hint) {
  fail(now().at,
       fmt::format("expected {}, found {}{}{}", what, describe(now()), hint.empty() ? "" : "; ", hint));
}

std::string Parser::identifier(std::string_view what) {
  if (now().kind != Token::Kind::name) {
    expected(what);
    return {};
  }
  std::string text(now().text);
  advance();
  return text;
}

std::string Parser::declared(std::string_view what) {
  const Position at = now().at;
  std::string text = identifier(what);
  if (!error_ && is_reserved(text))
    fail(at, fmt::format("'{}' is a word of the language; choose another name", text));
  return text;
}

DType Parser::float_dtype(std::string_view what) {
  const std::optional<DType> dtype = parse_float_dtype(now().kind == Token::Kind::name ? now().text : "");
  if (!dtype || (what.find(name(*dtype)) == std::string_view::npos)) {
    expected(what);
    return DType::f32;
  }
  advance();
  return *dtype;
}

double Parser::number(std::string_view what) {
  if (now().kind != Token::Kind::number) {
    expected(what);
    return 0;
  }
  const double value = std::strtod(std::string(now().text).c_str(), nullptr);
  advance();
  return value;
}

ExprId Parser::add(Expr expr) {
  program_->exprs.push_back(std::move(expr));
  if (program_->exprs.size() > kMostExprs) fail(now().at, "the contract is too long");
  return static_cast<ExprId>(program_->exprs.size()) - 1;
}

ExprId Parser::add(Kind kind, Position at, std::vector<ExprId> children) {
  Expr expr;
  expr.kind = kind;
  expr.at = at;
  expr.children = std::move(children);
  return add(std::move(expr));
}

}  // namespace assay::lang
