#pragma once

// The tile interface that the programs of this folder are written in, and its scalar leaf.
//
// A tile is whatever can be read at (row, column): a functor over shared or global memory, with its decays
// and transpositions folded in. A program says what is to be computed and where a finished element goes:
//
//   gemm(shape, sink, product(a, b, range)...)   sink(i, j, sum over the products of sum_k a(i,k) b(k,j))
//   gemm_onto(shape, start, sink, product...)    the same with sums that begin at start(i, j)
//   solve_lower, solve_upper                     unit triangular systems with many right-hand sides
//   rows(n, f), elements(m, n, f)                f of each row, f of each element
//   operand<Site>(x)                             x as the leaf holds it where it becomes an operand
//
// Who computes which element, and in which registers it stays meanwhile, is the leaf's business: a
// tensor-core leaf keeps fragments, this one keeps 4 x 4 sums in a thread. No operation but the solves waits
// for the other threads of the block; the program does, with sync().
//
// Laws of every leaf: a product adds up exactly the pairs that its range names, in a fixed order (no
// atomics), so that 0 * NaN outside of it never happens; accumulators are fp32.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "rounding.h"

namespace assay::gdn {

__device__ inline float load(const float* p) {
  return *p;
}
__device__ inline float load(const __half* p) {
  return __half2float(*p);
}
__device__ inline float load(const __nv_bfloat16* p) {
  return __bfloat162float(*p);
}
__device__ inline void store(float* p, float x) {
  *p = x;
}
__device__ inline void store(__half* p, float x) {
  *p = __float2half(x);
}
__device__ inline void store(__nv_bfloat16* p, float x) {
  *p = __float2bfloat16(x);
}

// Which k a row of the left factor meets.
struct All {
  int count;
  __device__ int first(int) const { return 0; }
  __device__ int last(int) const { return count; }
  static constexpr bool kTriangular = false;
};
struct UpTo {  // k <= row, or with offset -1 k < row
  int offset;
  __device__ int first(int) const { return 0; }
  __device__ int last(int row) const { return row + 1 + offset; }
  static constexpr bool kTriangular = true;
};
struct From {  // row <= k < count, or with offset 1 row < k
  int offset, count;
  __device__ int first(int row) const { return row + offset; }
  __device__ int last(int) const { return count; }
  static constexpr bool kTriangular = true;
};

template <class A, class B, class Range>
struct Product {
  A a;
  B b;
  Range range;
};
template <class A, class B, class Range>
__device__ Product<A, B, Range> product(A a, B b, Range range) {
  return {a, b, range};
}

// What a gemm computes: all of m x n, or only the part on and below the diagonal (the sink may be called a
// little above it).
struct Shape {
  int m, n;
  bool lower = false;
};

namespace scalar {

constexpr int kRows = 4, kCols = 4;  // elements of a thread

// The scalar leaf computes with fp32 operands: nothing but inputs and outputs is rounded to the io type.
template <Site>
__device__ float operand(float x) {
  return x;
}

__device__ inline void sync() {
  __syncthreads();
}

template <class A, class B, class Range>
__device__ void add(float (&sum)[kRows][kCols], int i0, int j0, Shape shape, const Product<A, B, Range>& p) {
  int row[kRows], col[kCols], first[kRows], last[kRows];
  for (int r = 0; r < kRows; ++r) row[r] = min(i0 + r, shape.m - 1);
  for (int c = 0; c < kCols; ++c) col[c] = min(j0 + c, shape.n - 1);
  for (int r = 0; r < kRows; ++r) first[r] = p.range.first(row[r]), last[r] = p.range.last(row[r]);
  for (int k = first[0]; k < last[kRows - 1]; ++k) {
    float b[kCols];
    for (int c = 0; c < kCols; ++c) b[c] = p.b(k, col[c]);
    for (int r = 0; r < kRows; ++r) {
      if (Range::kTriangular && (k < first[r] || k >= last[r])) continue;
      const float a = p.a(row[r], k);
      for (int c = 0; c < kCols; ++c) sum[r][c] += a * b[c];
    }
  }
}

template <class Start, class Sink, class... Products>
__device__ void gemm_onto(Shape shape, Start start, Sink sink, Products... products) {
  const int across = (shape.n + kCols - 1) / kCols, down = (shape.m + kRows - 1) / kRows;
  for (int tile = threadIdx.x; tile < across * down; tile += blockDim.x) {
    const int i0 = tile / across * kRows, j0 = tile % across * kCols;
    if (shape.lower && j0 >= i0 + kRows) continue;
    float sum[kRows][kCols] = {};
    for (int r = 0; r < kRows && i0 + r < shape.m; ++r)
      for (int c = 0; c < kCols && j0 + c < shape.n; ++c) sum[r][c] = start(i0 + r, j0 + c);
    (add(sum, i0, j0, shape, products), ...);
    for (int r = 0; r < kRows && i0 + r < shape.m; ++r)
      for (int c = 0; c < kCols && j0 + c < shape.n; ++c) sink(i0 + r, j0 + c, sum[r][c]);
  }
}

template <class Sink, class... Products>
__device__ void gemm(Shape shape, Sink sink, Products... products) {
  gemm_onto(shape, [](int, int) { return 0.f; }, sink, products...);
}

template <class F>
__device__ void rows(int n, F f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}

template <class F>
__device__ void elements(int m, int n, F f) {
  for (int64_t at = threadIdx.x; at < (int64_t)m * n; at += blockDim.x) f((int)(at / n), (int)(at % n));
}

constexpr int kBlock = 16;  // rows that a solve substitutes at once

// x := (I + L)^-1 x in place, for L strictly lower of n rows and x of n x cols; x(i, j) is a reference.
template <class L, class X>
__device__ void solve_lower(int n, int cols, L l, X x) {
  for (int begin = 0; begin < n; begin += kBlock) {
    const int end = min(begin + kBlock, n);
    rows(cols, [&](int j) {
      for (int i = begin; i < end; ++i) {
        float sum = 0;
        for (int k = begin; k < i; ++k) sum += l(i, k) * x(k, j);
        x(i, j) -= sum;
      }
    });
    sync();
    if (end == n) return;
    gemm(
        {n - end, cols}, [&](int i, int j, float sum) { x(end + i, j) -= sum; },
        product([&](int i, int k) { return l(end + i, begin + k); },
                [&](int k, int j) { return x(begin + k, j); }, All{end - begin}));
    sync();
  }
}

// x := (I + L)^-T x.
template <class L, class X>
__device__ void solve_upper(int n, int cols, L l, X x) {
  for (int begin = (n - 1) / kBlock * kBlock; begin >= 0; begin -= kBlock) {
    const int end = min(begin + kBlock, n);
    rows(cols, [&](int j) {
      for (int i = end - 1; i >= begin; --i) {
        float sum = 0;
        for (int k = i + 1; k < end; ++k) sum += l(k, i) * x(k, j);
        x(i, j) -= sum;
      }
    });
    sync();
    if (begin == 0) return;
    gemm(
        {begin, cols}, [&](int i, int j, float sum) { x(i, j) -= sum; },
        product([&](int i, int k) { return l(begin + k, i); }, [&](int k, int j) { return x(begin + k, j); },
                All{end - begin}));
    sync();
  }
}

}  // namespace scalar

// The leaf of this build.
namespace leaf = scalar;

}  // namespace assay::gdn
