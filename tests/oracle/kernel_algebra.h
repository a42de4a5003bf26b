#pragma once

// An honest kernel of any contract: float operations with a random order, association, precision and error.

#include <span>
#include <vector>

#include "core/dtype.h"
#include "tests/oracle/random_program.h"

namespace assay {

struct KernelAlgebra {
  using Value = float;
  Random& random;

  Value input(std::size_t, std::int64_t, DType dtype, std::uint64_t bits) {
    return static_cast<float>(decode(dtype, bits));
  }
  Value constant(const Constant& c) {
    switch (c.kind) {
      case Constant::Kind::rational:
        return static_cast<float>(static_cast<long double>(c.numerator) /
                                  static_cast<long double>(c.denominator) * std::pow(10.0L, c.exponent));
      case Constant::Kind::pi:
        return static_cast<float>(std::acos(-1.0));
      case Constant::Kind::infinity:
        return c.numerator < 0 ? -HUGE_VALF : HUGE_VALF;
      case Constant::Kind::nan:
        return NAN;
      case Constant::Kind::real:
        return static_cast<float>(c.value);
    }
    return 0;
  }
  Value integer(std::int64_t i) { return static_cast<float>(i); }
  Value negate(Value a) { return -a; }
  Value sum(std::span<const Value> terms, Sum how) {
    return honest_sum(random, {terms.begin(), terms.end()}, how == Sum::reduction);
  }
  Value product(std::span<const Value> factors) {
    std::vector<float> x(factors.begin(), factors.end());
    std::shuffle(x.begin(), x.end(), random);
    float p = x.empty() ? 1 : x[0];
    for (std::size_t i = 1; i < x.size(); ++i) p *= x[i];
    return p;
  }
  Value power(Value a, int n) {
    float p = a;
    for (int i = 1; i < n; ++i) p *= a;
    return p;
  }
  Value divide(Value a, Value b) { return honest_quotient(random, a, b); }
  Value mean(std::span<const Value> terms) {
    return terms.empty() ? NAN : honest_mean(random, {terms.begin(), terms.end()});
  }
  Value extreme(Extreme kind, std::span<const Value> terms) {
    const bool is_max = kind == Extreme::max || kind == Extreme::fmax;
    if (terms.empty()) return is_max ? -HUGE_VALF : HUGE_VALF;
    return honest_extreme(random, kind, {terms.begin(), terms.end()});
  }
  Value arg(Extreme kind, std::span<const Value> terms) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (std::isnan(terms[i])) return static_cast<float>(i);
      if (kind == Extreme::max ? terms[i] > terms[best] : terms[i] < terms[best]) best = i;
    }
    return static_cast<float>(best);
  }
  Value call(Function f, Value a) { return f == Function::floor ? std::floor(a) : honest_call(random, f, a); }
  Truth compare(Comparison op, Value a, Value b) {
    switch (op) {
      case Comparison::less:
        return Truth::of(a < b);
      case Comparison::less_equal:
        return Truth::of(a <= b);
      case Comparison::greater:
        return Truth::of(a > b);
      case Comparison::greater_equal:
        return Truth::of(a >= b);
      case Comparison::equal:
        return Truth::of(a == b);
      case Comparison::not_equal:
        return Truth::of(a != b);
    }
    return {};
  }
  Truth classify(Classify what, Value a) {
    return Truth::of(what == Classify::nan ? std::isnan(a) : std::isinf(a));
  }
  Value select(Truth condition, Value yes, Value no) { return condition.at_truth ? yes : no; }
  Value round(Value a, DType dtype) {
    if (format_of(dtype).precision >= 24 || random() % 2) return a;
    return static_cast<float>(decode(dtype, encode(dtype, a)));
  }
  Value allow(Value a, Classes, Truth) { return a; }
};

}  // namespace assay
