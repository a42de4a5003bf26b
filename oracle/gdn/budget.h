#pragma once

// The hard tier: the most that the declared roundings may take an honest kernel from the truth, to first
// order.
//
// The bound of an output element is the sum over all rounding sites of |d out / d site| times the site's own
// rounding. One reverse pass an element would cost as much as the problem has elements; instead every site is
// disturbed at once by an independent Cauchy number of the scale of its rounding's bound: a sum of such is a
// Cauchy number whose scale is that very sum (Kreinovich and Ferson, A new Cauchy-based black-box technique
// for uncertainty in risk analysis, 2004). A pass of the chunk form gives one draw of it for every element at
// once.
//
// The scale is estimated, so that a limit is kFactor times the estimate, and never below 8 sigma of the
// Monte-Carlo tier (oracle/gdn/monte_carlo.h): with kDraws draws the estimate is below a quarter of the scale
// for one element in 5000, and an honest error would have to come within that of the sum of all
// bounds besides, where those of many sites stay near its square root. First order: products of two errors
// are left out, as in every budget of Assay.

#include <cstdint>
#include <vector>

#include "oracle/gdn/monte_carlo.h"

namespace assay::gdn {

constexpr int kDraws = 16;
constexpr double kFactor = 4;

struct Budget {
  Results truth;
  Results hard;   // |kernel - truth| at most; infinite where nothing is known
  Spread spread;  // of the sharp tier
  // Where the chunk form is not finite, a kernel need not be either: chunks spread NaN further than the
  // recurrence does. Not 0: NaN and infinities are allowed there.
  Results spreads;
};

Budget budget(const Problem& problem, Leaf leaf, std::uint64_t seed);

}  // namespace assay::gdn
