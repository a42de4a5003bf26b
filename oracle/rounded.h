#pragma once

// What a sequential kernel returns that rounds every operation to one type: sums from left to right, products
// before they are added, functions correctly rounded, NaN-propagating maxima, the first of tied indices.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/dtype.h"
#include "oracle/algebra.h"

namespace assay {

class RoundedAlgebra {
 public:
  using Value = double;  // a value of the accumulator; an index as a number

  RoundedAlgebra(DType accumulator, bool tf32) : accumulator_(accumulator), tf32_(tf32) {}

  Value input(std::size_t, std::int64_t, DType dtype, std::uint64_t bits) { return fit(decode(dtype, bits)); }
  Value constant(const Constant& c);
  Value integer(std::int64_t i) { return fit(static_cast<double>(i)); }
  Value negate(Value a) { return -a; }
  Value sum(std::span<const Value> terms, Sum how);
  Value product(std::span<const Value> factors);
  Value power(Value a, int n);
  Value divide(Value a, Value b) { return fit(a / b); }
  Value mean(std::span<const Value> terms);
  Value extreme(Extreme kind, std::span<const Value> terms);
  Value arg(Extreme kind, std::span<const Value> terms);
  Value call(Function f, Value a);
  Truth compare(Comparison op, Value a, Value b);
  Truth classify(Classify what, Value a) {
    return Truth::of(what == Classify::nan ? std::isnan(a) : std::isinf(a));
  }
  Value select(Truth condition, Value yes, Value no) { return condition.at_truth ? yes : no; }
  Value round(Value a, DType) { return a; }
  Value allow(Value a, Classes, Truth) { return a; }

  // A sum or a product that grows by a term at a time, for scans.
  struct Running {
    bool product = false;
    std::size_t n = 0;
    Value first = 0;
    Value total = 0;
  };
  Running start(bool product) const { return {product, 0, 0, 0}; }
  bool extend(Running& running, Value term) const;
  Value value(const Running& running) const {
    return running.n == 0                      ? (running.product ? 1.0 : 0.0)
           : running.product && running.n == 1 ? running.first
                                               : running.total;
  }

 private:
  Value fit(double x) const;
  Value operand(double x) const;

  DType accumulator_;
  bool tf32_;
};

}  // namespace assay
