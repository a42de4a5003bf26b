#pragma once

// An honest kernel of any contract: float operations with a random order, association, precision and error.

#include <span>
#include <vector>

#include "core/dtype.h"
#include "tests/oracle/plain_algebra.h"
#include "tests/oracle/random_program.h"

namespace assay {

struct KernelAlgebra : PlainAlgebra<float> {
  Random& random;

  explicit KernelAlgebra(Random& r) : random(r) {}

  Value input(std::size_t, std::int64_t, DType dtype, std::uint64_t bits) {
    return static_cast<float>(decode(dtype, bits));
  }
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
  Value call(Function f, Value a) { return f == Function::floor ? std::floor(a) : honest_call(random, f, a); }
  Value round(Value a, DType dtype) {
    if (format_of(dtype).precision >= 24 || random() % 2) return a;
    return static_cast<float>(decode(dtype, encode(dtype, a)));
  }
  Value allow(Value a, Classes, Truth) { return a; }
};

}  // namespace assay
