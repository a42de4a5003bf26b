#include "oracle/tidy.h"

#include <algorithm>
#include <set>
#include <vector>

#include "core/text.h"
#include "oracle/lexer.h"
#include "oracle/parser.h"

namespace assay::lang {
namespace {

using Tokens = std::vector<Token>;

// One line of the text.
struct Line {
  Tokens tokens;
  std::string_view comment;
  std::size_t comment_column = 0;
  std::size_t indent = 0;
  bool continues = false;  // inside brackets that an earlier line opened
};

bool is_symbol(const Token& t, std::string_view text) {
  return t.kind == Token::Kind::symbol && t.text == text;
}

// Words after which '(' and '[' begin an operand, and '-' is a sign.
bool is_joining(const Token& t) {
  static const std::set<std::string_view> words = {"if", "else", "for",   "in", "and",
                                                   "or", "not",  "where", "to", "depth"};
  return t.kind == Token::Kind::name && words.count(t.text) != 0;
}

bool is_arithmetic(const Token& t) {
  return is_symbol(t, "+") || is_symbol(t, "-") || is_symbol(t, "*") || is_symbol(t, "/") ||
         is_symbol(t, "//") || is_symbol(t, "%");
}

bool ends_operand(const Token& t) {
  if (t.kind == Token::Kind::symbol) return t.text == ")" || t.text == "]";
  return !is_joining(t);
}

std::size_t end_of(const Token& t) {
  return t.offset + t.text.size() + (t.kind == Token::Kind::string ? 2 : 0);
}

class Layout {
 public:
  explicit Layout(const Tokens& tokens) : tokens_(tokens) {}

  std::string code() {
    std::string out;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (i > 0 && blank_before(i)) out += ' ';
      const Token& t = tokens_[i];
      out += t.kind == Token::Kind::string ? fmt::format("\"{}\"", t.text) : std::string(t.text);
    }
    return out;
  }

 private:
  bool blank_before(std::size_t i) const {
    const Token& a = tokens_[i - 1];
    const Token& b = tokens_[i];
    if (is_symbol(a, "(") || is_symbol(a, "[") || is_symbol(b, ")") || is_symbol(b, "]") ||
        is_symbol(b, ",") || is_symbol(b, ";"))
      return false;
    if (is_symbol(b, "(") || is_symbol(b, "["))
      return a.kind == Token::Kind::symbol ? !is_sign(i - 1) && wide_after(i - 1) : is_joining(a);
    if (is_symbol(a, "^") || is_symbol(b, "^")) return false;
    if (is_sign(i - 1)) return false;
    if (is_arithmetic(b) && !is_sign(i)) return wide(i);
    if (is_arithmetic(a)) return wide(i - 1);
    return true;
  }

  bool wide_after(std::size_t i) const {
    if (is_symbol(tokens_[i], "^")) return false;
    return !is_arithmetic(tokens_[i]) || wide(i);
  }

  // A minus with no operand before it, or what `allow +inf` begins with.
  bool is_sign(std::size_t i) const {
    if (!is_symbol(tokens_[i], "-") && !is_symbol(tokens_[i], "+")) return false;
    return i == 0 || !ends_operand(tokens_[i - 1]) ||
           (tokens_[i - 1].kind == Token::Kind::name && tokens_[i - 1].text == "allow");
  }

  // The author's blanks at either side of an operator.
  bool wide(std::size_t i) const {
    const bool before = i > 0 && end_of(tokens_[i - 1]) != tokens_[i].offset;
    const bool after = i + 1 < tokens_.size() && end_of(tokens_[i]) != tokens_[i + 1].offset;
    return before || after || i == 0 || i + 1 == tokens_.size();
  }

  const Tokens& tokens_;
};

std::vector<Line> lines_of(std::string_view text, const Tokens& tokens) {
  std::vector<Line> lines;
  std::size_t next = 0, start = 0;
  int depth = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    Line line;
    line.continues = depth > 0;
    bool quoted = false;
    for (std::size_t i = start; i < end; ++i) {
      quoted ^= text[i] == '"';
      if (quoted || text[i] != '#') continue;
      line.comment = trim(text.substr(i, end - i));
      line.comment_column = i - start;
      break;
    }
    const std::size_t first = text.find_first_not_of(" \t\r", start);
    line.indent = std::min(first, end) - start;
    for (; next < tokens.size() && tokens[next].offset < end; ++next) {
      if (tokens[next].kind == Token::Kind::newline || tokens[next].kind == Token::Kind::end) continue;
      line.tokens.push_back(tokens[next]);
      depth += is_symbol(tokens[next], "(") || is_symbol(tokens[next], "[");
      depth -= is_symbol(tokens[next], ")") || is_symbol(tokens[next], "]");
    }
    lines.push_back(std::move(line));
    start = end + 1;
  }
  return lines;
}

bool begins_contract(const Line& line) {
  return !line.continues && !line.tokens.empty() && line.tokens[0].text == "contract" &&
         line.tokens[0].kind == Token::Kind::name;
}

bool is_equation(const Line& line) {
  return !line.continues && line.tokens.size() > 1 && line.tokens[0].kind == Token::Kind::name &&
         (is_symbol(line.tokens[1], "[") || is_symbol(line.tokens[1], "="));
}

// The place of the '=' of an equation in its tokens.
std::size_t equals(const Line& line) {
  std::size_t i = 0;
  while (i < line.tokens.size() && !is_symbol(line.tokens[i], "=")) ++i;
  return i;
}

std::string left_side(const Line& line) {
  return Layout(Tokens(line.tokens.begin(), line.tokens.begin() + static_cast<std::ptrdiff_t>(equals(line))))
      .code();
}

// Width of the left sides of the equations around line `at`, as far as no blank line and no other contract
// separates them.
std::size_t column(const std::vector<Line>& lines, std::size_t at) {
  const auto separates = [&](std::size_t i) {
    return (lines[i].tokens.empty() && lines[i].comment.empty()) || begins_contract(lines[i]);
  };
  std::size_t first = at, width = 0;
  while (first > 0 && !separates(first - 1)) --first;
  for (std::size_t i = first; i < lines.size() && !separates(i); ++i)
    if (is_equation(lines[i])) width = std::max(width, left_side(lines[i]).size());
  return width;
}

std::string code_of(const std::vector<Line>& lines, std::size_t at) {
  const Line& line = lines[at];
  if (line.tokens.empty()) return "";
  std::string code = Layout(line.tokens).code();
  if (line.continues) return std::string(std::max<std::size_t>(line.indent, 4), ' ') + code;
  if (begins_contract(line)) return code;
  if (is_equation(line)) {
    const std::string left = left_side(line);
    code = left + std::string(column(lines, at) - left.size(), ' ') + code.substr(left.size());
  } else if (line.tokens[0].text == "input" || line.tokens[0].text == "where") {
    code = fmt::format("{:<6} {}", line.tokens[0].text, code.substr(line.tokens[0].text.size() + 1));
  }
  return "  " + code;
}

}  // namespace

Expected<std::string> tidy(std::string_view text, std::string_view file) {
  if (const auto parsed = parse(text, file); !parsed) return tl::unexpected(parsed.error());
  const auto tokens = tokenize(text, file);
  if (!tokens) return tl::unexpected(tokens.error());
  const std::vector<Line> lines = lines_of(text, *tokens);
  std::string out;
  bool gap = false, in_contract = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (line.tokens.empty() && line.comment.empty()) {
      gap = true;
      continue;
    }
    if (gap && !out.empty()) out += '\n';
    gap = false;
    in_contract |= begins_contract(line);
    std::string code = code_of(lines, i);
    if (line.comment.empty()) {
      out += code + "\n";
    } else if (code.empty()) {
      const std::size_t indent = line.continues ? line.indent : line.indent > 0 && in_contract ? 2 : 0;
      out += std::string(indent, ' ') + std::string(line.comment) + "\n";
    } else {
      code.resize(std::max(code.size() + 1, line.comment_column), ' ');
      out += code + std::string(line.comment) + "\n";
    }
  }
  return out;
}

}  // namespace assay::lang
