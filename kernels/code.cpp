#include "kernels/code.h"

#include "core/text.h"

namespace assay {
namespace {

// `name value...`; a macro with parameters has its parenthesis right behind the name.
void define(const std::vector<Token>& words, Code& code) {
  if (words.size() < 4) return;
  const Token& name = words[2];
  if (words[3].is("(") && words[3].begin == name.begin + name.text.size()) return;
  std::vector<std::string> value;
  for (std::size_t i = 3; i < words.size(); ++i) value.emplace_back(words[i].text);
  code.defines.emplace_back(name.text, join(value, " "));
}

}  // namespace

Code code_of(std::string_view source) {
  Code code;
  const std::vector<Token> all = cpu::tokenize(source);
  int hidden = 0;  // depth of conditionals inside an `#if 0`, itself included
  for (std::size_t i = 0; i < all.size();) {
    if (!all[i].directive) {
      if (hidden == 0 && all[i].is_code()) code.tokens.push_back(all[i]);
      ++i;
      continue;
    }
    std::vector<Token> words;  // of one directive
    for (; i < all.size() && all[i].directive; ++i) {
      if (!all[i].is_code()) continue;
      if (all[i].is("#") && !words.empty() && all[i].line > words.back().line) break;
      words.push_back(all[i]);
    }
    if (words.size() < 2) continue;
    const std::string_view verb = words[1].text;
    if (hidden > 0) {
      if (verb.starts_with("if")) ++hidden;
      if (verb == "endif" || (hidden == 1 && verb.starts_with("el"))) --hidden;
    } else if (verb == "if" && words.size() == 3 && (words[2].is("0") || words[2].is("false"))) {
      hidden = 1;
    } else if (verb == "define") {
      define(words, code);
    }
  }
  return code;
}

std::size_t after_closing(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const std::string_view t = tokens[i].text;
    if (t == "(" || t == "[" || t == "{") ++depth;
    if (t == ")" || t == "]" || t == "}") --depth;
    if (depth <= 0) return i + 1;
  }
  return tokens.size();
}

}  // namespace assay
