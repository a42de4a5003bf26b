#pragma once

// The plainest algebra: doubles, sums from left to right. It counts what it is asked.

#include <algorithm>
#include <cmath>
#include <span>

#include "core/dtype.h"
#include "tests/oracle/plain_algebra.h"

namespace assay {

struct DoubleAlgebra : PlainAlgebra<double> {
  std::int64_t inputs = 0;
  std::int64_t operations = 0;
  std::int64_t exponentials = 0;
  std::int64_t sums = 0;
  std::int64_t rounds = 0;
  std::int64_t allows = 0;

  Value input(std::size_t, std::int64_t, DType dtype, std::uint64_t bits) {
    ++inputs;
    return decode(dtype, bits);
  }
  Value negate(Value a) { return ++operations, -a; }
  Value sum(std::span<const Value> terms, Sum) {
    ++sums;
    double total = 0;
    for (const double t : terms) total += t;
    return total;
  }
  Value product(std::span<const Value> factors) {
    ++operations;
    double p = 1;
    for (const double f : factors) p *= f;
    return p;
  }
  Value power(Value a, int n) { return ++operations, std::pow(a, n); }
  Value divide(Value a, Value b) { return ++operations, a / b; }
  Value mean(std::span<const Value> terms) {
    return sum(terms, Sum::reduction) / static_cast<double>(terms.size());
  }
  Value extreme(Extreme kind, std::span<const Value> terms) {
    ++operations;
    const bool up = kind == Extreme::max || kind == Extreme::fmax;
    double best = up ? -INFINITY : INFINITY;
    for (const double t : terms) {
      if (std::isnan(t)) {
        if (kind == Extreme::max || kind == Extreme::min) return t;
        continue;
      }
      best = up ? std::max(best, t) : std::min(best, t);
    }
    return best;
  }
  Value call(Function f, Value a) {
    ++operations;
    switch (f) {
      case Function::exp:
        return ++exponentials, std::exp(a);
      case Function::log:
        return std::log(a);
      case Function::sqrt:
        return std::sqrt(a);
      case Function::rsqrt:
        return 1 / std::sqrt(a);
      case Function::tanh:
        return std::tanh(a);
      case Function::erf:
        return std::erf(a);
      case Function::abs:
        return std::fabs(a);
      case Function::sin:
        return std::sin(a);
      case Function::cos:
        return std::cos(a);
      case Function::expm1:
        return std::expm1(a);
      case Function::log1p:
        return std::log1p(a);
      case Function::floor:
        return std::floor(a);
      case Function::sign:
        return std::isnan(a) ? a : a > 0 ? 1 : a < 0 ? -1 : 0;
    }
    return 0;
  }
  Value round(Value a, DType dtype) { return ++rounds, decode(dtype, encode(dtype, a)); }
  Value allow(Value a, Classes, Truth guard) {
    if (guard.at_truth) ++allows;
    return a;
  }
};

}  // namespace assay
