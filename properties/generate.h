#pragma once

// RapidCheck generators of Cases. RapidCheck's own numbers are scaled by size and never NaN, infinite or
// subnormal, so everything here draws from the boundary lattice and the fills of core/case.h instead.

#include <rapidcheck.h>

#include "gates/gate.h"

namespace assay {

// Cases in the subject's domain (contract, `where`, dtypes) as the gate asks for them. Sizes ignore
// RapidCheck's size parameter. Shrinks with shrink.h.
rc::Gen<Case> cases(const Subject& subject, const Gate& gate);

// Whether the kernel claims the case: its contract, `where` and dtypes admit the instance, and its tensors
// can be held or sampled.
bool in_domain(const Case& c, const Subject& subject);

// The case that (seed, gate, number) stands for: the same on every machine and for every number of jobs.
// Where no instance of the domain was found the case is not in_domain.
Case draw_case(const Subject& subject, const Gate& gate, std::uint64_t seed, std::uint64_t number);

}  // namespace assay
