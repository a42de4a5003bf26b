#include "oracle/arithmetic.h"

#include <array>

namespace assay {
namespace {

// By Function: exp log sqrt rsqrt tanh erf abs sin cos expm1 log1p floor sign.
using Row = std::array<double, 13>;

constexpr Row kFloat = {2, 1, 0, 2, 2, 2, 0, 2, 2, 1, 1, 0, 0};
constexpr Row kDouble = {1, 1, 0, 1, 1, 2, 0, 2, 2, 1, 1, 0, 0};
// The half types' own functions are correctly rounded; those that the guide does not list go through float,
// whose error is at most 2.5 * 2^-13 of a half's ulp, and round once.
constexpr Row kHalf = {0, 0, 0, 0, 0, 0.001, 0, 0, 0, 0.001, 0.001, 0, 0};
// Under -use_fast_math. exp and the absolute errors of log, sin and cos near their zeros depend on the
// argument and are added where the argument is known; tanh.approx has 2^-11 relative, 4096 ulps.
constexpr Row kFast = {2, 3, 1, 2, 4096, 2, 0, 2, 2, 1, 1, 0, 0};

}  // namespace

double documented_ulps(Function f, DType work, bool fast_math) {
  const auto i = static_cast<std::size_t>(f);
  switch (work) {
    case DType::f64:
      return kDouble[i];
    case DType::f16:
    case DType::bf16:
      return kHalf[i];
    default:
      return fast_math ? kFast[i] : kFloat[i];
  }
}

}  // namespace assay
