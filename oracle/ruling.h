#pragma once

// Rules on one output element, given what an honest kernel may hold there: rule 20 of docs/budgets.md.
//
// Rounding to nearest is monotone, so RN(low) <= y <= RN(high) is asked of the interval's ends against the
// midpoints on both sides of y: no end is ever rounded.

#include <cstdint>

#include "core/signature.h"
#include "oracle/honest.h"
#include "oracle/judge.h"

namespace assay {

struct RulingOptions {
  bool may_flush = false;  // subnormal outputs may be zeros
  bool zero_sign_free = false;
};

// Ruling::undecidable: the centre's own error straddles a limit; ask one of more bits.
template <class C>
ElementReport rule(const HonestAlgebra<C>& algebra, Honest<C> honest, const TensorSpec& spec,
                   std::uint64_t bits, const RulingOptions& options);

}  // namespace assay
