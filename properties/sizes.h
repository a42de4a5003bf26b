#pragma once

// Extents: which sizes a gate wants, and instances of a subject's domain that have them.

#include <optional>

#include "core/random.h"
#include "gates/gate.h"

namespace assay {

// An instance in the domain, of the sizes and dtypes that `draw` asks for, or nothing where none was found.
// `huge` asks for one past 2^31 elements.
std::optional<Instance> draw_instance(const Subject& subject, const Draw& draw, bool huge,
                                      CounterRandom& random);

}  // namespace assay
