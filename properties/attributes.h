#pragma once

// The values of an attribute that are worth drawing beside its default.
//
// Faults of attributes sit at the ends of their domain, at 0, 1 and -1, where two of them are equal, and far
// out. What the domain does not admit, at a few sizes and with the other attributes at their defaults, is
// left out; `kernel = 3` beside an input of 2 is for whoever draws the sizes to refuse.

#include <cstddef>
#include <string>

#include "core/random.h"
#include "gates/gate.h"

namespace assay {

// A legal value of attribute `i`, seldom its default; the default where nothing else is legal.
double draw_attribute(const Subject& subject, std::size_t i, CounterRandom& random);

// The default; of an attribute without one an ordinary value.
double ordinary_attribute(const Subject& subject, std::size_t i, CounterRandom& random);

// What stands behind `where` in the contract, and in the domain that the kernel claims.
std::string conditions_text(const Subject& subject);

}  // namespace assay
