#pragma once

// Scans: from the first thread to the last.

#include "cub/assay/functors.h"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace assay_detail {

// What the threads of a group share; Storage has a value for each.
template <class T, class Storage, class Op, class Sync>
T exclusive(Storage& storage, int rank, int count, const T& own, Op op, T& aggregate, Sync sync) {
  storage[rank] = own;
  sync();
  T before = own, total = storage[0];
  for (int i = 1; i <= rank; ++i) {
    before = total;
    total = op(total, storage[i]);
  }
  for (int i = rank + 1; i < count; ++i) total = op(total, storage[i]);
  aggregate = total;
  return before;
}

// The functions of a scan, over Derived's `T shared(T own, Op op, T& aggregate, file, line)`, which answers
// what comes before this thread (its own value for the first).
template <class Derived, class T>
class Scan {
 public:
  template <class Op>
  void InclusiveScan(T input, T& output, Op op, ASSAY_SITE) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate, file, line);
  }
  template <class Op>
  void InclusiveScan(T input, T& output, Op op, T& aggregate, ASSAY_SITE) {
    const T before = self().shared(input, op, aggregate, file, line);
    output = self().rank() == 0 ? input : op(before, input);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, T initial, Op op, ASSAY_SITE) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate, file, line);
  }
  template <class Op>
  void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate, ASSAY_SITE) {
    const T before = self().shared(input, op, aggregate, file, line);
    output = self().rank() == 0 ? initial : op(initial, before);
  }
  void InclusiveSum(T input, T& output, ASSAY_SITE) { InclusiveScan(input, output, Sum{}, file, line); }
  void InclusiveSum(T input, T& output, T& aggregate, ASSAY_SITE) {
    InclusiveScan(input, output, Sum{}, aggregate, file, line);
  }
  void ExclusiveSum(T input, T& output, ASSAY_SITE) { ExclusiveScan(input, output, T{}, Sum{}, file, line); }
  void ExclusiveSum(T input, T& output, T& aggregate, ASSAY_SITE) {
    ExclusiveScan(input, output, T{}, Sum{}, aggregate, file, line);
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

}  // namespace assay_detail

template <class T, int Width = 32, int Arch = 0>
class WarpScan : public assay_detail::Scan<WarpScan<T, Width, Arch>, T> {
 public:
  using TempStorage = assay_detail::Slots<T, 32>;
  explicit WarpScan(TempStorage& storage) : storage_(storage) {}
  T Broadcast(T input, unsigned source, ASSAY_SITE) {
    return __shfl_sync(mask(), input, static_cast<int>(source), Width, file, line);
  }

  static int rank() { return assay_detail::thread() % Width; }
  template <class Op>
  T shared(const T& own, Op op, T& aggregate, const char* file, int line) {
    struct Part {
      TempStorage& all;
      int first;
      T& operator[](int i) { return all[first + i]; }
    } part{storage_, assay_detail::thread() % 32 / Width * Width};
    const T before = assay_detail::exclusive(part, rank(), Width, own, op, aggregate,
                                             [&] { __syncwarp(mask(), file, line); });
    __syncwarp(mask(), file, line);
    return before;
  }

 private:
  static unsigned mask() {
    return Width == 32 ? 0xffffffffu : ((1u << Width) - 1u) << (assay_detail::thread() % 32 / Width * Width);
  }
  TempStorage& storage_;
};

template <class T, int X, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1,
          int Arch = 0>
class BlockScan : public assay_detail::Scan<BlockScan<T, X, Algorithm, Y, Z, Arch>, T> {
  using Base = assay_detail::Scan<BlockScan, T>;
  static constexpr int kThreads = X * Y * Z;

 public:
  using TempStorage = assay_detail::Slots<T, kThreads>;
  explicit BlockScan(TempStorage& storage) : storage_(storage) {}
  using Base::ExclusiveSum;
  using Base::InclusiveSum;

  template <int Items>
  void InclusiveSum(T (&input)[Items], T (&output)[Items], ASSAY_SITE) {
    T aggregate;
    T sum = offset(input, aggregate, file, line);
    for (int i = 0; i < Items; ++i) output[i] = sum = sum + input[i];
  }
  template <int Items>
  void ExclusiveSum(T (&input)[Items], T (&output)[Items], ASSAY_SITE) {
    T aggregate;
    ExclusiveSum(input, output, aggregate, file, line);
  }
  template <int Items>
  void ExclusiveSum(T (&input)[Items], T (&output)[Items], T& aggregate, ASSAY_SITE) {
    T sum = offset(input, aggregate, file, line);
    for (int i = 0; i < Items; ++i) {
      const T next = sum + input[i];
      output[i] = sum;
      sum = next;
    }
  }

  static int rank() { return assay_detail::thread(); }
  template <class Op>
  T shared(const T& own, Op op, T& aggregate, const char* file, int line) {
    return assay_detail::exclusive(storage_, rank(), kThreads, own, op, aggregate,
                                   [&] { __syncthreads(file, line); });
  }

 private:
  template <int Items>
  T offset(T (&input)[Items], T& aggregate, const char* file, int line) {
    T own = input[0];
    for (int i = 1; i < Items; ++i) own = own + input[i];
    const T before = shared(own, Sum{}, aggregate, file, line);
    return rank() == 0 ? T{} : before;
  }
  TempStorage& storage_;
};

}  // namespace cub
