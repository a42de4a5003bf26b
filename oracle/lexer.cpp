#include "oracle/lexer.h"

#include <array>

namespace assay::lang {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Longest first.
constexpr std::array<std::string_view, 8> kLongSymbols = {"<=", ">=", "==", "!=", "//", "..", "**", "&&"};
constexpr std::string_view kShortSymbols = "()[],;:=+-*/%^<>";

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Expected<std::vector<Token>> run() {
    while (place_ < text_.size()) {
      const char c = text_[place_];
      if (c == '\n') {
        if (depth_ == 0)
          push(Token::Kind::newline, 1);
        else
          ++place_;
        ++line_;
        line_start_ = place_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++place_;
      } else if (c == '#') {
        while (place_ < text_.size() && text_[place_] != '\n') ++place_;
      } else if (starts_name(c)) {
        push(Token::Kind::name, name_length());
      } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
        push(Token::Kind::number, number_length());
      } else if (c == '"') {
        const std::size_t close = text_.find_first_of("\"\n", place_ + 1);
        if (close == std::string_view::npos || text_[close] == '\n') {
          return usage_error("{}: this string has no end; close it with '\"' on the same line", where());
        }
        push(Token::Kind::string, close + 1 - place_);
        tokens_.back().text = tokens_.back().text.substr(1, tokens_.back().text.size() - 2);
      } else if (const std::size_t length = symbol_length()) {
        if (c == '(' || c == '[') ++depth_;
        if ((c == ')' || c == ']') && depth_ > 0) --depth_;
        push(Token::Kind::symbol, length);
      } else if (c == '!') {
        return usage_error("{}: unexpected '!'; write 'not'", where());
      } else {
        return usage_error("{}: unexpected character {}", where(), shown(c));
      }
    }
    if (tokens_.empty() || tokens_.back().kind != Token::Kind::newline) push(Token::Kind::newline, 0);
    push(Token::Kind::end, 0);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t n) const { return place_ + n < text_.size() ? text_[place_ + n] : '\0'; }

  Position at() const { return {line_, static_cast<int>(place_ - line_start_) + 1}; }
  std::string where() const { return fmt::format("{}:{}:{}", file_, at().line, at().column); }

  static std::string shown(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 32 && byte < 127 ? fmt::format("'{}'", c) : fmt::format("of code {}", byte);
  }

  void push(Token::Kind kind, std::size_t length) {
    tokens_.push_back({kind, text_.substr(place_, length), at(), place_});
    place_ += length;
  }

  std::size_t name_length() const {
    std::size_t n = 1;
    while (starts_name(peek(n)) || is_digit(peek(n))) ++n;
    return n;
  }

  // 12, 1.5, .5, 1e-5; in `0..n` the points are no part of the number.
  std::size_t number_length() const {
    std::size_t n = 0;
    while (is_digit(peek(n))) ++n;
    if (peek(n) == '.' && peek(n + 1) != '.') {
      ++n;
      while (is_digit(peek(n))) ++n;
    }
    if (peek(n) == 'e' || peek(n) == 'E') {
      const std::size_t sign = peek(n + 1) == '-' || peek(n + 1) == '+' ? 1 : 0;
      if (is_digit(peek(n + 1 + sign))) {
        n += 1 + sign;
        while (is_digit(peek(n))) ++n;
      }
    }
    return n;
  }

  std::size_t symbol_length() const {
    for (const std::string_view symbol : kLongSymbols) {
      if (text_.substr(place_, symbol.size()) == symbol) return symbol.size();
    }
    return kShortSymbols.find(text_[place_]) != std::string_view::npos ? 1 : 0;
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t place_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  int depth_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case Token::Kind::newline:
      return "the end of the line";
    case Token::Kind::end:
      return "the end of the text";
    case Token::Kind::string:
      return "a string";
    default:
      return fmt::format("'{}'", token.text);
  }
}

Expected<std::vector<Token>> tokenize(std::string_view text, std::string_view file) {
  return Lexer(text, file).run();
}

}  // namespace assay::lang
