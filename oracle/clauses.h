#pragma once

// What a contract's clauses say of one instance.

#include "oracle/arithmetic.h"
#include "oracle/contract.h"
#include "oracle/program.h"

namespace assay::lang {

// The type of sums: `accumulate`, else f64 for f64 and f32 for the rest.
DType accumulator_of(const Program& program, DType dtype);

// `accumulate`, `depth`, `subnormals`, `accuracy`, widened by what the user allows.
Arithmetic arithmetic_of(const Program& program, const Instance& instance, const Allowances& allowances);

}  // namespace assay::lang
