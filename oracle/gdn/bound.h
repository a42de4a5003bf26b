#pragma once

// A-priori bounds, in norms and to first order, on what a kernel of the tensor leaf loses chunk by chunk:
// from quantities of the exact chunk form alone, for members without channel gates. |.|_F is Frobenius, |.|_2
// spectral (by power iteration). u is the dtype's unit roundoff, eps that of f32, and
//
//   ug = eps (8 + 4 max |G|)     acc = 200 eps
//   W = T (beta e * P)           Kt = w * K          Mc = e^{G_n} I - Kt^T W
//
// The error E of the state that enters a chunk and F of the adjoint that leaves it go from chunk to chunk
// with |Mc|_2, which is at most e^{G_n} while beta |k|^2 is in [0, 2]: errors are not amplified. Elementwise
// bounds of absolute values explode instead.
//
// A cross-check of the budgets: usable for dv, dq, ds0 and dbeta (errors are 1 % to 13 % of them), far too
// wide for dg.

#include <map>
#include <string>
#include <vector>

#include "oracle/gdn/problem.h"

namespace assay::gdn {

// Of one value head of one sequence: by chunk, on the norm of the error in its rows of dq (of this value head
// alone), dk (of the writes), dp (of the erase reads), dv, dbeta and dg; one number for ds0.
struct NormBounds {
  std::map<std::string, std::vector<double>> of;
};
NormBounds norm_bounds(const Problem& problem, std::int64_t sequence, std::int64_t value_head);

}  // namespace assay::gdn
