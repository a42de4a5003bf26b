#pragma once

// What a scalar parameter receives: arithmetic over an instance's dims and attributes, "rows*cols",
// "(n + 3) // 4", "eps".
//
//   expression = term (("+" | "-") term)*      term = factor (("*" | "/" | "//" | "%") factor)*
//   factor     = number | name | "-" factor | "(" expression ")"
//
// Integers stay integers: `/` of two integers is one where it divides exactly and a real number otherwise,
// `//` and `%` round down. Overflow and division by zero are errors of the evaluation.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/signature.h"

namespace assay {

struct Number {
  bool is_integer = true;
  std::int64_t integer = 0;
  double real = 0;  // also of an integer
};

class Expression {
 public:
  static Expected<Expression> parse(std::string_view text, const Signature& signature);

  Expected<Number> evaluate(const Instance& instance) const;
  bool is_integral(
      const Signature& signature) const;  // no real literal, and only dims and integral attributes

 private:
  struct Step {
    enum class Kind : std::uint8_t { number, dim, attribute, negate, binary } kind;
    Number number;          // of Kind::number
    std::size_t index = 0;  // of Kind::dim and Kind::attribute
    char operation = 0;     // + - * / % and f for //
  };
  friend class ExpressionParser;
  std::vector<Step> steps_;  // reverse Polish
};

}  // namespace assay
