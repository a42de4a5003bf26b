#pragma once

// What a contract declares of the arithmetic of an honest kernel, resolved for one instance.

#include <array>
#include <cstdint>
#include <optional>

#include "core/dtype.h"
#include "oracle/algebra.h"

namespace assay {

struct Arithmetic {
  DType dtype = DType::f32;           // of the instance
  DType work = DType::f32;            // of every operation and sum: `accumulate`
  std::optional<std::int64_t> depth;  // caps the number of roundings charged to one sum
  bool may_flush = false;             // subnormals may become zeros
  bool tf32 = false;                  // operands of products may be rounded to TF32 first
  bool fast_math = false;
  std::array<std::optional<double>, 13> accuracy{};  // by Function: `accuracy erf 4 ulp`
};

// The documented maximum error of a function in ulps, N (the budget is N + 1/2): CUDA Programming Guide
// v13.1, tables 46-50; see docs/budgets.md. `work` is f64, f32, f16 or bf16.
double documented_ulps(Function f, DType work, bool fast_math);

}  // namespace assay
