#pragma once

// RapidCheck generators of Cases. RapidCheck's own numbers are scaled by size and never NaN, infinite or
// subnormal, so everything here draws from the boundary lattice and the fills of core/case.h instead.

#include <rapidcheck.h>

#include "gates/gate.h"

namespace assay {

// Cases in the subject's domain (contract, `where`, dtypes) as the gate asks for them. Sizes ignore
// RapidCheck's size parameter. Shrinks with shrink.h.
rc::Gen<Case> cases(const Subject& subject, const Gate& gate);

// The case that (seed, gate, number) stands for: the same on every machine and for every number of jobs.
Case draw_case(const Subject& subject, const Gate& gate, std::uint64_t seed, std::uint64_t number);

}  // namespace assay
