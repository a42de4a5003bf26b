#include "kernels/cpu/tokens.h"

#include <cctype>
#include <string>
#include <utility>

namespace assay::cpu {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80);
}
bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c));
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) {
      const std::size_t begin = at_;
      const int line = line_;
      const bool was_directive = directive_;
      if (char_at(0) == '#' && line_is_blank_) directive_ = true;
      const Token::Kind kind = scan();
      const std::string_view text = source_.substr(begin, at_ - begin);
      tokens_.push_back({kind, begin, text, line, directive_ || was_directive});
      note_lines(kind, text);
    }
    return std::move(tokens_);
  }

 private:
  char char_at(std::size_t ahead) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  bool at_splice() const {
    return char_at(0) == '\\' && (char_at(1) == '\n' || (char_at(1) == '\r' && char_at(2) == '\n'));
  }

  void note_lines(Token::Kind kind, std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\n') continue;
      ++line_;
      const bool spliced =
          i > 0 && (text[i - 1] == '\\' || (i > 1 && text[i - 1] == '\r' && text[i - 2] == '\\'));
      if (kind == Token::Kind::space && !spliced) {
        line_is_blank_ = true;
        directive_ = false;
      }
    }
    if (kind != Token::Kind::space && kind != Token::Kind::comment) line_is_blank_ = false;
  }

  Token::Kind scan() {
    const char c = char_at(0);
    if (is_blank(c) || at_splice()) return space();
    if (c == '/' && char_at(1) == '/') return line_comment();
    if (c == '/' && char_at(1) == '*') return block_comment();
    if (starts_identifier(c)) return identifier_or_literal();
    if (std::isdigit(static_cast<unsigned char>(c)) ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(char_at(1)))))
      return number();
    if (c == '"' || c == '\'') return literal(c);
    at_ += (c == ':' && char_at(1) == ':') || (c == '-' && char_at(1) == '>') ? 2 : 1;
    return Token::Kind::punctuation;
  }

  // A run of blanks ends after a newline, so that a directive's end is the end of a token.
  Token::Kind space() {
    while (at_ < source_.size()) {
      if (at_splice()) {
        at_ += char_at(1) == '\r' ? 3 : 2;
      } else if (is_blank(char_at(0))) {
        if (source_[at_++] == '\n') break;
      } else {
        break;
      }
    }
    return Token::Kind::space;
  }

  Token::Kind line_comment() {
    while (at_ < source_.size() && char_at(0) != '\n') at_ += at_splice() ? (char_at(1) == '\r' ? 3 : 2) : 1;
    return Token::Kind::comment;
  }

  Token::Kind block_comment() {
    const std::size_t end = source_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? source_.size() : end + 2;
    return Token::Kind::comment;
  }

  Token::Kind identifier_or_literal() {
    const std::size_t begin = at_;
    while (at_ < source_.size() && continues_identifier(char_at(0))) ++at_;
    const std::string_view word = source_.substr(begin, at_ - begin);
    const char next = char_at(0);
    if (next == '"' && (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R"))
      return raw_literal();
    if ((next == '"' || next == '\'') && (word == "L" || word == "u" || word == "U" || word == "u8"))
      return literal(next);
    return Token::Kind::identifier;
  }

  Token::Kind number() {
    while (at_ < source_.size()) {
      const char c = char_at(0);
      const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
      if (exponent && (char_at(1) == '+' || char_at(1) == '-')) {
        at_ += 2;
      } else if (continues_identifier(c) || c == '.' || (c == '\'' && continues_identifier(char_at(1)))) {
        ++at_;
      } else {
        break;
      }
    }
    return Token::Kind::number;
  }

  // A quote that is not closed on its line (an apostrophe in #error, say) is punctuation.
  Token::Kind literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote && source_[end] != '\n')
      end += source_[end] == '\\' && end + 1 < source_.size() ? 2 : 1;
    if (end >= source_.size() || source_[end] != quote) {
      ++at_;
      return Token::Kind::punctuation;
    }
    at_ = end + 1;
    return Token::Kind::literal;
  }

  Token::Kind raw_literal() {
    const std::size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) return literal('"');
    std::string close = ")";
    close += source_.substr(at_ + 1, open - at_ - 1);
    close += '"';
    const std::size_t end = source_.find(close, open);
    at_ = end == std::string_view::npos ? source_.size() : end + close.size();
    return Token::Kind::literal;
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_is_blank_ = true, directive_ = false;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  return Lexer(source).run();
}

}  // namespace assay::cpu
