#pragma once

// A gate: one property that every right kernel has, what must be drawn to test it, and how it is decided.
//
// A gate is one file (gates/cmp_01_value.cpp shows how) and one line in gates/registry.cpp. Gates draw
// nothing themselves: `Draw` says what a generator should draw for them (properties/generate.h), `judge` runs
// the kernel on one case as often as it needs and decides.
//
// Laws: `judge` is a function of the case alone up to the kernel's own state, so a finding replays from its
// case; a gate never reports what another gate owns (a wrong sign of zero is EXC-02's, a race RES-02's),
// except that a crash or a hang is a finding of whatever gate met it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/verdict.h"
#include "kernels/kernel.h"
#include "oracle/contract.h"
#include "oracle/judge.h"

namespace assay {

// What is under test.
struct Subject {
  Contract contract;
  Allowances allow;
  Where where;                // the domain that the kernel claims, true where it claims all
  std::vector<DType> dtypes;  // that the kernel takes; the first is the primary
  // By Signature::attributes: whether the kernel is given it, so that it is worth varying.
  std::vector<bool> passed_attributes = {};
  // Numbers of the kernel's source: extents at which it may change its way.
  std::vector<std::int64_t> hints = {};
};

// How many output elements were judged by value, and how.
struct Tally {
  std::int64_t elements = 0;
  std::int64_t by_mpfr = 0;  // that the filter could not decide
  std::int64_t useless = 0;  // whose budget contains 0 although the truth does not
  // The statistical tier: a sample of elements, and the cases whose errors, though allowed, are far beyond
  // what independent roundings make.
  Strain strain;
  std::int64_t suspect = 0;
  std::string suspicion;  // of the first of them
};

// Runs the kernel. One a thread; the workers behind it start on first use.
class Runner {
 public:
  Tally tally;  // of the judgements made on what it ran

  virtual ~Runner() = default;
  virtual RunResult run(const Launch& launch, Build build) = 0;
  virtual SparseResult run_sparse(const SparseLaunch& launch) = 0;  // always Build::fast
  virtual void restart() = 0;  // fresh worker processes before the next run

  // As Worker: of the last run.
  virtual std::span<const std::uint8_t> branches() const { return {}; }
};

enum class Sizes : std::uint8_t {
  friendly,  // powers of two and multiples of 16: a fault found there is not one of the shape
  boundary,  // 0, 1, 2, 31-33, 63-65, 127-129, 255-257, 1023-1025, primes, rarely 65535-65537
  any,       // both, without 0
  long_row,  // one long dimension (256-8192), the others small
};

enum class Dtypes : std::uint8_t { primary, others, all };

struct Weighted {
  Fill fill;
  int weight;
};

// What a generator draws for a gate.
struct Draw {
  Sizes sizes = Sizes::friendly;
  Dtypes dtypes = Dtypes::primary;
  std::vector<Weighted> fills;  // of float inputs
  std::vector<Order> orders = {Order::drawn};
  std::vector<Special> plants;  // none: nothing is planted
  int max_plants = 0;
  int min_plants = 0;
  bool offsets = false;     // addresses at every legal alignment
  bool scales = false;      // fills times 2^k, |k| <= 8
  bool same_fill = true;    // one fill for all inputs, else one each
  bool long_rows = false;   // a quarter of the cases has the sizes of Sizes::long_row instead
  bool many_steps = false;  // the long dimension of Sizes::long_row is one that a recurrence runs over
  bool huge = false;        // one case in 64 has more than 2^31 elements
  std::int64_t max_elements = 1024;  // of all tensors together; most cases have less, few have 32 times that
};

struct Gate {
  std::string_view id;     // "CMP-01"
  std::string_view title;  // "value"
  std::string_view law;    // one sentence
  bool tolerance_free = false;
  int weight = 1;  // share of a check's cases
  Draw (*draw)(const Subject&);
  std::optional<std::string> (*not_applicable)(const Subject&);  // the reason, or nothing
  Verdict (*judge)(const Case&, const Subject&, Runner&);
};

std::span<const Gate* const> all_gates();    // in the order of the battery
const Gate* find_gate(std::string_view id);  // null if there is none

}  // namespace assay
