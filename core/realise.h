#pragma once

// Makes the contents of a case's inputs, bit for bit the same on every machine: integer hashing and exact
// arithmetic only, no library function whose last bit may differ.

#include <vector>

#include "core/case.h"
#include "core/tensor.h"

namespace assay {

// One tensor an input, of the shapes and dtypes in `shapes`. Index inputs are uniform in their range, with
// the bounds and `ignore` at hand; boolean inputs are fair coins; offsets cut lengths that kernels' chunks
// end at, empty ones, and a rest. What a float input may not hold (TensorSpec::range) is moved inside,
// planted values too.
std::vector<Tensor> realise(const Case& c, const Shapes& shapes);

// The same case with every plant written at the place where it falls: a distance beyond its extent means the
// last place.
Case settled(Case c, const Shapes& shapes);

}  // namespace assay
