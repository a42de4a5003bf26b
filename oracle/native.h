#pragma once

// Contracts whose answers a C++ class can give as well as the contract's own definitions: for cases too large
// for them.
//
// The text of the contract stays the authority: a native oracle answers only for the library's contract of
// its name, and tests hold it against the evaluator on small cases. The judge asks `native_oracle` and
// `prefers`; everything after that is as with any contract, element by element.
//
// Laws: for every element |truth - the contract's truth| is far below `budget`; RN(truth) is accepted; NaN
// where the truth is NaN is demanded.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "oracle/contract.h"
#include "oracle/judge.h"

namespace assay {

// One output, row-major.
struct NativeOutput {
  std::vector<double> truth;
  std::vector<double> budget;         // |y - truth| at most; infinite: finite values cannot be judged
  std::vector<double> sigma;          // spread of honest kernels: beyond 8 of them is suspect; empty: unknown
  std::vector<std::uint8_t> spreads;  // 1: NaN and infinities are allowed where the truth is finite
};

class NativeOracle {
 public:
  virtual ~NativeOracle() = default;
  // Whether the instance is one that the contract's definitions would take too long for.
  virtual bool prefers(const Contract& contract, const Instance& instance) const = 0;
  // By Signature::outputs. Deterministic: a function of the arguments alone.
  virtual std::vector<NativeOutput> evaluate(const Contract& contract, const Instance& instance,
                                             std::span<const Tensor> inputs) const = 0;
};

// The one that prefers to judge this instance, or null: also where the contract's text is not the library's.
const NativeOracle* native_oracle(const Contract& contract, const Instance& instance);

// The ruling on one element, as Judge::element gives it.
ElementReport rule(const NativeOutput& output, std::int64_t index, DType dtype, std::uint64_t bits);

// What the sharp tier says of an output that was accepted: nothing, or a sentence. Never a violation.
std::optional<std::string> suspicion(const NativeOutput& output, const Tensor& got, std::string_view name);

}  // namespace assay
