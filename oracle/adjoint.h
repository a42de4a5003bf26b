#pragma once

// The backward contract of a forward one, by reverse mode on the syntax tree.
//
// Each read of a name in a definition adds to the name's gradient: that of the definition, times the partial
// derivative, summed over every index of the definition and of the reductions around the read that the read
// does not fix. A read at x[r, j] fixes r and j; one at x[i*stride + k] becomes a guard of the sum, so that
// windows, strides and gathers by index inputs need no inverse.
//
// Laws: the result evaluates to J^T w for every w, where J is what TangentAlgebra computes; what has no
// derivative everywhere (max, min, clamp at ties), and recursions, are refused by name. Equations that the
// forward contract stops have the gradient 0. Forms are not looked at, nor clauses that allow classes.

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "oracle/program.h"

namespace assay::lang {

// Its text, to be parsed and checked like any other: inputs of `forward` and `dy` for each output y, outputs
// `dx` for each float input x, or for those in `wrt`. Errors say what stands in the way, without a place.
Expected<std::string> adjoint_text(const Program& forward, const std::string& name,
                                   const std::vector<std::string>& wrt);

}  // namespace assay::lang
