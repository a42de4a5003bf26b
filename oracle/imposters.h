#pragma once

// Wrong kernels made from a contract: what a check must reject before its pass is worth anything.
//
// Each imposter differs from the contract by one fault that kernels have: a reduction that loses a term, an
// index off by one, eps elsewhere, a maximum that drops NaN, a forgotten operation, a narrower accumulator,
// flushed subnormals, an output that is all zeros. It is evaluated and rounded as a sequential kernel would.
//
// Laws: the list depends on the contract alone; an imposter has the contract's signature, and accepts every
// instance that the contract does.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "oracle/contract.h"
#include "oracle/judge.h"

namespace assay {

struct Imposter {
  std::string fault;                 // "sum(e[r, j] for j) in line 8 loses its last term"
  Contract contract;                 // with the fault in its definitions, or as it was
  std::optional<DType> accumulator;  // instead of the declared one
  bool tf32 = false;
  // Applied to each output; false where the output cannot have the fault. May be empty.
  std::function<bool(std::span<const Tensor> inputs, Tensor& output)> spoil;
};

std::vector<Imposter> imposters(const Contract& contract);

// What the imposter returns; nothing where its fault does not exist at this dtype, such as an accumulator
// that is no narrower.
std::optional<std::vector<Tensor>> answer(const Imposter& imposter, const Instance& instance,
                                          std::span<const Tensor> inputs);

}  // namespace assay
