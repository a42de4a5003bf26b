#pragma once

// A case with hardly anything to accumulate: what is wrong there, too, is no fault of a sum.

#include <optional>

#include "gates/gate.h"

namespace assay {

// The case with every extent cut to `most`, or nothing where the domain has no such instance.
std::optional<Case> with_short_rows(const Case& c, std::int64_t most, const Subject& subject);

}  // namespace assay
