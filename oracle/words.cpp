#include "oracle/words.h"

#include <algorithm>
#include <array>

namespace assay::lang {
namespace {

constexpr std::array<std::string_view, 12> kReductions = {"sum",  "prod",   "mean",   "max",   "min", "fmax",
                                                          "fmin", "argmax", "argmin", "count", "any", "all"};
constexpr std::array<std::string_view, 13> kFunctions = {
    "exp", "log", "sqrt", "rsqrt", "tanh", "erf", "abs", "sin", "cos", "expm1", "log1p", "floor", "sign"};
constexpr std::array<std::string_view, 6> kComparisons = {"<", "<=", ">", ">=", "==", "!="};
constexpr std::array<std::string_view, 13> kKeywords = {"for",  "if",    "else", "and", "or", "not",  "in",
                                                        "true", "false", "inf",  "nan", "pi", "dtype"};

template <class Enum, std::size_t n>
std::optional<Enum> find(const std::array<std::string_view, n>& words, std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

}  // namespace

std::optional<Reduction> parse_reduction(std::string_view word) {
  return find<Reduction>(kReductions, word);
}
std::string_view name(Reduction reduction) {
  return kReductions[static_cast<std::size_t>(reduction)];
}
std::optional<Function> parse_function(std::string_view word) {
  return find<Function>(kFunctions, word);
}
std::string_view name(Function function) {
  return kFunctions[static_cast<std::size_t>(function)];
}
std::string_view name(Comparison comparison) {
  return kComparisons[static_cast<std::size_t>(comparison)];
}

std::optional<DType> parse_float_dtype(std::string_view word) {
  const std::optional<DType> dtype = parse_dtype(word);
  return dtype && is_float(*dtype) ? dtype : std::nullopt;
}

const std::vector<Callable>& callables() {
  static const std::vector<Callable> all = [] {
    std::vector<Callable> list = {{"max", 2, 64},  {"min", 2, 64},  {"fmax", 2, 64}, {"fmin", 2, 64},
                                  {"clamp", 3, 3}, {"isnan", 1, 1}, {"isinf", 1, 1}};
    for (const std::string_view word : kFunctions) list.push_back({word, 1, 1});
    return list;
  }();
  return all;
}

std::vector<std::string> callable_names() {
  std::vector<std::string> names;
  for (const Callable& c : callables()) names.emplace_back(c.name);
  for (const std::string_view word : kReductions) {
    if (std::find(names.begin(), names.end(), word) == names.end()) names.emplace_back(word);
  }
  return names;
}

std::vector<std::string> statement_words() {
  return {"input",  "output", "where",   "accumulate", "round",    "accuracy", "subnormals", "allow", "stop",
          "tensor", "dtypes", "layouts", "aligned",    "examples", "profile",  "adjoint",    "form"};
}

bool is_reserved(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end() || parse_reduction(word) ||
         std::any_of(callables().begin(), callables().end(),
                     [&](const Callable& c) { return c.name == word; });
}

}  // namespace assay::lang
