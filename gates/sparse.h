#pragma once

// Cases past 2^31 elements, or of very many rows, of which only some blocks run and only some elements are
// judged.
//
// A contract qualifies when an output element depends on few inputs at places that are known without
// evaluating it: all tensors of rank 1 and elementwise ("n"), or rows that do not depend on each other
// ("rows, cols"). An element is then judged as the same contract at a small instance: the elements that were
// written side by side, or the one row. Nothing of the huge size is ever built here.

#include "gates/gate.h"

namespace assay {

enum class SparseForm : std::uint8_t { none, elementwise, rows };

// The form of a contract, found by evaluating it at a small size.
SparseForm sparse_form(const Contract& contract);

// Whether an instance is too large to be realised whole.
bool is_huge(const Shapes& shapes);

// Whether it has rows enough that only some are run, though it could be held: a block of threads for each of
// 65,536 rows takes long on a CPU.
bool has_many_rows(const Contract& contract, const Instance& instance);

// Elements of one period of the contents of an input, mapped over and over. Few pages, and no divisor of
// 2^32: an index that wraps around must meet other contents.
constexpr std::int64_t kPeriod = 15 << 10;

Verdict judge_sparse(const Case& c, const Subject& subject, Runner& runner, Reasons reasons);

}  // namespace assay
