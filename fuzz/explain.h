#pragma once

// Why a shrunk case fails, in terms of its fields: which may be anything, which must hold.
//
// Each field is varied alone over values that a generator would draw, the gate is asked again, and the
// pattern of the answers is put into words: "cols = 3 mod 8", "an inf within the last 3 of a row". A pattern
// is claimed where it agrees with every answer, foretold those that were asked afterwards, and cases on both
// sides of it were seen; what was tried and not settled is not claimed.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "gates/gate.h"

namespace assay::fuzz {

struct Explanation {
  std::vector<std::string> must_hold;  // "cols = 3 mod 8", "cols >= 33", "x holds an inf within the last 3"
  std::vector<std::string> do_not_matter;  // "rows", "dtype", "fill of x"
  int runs = 0;                            // cases tried
};
std::string to_string(const Explanation& explanation);  // one line

struct ExplainBudget {
  int runs = 200;
  std::chrono::milliseconds time{10000};
};
// `fails` says whether a case has the same finding (any extents, so the signature up to its residue).
Explanation explain(const Case& shrunk, const Subject& subject, const ExplainBudget& budget,
                    const std::function<bool(const Case&)>& fails);

}  // namespace assay::fuzz
