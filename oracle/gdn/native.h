#pragma once

// The native oracle behind the contracts of the family (oracle/native.h): MEMBER_forward and MEMBER_backward.

#include <string_view>

#include "core/error.h"
#include "oracle/gdn/problem.h"
#include "oracle/native.h"

namespace assay::gdn {

const NativeOracle* native_oracle(std::string_view contract);  // null if it is none of the family's

// The problem that an instance of such a contract and its inputs are.
Expected<Problem> problem_of(const Contract& contract, const Instance& instance,
                             std::span<const Tensor> inputs);

}  // namespace assay::gdn
