#pragma once

// A value and its derivative along one direction of the inputs, in Real.
//
// Where a function has no derivative one of its subgradients is taken: that of the first of tied maxima, 0
// for abs, sign and floor at their corners. A zero derivative of an operand contributes 0, whatever it
// multiplies.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "oracle/algebra.h"
#include "oracle/real.h"

namespace assay {

class TangentAlgebra {
 public:
  struct Pair {
    Real value;
    Real slope;
  };
  using Value = std::shared_ptr<const Pair>;  // null: 0

  // direction[i] belongs to input i, row-major; empty: zero.
  explicit TangentAlgebra(std::span<const std::vector<double>> direction) : direction_(direction) {}

  Value input(std::size_t tensor, std::int64_t element, DType dtype, std::uint64_t bits);
  Value constant(const Constant& c);
  Value integer(std::int64_t i);
  Value negate(const Value& a);
  Value sum(std::span<const Value> terms, Sum how);
  Value product(std::span<const Value> factors);
  Value power(const Value& a, int n);
  Value divide(const Value& a, const Value& b);
  Value mean(std::span<const Value> terms);
  Value extreme(Extreme kind, std::span<const Value> terms);
  Value arg(Extreme kind, std::span<const Value> terms);
  Value call(Function f, const Value& a);
  Truth compare(Comparison op, const Value& a, const Value& b);
  Truth classify(Classify what, const Value& a);
  Value select(Truth condition, const Value& yes, const Value& no) { return condition.at_truth ? yes : no; }
  Value round(const Value& a, DType) { return a; }
  Value allow(const Value& a, Classes, Truth) { return a; }

 private:
  std::span<const std::vector<double>> direction_;
};

}  // namespace assay
