#include "properties/hints.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

#include "kernels/cpu/tokens.h"

namespace assay {
namespace {

constexpr std::int64_t kLeast = 2;
constexpr std::int64_t kMost = 70000;

// Of a decimal or hexadecimal integer literal, with its separators and suffix.
std::optional<std::int64_t> integer(std::string_view text) {
  std::string digits;
  for (char letter : text)
    if (letter != '\'') digits += letter;
  while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos)
    digits.pop_back();
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  const char* first = digits.data() + (hexadecimal ? 2 : 0);
  const char* last = digits.data() + digits.size();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

bool is_word(char letter) {
  return letter == '_' || (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z');
}

bool names(std::string_view expression, std::string_view word) {
  for (std::size_t at = expression.find(word); at != std::string_view::npos;
       at = expression.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(expression[at - 1])) && (end == expression.size() || !is_word(expression[end])))
      return true;
  }
  return false;
}

}  // namespace

std::vector<std::int64_t> size_hints(std::string_view source) {
  std::vector<cpu::Token> code;
  for (const cpu::Token& token : cpu::tokenize(source))
    if (token.is_code()) code.push_back(token);
  const auto number = [&](std::size_t i) -> std::optional<std::int64_t> {
    if (i >= code.size() || code[i].kind != cpu::Token::Kind::number) return std::nullopt;
    return integer(code[i].text);
  };
  std::set<std::int64_t> found;
  const auto add = [&](std::int64_t value) {
    if (kLeast <= value && value <= kMost) found.insert(value);
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto value = number(i);
    if (!value) continue;
    add(*value);
    if (*value < 1 || *value > kMost || i + 1 >= code.size()) continue;
    if (const auto factor = number(i + 2); factor && code[i + 1].is("*") && 1 <= *factor && *factor <= kMost)
      add(*value * *factor);
    if (const auto shift = number(i + 3);
        shift && code[i + 1].is("<") && code[i + 2].is("<") && 0 <= *shift && *shift <= 16)
      add(*value << *shift);
  }
  return {found.begin(), found.end()};
}

std::vector<bool> passed_attributes(const Signature& signature, std::span<const Binding> bindings) {
  std::vector<bool> passed;
  for (const Attribute& attribute : signature.attributes)
    passed.push_back(!bindings.empty() &&
                     std::all_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
                       return std::any_of(binding.arguments.begin(), binding.arguments.end(),
                                          [&](const Argument& argument) {
                                            return argument.kind == Argument::Kind::expression &&
                                                   names(argument.expression, attribute.name);
                                          });
                     }));
  return passed;
}

}  // namespace assay
