#pragma once

// Laws that connect a kernel's answers to related problems: most of them bit for bit, without an oracle.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "oracle/gdn/problem.h"

namespace assay::gdn {

// A kernel, or what stands for one: the tensors of outputs(...) in their order, or why it did not answer.
using Answer = std::vector<Tensor>;
using KernelRun = std::function<Expected<Answer>(const Problem&)>;

// How an output differs from what the law says.
struct Broken {
  std::string output;
  std::int64_t index = 0;  // row-major, in the answer to the problem itself
  double got = 0;
  double expected = 0;
};

struct Law {
  std::string_view name;
  std::string_view sentence;
  bool backward_only = false;
  // Nothing where the law holds, or does not speak about the problem.
  Expected<std::optional<Broken>> (*check)(const Problem& problem, const Answer& answer,
                                           const KernelRun& run);
};

// packing   packed sequences are the sequences run alone
// padding   rows past cu[n] are zeros, whatever the inputs hold there
// columns   a permutation of value columns permutes o, dv, dw and the states
// scaling   d_o and d_st times 2^n give every gradient times 2^n
// groups    value heads of a group are those of repeated keys and queries; dq and dk add up
// split     a sequence cut at a chunk's edge, its state and adjoint handed on, gives the same
// repeat    the same bits again
std::span<const Law> laws();

Answer answer_of(const Problem& problem, const Results& results);  // rounded to the outputs' dtypes
Results results_of(const Problem& problem, const Answer& answer);

}  // namespace assay::gdn
