#pragma once

// Reductions. Lanes are combined with those 1, 2, 4, ... above them, and warps from the first to the last,
// which is the order of cub's default algorithm.

#include "cub/assay/functors.h"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
};

namespace assay_detail {

// values[0, count), of which count is at most 32; destroys them.
template <class T, class Op>
T tree(T* values, int count, Op op) {
  for (int step = 1; step < count; step *= 2)
    for (int i = 0; i + step < count; i += 2 * step) values[i] = op(values[i], values[i + step]);
  return values[0];
}

}  // namespace assay_detail

template <class T, int Width = 32, int Arch = 0>
class WarpReduce {
  static_assert(Width >= 1 && Width <= 32);

 public:
  using TempStorage = assay_detail::Slots<T, 32>;
  explicit WarpReduce(TempStorage& storage) : storage_(storage) {}

  template <class Op>
  T Reduce(T input, Op op, int valid = Width, ASSAY_SITE) {
    const int lane = assay_detail::thread() % 32, first = lane / Width * Width;
    const unsigned mask = Width == 32 ? 0xffffffffu : ((1u << Width) - 1u) << first;
    storage_[lane] = input;
    __syncwarp(mask, file, line);
    T result = assay_detail::no_result(input);
    if (lane == first) {
      const int warp = assay_detail::thread() - lane;
      const int threads = static_cast<int>(blockDim.x * blockDim.y * blockDim.z) - warp - first;
      T values[Width];
      int count = valid < threads ? valid : threads;
      if (count > Width) count = Width;
      for (int i = 0; i < count; ++i) values[i] = storage_[first + i];
      result = assay_detail::tree(values, count, op);
    }
    __syncwarp(mask, file, line);
    return result;
  }
  T Sum(T input, ASSAY_SITE) { return Reduce(input, cub::Sum{}, Width, file, line); }
  T Sum(T input, int valid, ASSAY_SITE) { return Reduce(input, cub::Sum{}, valid, file, line); }
  T Max(T input, ASSAY_SITE) { return Reduce(input, cub::Max{}, Width, file, line); }
  T Min(T input, ASSAY_SITE) { return Reduce(input, cub::Min{}, Width, file, line); }

 private:
  TempStorage& storage_;
};

template <class T, int X, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int Arch = 0>
class BlockReduce {
  static constexpr int kThreads = X * Y * Z;
  static_assert(kThreads >= 1 && kThreads <= 1024);

 public:
  using TempStorage = assay_detail::Slots<T, kThreads>;
  explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  template <class Op>
  T Reduce(T input, Op op, int valid, ASSAY_SITE) {
    const int thread = assay_detail::thread();
    if (thread < kThreads) storage_[thread] = input;
    __syncthreads(file, line);
    if (thread != 0) return assay_detail::no_result(input);
    T result = input;
    for (int first = 0; first < valid; first += 32) {
      T values[32];
      const int count = valid - first < 32 ? valid - first : 32;
      for (int i = 0; i < count; ++i) values[i] = storage_[first + i];
      const T warp = assay_detail::tree(values, count, op);
      result = first == 0 ? warp : op(result, warp);
    }
    return result;
  }
  template <class Op>
  T Reduce(T input, Op op, ASSAY_SITE) {
    return Reduce(input, op, kThreads, file, line);
  }
  template <class Op, int Items>
  T Reduce(T (&input)[Items], Op op, ASSAY_SITE) {
    T own = input[0];
    for (int i = 1; i < Items; ++i) own = op(own, input[i]);
    return Reduce(own, op, kThreads, file, line);
  }
  T Sum(T input, ASSAY_SITE) { return Reduce(input, cub::Sum{}, kThreads, file, line); }
  T Sum(T input, int valid, ASSAY_SITE) { return Reduce(input, cub::Sum{}, valid, file, line); }
  template <int Items>
  T Sum(T (&input)[Items], ASSAY_SITE) {
    return Reduce(input, cub::Sum{}, file, line);
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
