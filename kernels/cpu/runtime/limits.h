#pragma once

// The limits of the device that is played: compute capability 9.0.

#include <cstddef>

#include "state.h"

namespace assay::cpu {

inline constexpr std::size_t kSharedDefault = 48 << 10;  // a block's, without opting in
inline constexpr std::size_t kSharedLimit = 227 << 10;   // a block's, at most
inline constexpr unsigned kThreadsPerBlock = 1024;
inline constexpr int kMultiprocessors = 132;

cudaError_t check_limits(const Shape& shape);
// What is left for static shared memory.
std::size_t static_shared_limit(const Shape& shape);

}  // namespace assay::cpu
