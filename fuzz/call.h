#pragma once

// How a case calls a kernel: which overload, what each tensor is in memory, the values of its scalars. What a
// worker works out for itself, for programs that are written out.

#include <vector>

#include "kernels/expression.h"
#include "properties/target.h"

namespace assay::fuzz {

struct Call {
  const Binding* binding = nullptr;  // of the target
  std::size_t entry = 0;             // its index among the target's bindings
  std::vector<DType> types;          // as the kernel takes them: inputs and then outputs
  std::vector<Number> scalars;       // of the arguments that are expressions, in their order
  bool has_stream = false;
};
Expected<Call> call_of(const Case& c, const Shapes& shapes, const Target& target);

// A contract's indices may be wider or narrower than a kernel's.
Tensor as_taken(const Tensor& tensor, DType taken);

}  // namespace assay::fuzz
