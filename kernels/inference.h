#pragma once

// What an entry's parameters are, read from their names, types and order.
//
// Every assignment of pointers to tensors, and of scalars to dims and attributes, is scored by how well names
// and const agree; the best wins. Among equals, the one in the contract's order does. What is still equal
// after that is ambiguous, and all of it is returned.

#include <string>
#include <vector>

#include "core/signature.h"
#include "kernels/kernel.h"

namespace assay {

struct Inference {
  std::vector<std::vector<Argument>> readings;  // one: clear; several: ambiguous; none: does not fit
  std::string obstacle;                         // why, where it is not one
};
Inference infer(const EntryPoint& entry, const Signature& signature);

// Whether the parameter can hold the tensor, by const and type; the reason where it cannot.
std::string misfit(const Parameter& parameter, const TensorSignature& tensor, bool is_output);

// The one dtype of the `float` tensors among the arguments. `conflict` says where two differ.
struct FloatType {
  std::optional<DType> dtype;  // empty where all are void*
  std::string conflict;
};
FloatType float_type(const EntryPoint& entry, const std::vector<Argument>& arguments,
                     const Signature& signature);

}  // namespace assay
