#pragma once

// Index ranges: what the text does not state is read off where an index stands alone.
//
// `j` in `x[r, j]` runs over the second dimension of x. A binder that stands alone nowhere, or in two
// different dimensions, is an error; an equation's index then has no range of its own (Variable::upper ==
// kNone), and the equation is evaluated wherever it is read.

#include <optional>

#include "oracle/program.h"

namespace assay::lang {

std::optional<Problem> infer_ranges(Program& program);

}  // namespace assay::lang
