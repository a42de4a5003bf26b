#pragma once

// Simpler cases that might still fail.
//
// Dims shrink on the tile lattice (n mod t + q t for t in 256..4, then n-128, n-32, n-8, n-4, n-1), planted
// values keep their distance from the row's start or end, fills move towards `constant` and `grid`, plants,
// offsets, scales and orders vanish one by one. Laws: every candidate is strictly simpler (no cycles) and in
// the subject's domain; shrinking a shrunk case to the end offers nothing.

#include <rapidcheck.h>

#include <chrono>
#include <functional>

#include "gates/gate.h"

namespace assay {

// Candidates, the boldest first.
rc::Seq<Case> shrink(const Case& c, const Subject& subject);

struct ShrinkBudget {
  int steps = 500;  // accepted simplifications
  int runs = 5000;  // candidates tried
  std::chrono::milliseconds time{30000};
};

struct Shrunk {
  Case smallest;
  int steps = 0;
  int runs = 0;
  std::string stopped_by;  // "minimal", "steps", "runs", "time", "interrupted"
};

// Walks down while `same_finding` holds. Never tries one case twice.
Shrunk minimise(const Case& c, const Subject& subject, const ShrinkBudget& budget,
                const std::function<bool(const Case&)>& same_finding);

}  // namespace assay
