#pragma once

// Whether two contracts are the same function, as far as one case shows: `assay equal`.
//
// Both are evaluated in 2048 bits, where two formulas of one function agree to hundreds of digits whatever
// cancels on the way. Signs of zero are not compared. Exponents end at 2^16000 (oracle/real.h): where a
// result on the way is cut off there, exp(1e5) say, nothing is said.

#include <cstdint>
#include <span>
#include <string>

#include "core/tensor.h"
#include "oracle/contract.h"

namespace assay {

struct Difference {
  std::size_t output = 0;
  std::int64_t index = 0;  // row-major
  std::string first;       // decimal
  std::string second;
};

// Why two contracts cannot be compared: tensors, dims and attributes must match by place and type.
Expected<void> check_comparable(const Contract& first, const Contract& second);

enum class Comparability : std::uint8_t { agree, differ, beyond_range };

struct Compared {
  Comparability result = Comparability::agree;
  Difference difference;  // of the first element that differs
};

// The instance is in the domain of both, and comparable contracts have given the outputs the same shapes
// there.
Compared compare(const Contract& first, const Contract& second, const Instance& instance,
                 std::span<const Tensor> inputs);

}  // namespace assay
