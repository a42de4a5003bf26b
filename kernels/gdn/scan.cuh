#pragma once

// K1 and K2: the two serial scans, one block for each sequence, value head and some columns of the state.
// Columns never meet, so blocks do not either. S and D stay in fp32 in shared memory from chunk to chunk.

#include "chunk.cuh"

namespace assay::gdn {

// Columns of a block: 32, or as many as 48 KiB of shared memory hold with the rows of a chunk below them.
constexpr int kColumns = 32, kSharedFloats = 12288;
constexpr int kMostChannels = kSharedFloats - kChunk;
__host__ __device__ inline int columns_of(int64_t kd, int64_t vd) {
  const int64_t fit = kSharedFloats / (kd + kChunk), most = fit < kColumns ? fit : kColumns;
  return (int)(vd < most ? vd : most);
}

// Which columns of which head of which sequence a block has.
struct Share {
  int64_t sequence;
  int head, first, columns;
};
template <class T>
__device__ Share share_of(const Arguments<T>& a) {
  const int columns = columns_of(a.kd, a.vd), splits = (a.vd + columns - 1) / columns;
  const int64_t item = blockIdx.x / splits;
  const int first = (int)(blockIdx.x % splits) * columns;
  return {item / a.value_heads(), (int)(item % a.value_heads()), first, min(columns, a.vd - first)};
}
template <class T>
__device__ int64_t state_at(const Arguments<T>& a, const Share& share, int c, int v) {
  return ((share.sequence * a.value_heads() + share.head) * a.kd + c) * a.vd + share.first + v;
}

// What stays from chunk to chunk, in fp32.
template <Fault F>
__device__ float kept(float x) {
  return seeded<F> ? __bfloat162float(__float2bfloat16(x)) : x;
}

// K1. With kOutput it writes o and st; else what the backward needs: S before each chunk, and x.
template <class M, class T, bool kOutput>
__global__ void forward_scan(const __grid_constant__ Arguments<T> a) {
  extern __shared__ float shared[];
  const Share share = share_of(a);
  const int columns = share.columns, first = share.first;
  const auto S = [&](int c, int v) -> float& { return shared[c * columns + v]; };
  const auto x = [&](int i, int v) -> float& { return shared[(a.kd + i) * columns + v]; };
  leaf::elements(a.kd, columns, [&](int c, int v) { S(c, v) = a.s0[state_at(a, share, c, v)]; });
  if (seeded<Fault::state_transposed>)
    leaf::elements(a.kd, columns, [&](int c, int v) {
      S(c, v) = a.s0[state_at(a, share, 0, 0) - first + (int64_t)(first + v) * a.kd + c];
    });
  leaf::sync();

  const int chunks = chunks_of(a.cu, share.sequence);
  for (int64_t at = 0; at < chunks; ++at) {
    const int64_t token = a.cu[share.sequence] + at * kChunk;
    const int n = min(kChunk, a.cu[share.sequence + 1] - (int)token);
    const Chunk<M, T> chunk(a, token, first_slot(a.cu, share.sequence) + at, n, share.head);
    const auto state = [&](int c, int v) { return leaf::operand<Site::state>(S(c, v)); };
    const auto delta = [&](int j, int v) { return leaf::operand<Site::delta>(chunk.strength(j) * x(j, v)); };

    if (!kOutput)
      leaf::elements(a.kd, columns, [&](int c, int v) { a.states[chunk.state(c, first + v)] = S(c, v); });
    if (M::erases) {  // x = v - p decayed S, less what the chunk itself wrote
      leaf::gemm(
          {n, columns}, [&](int i, int v, float sum) { x(i, v) = chunk.v(i, first + v) - sum; },
          product([&](int i, int c) { return chunk.p_gated(i, c); }, state, All{a.kd}));
      leaf::sync();
      leaf::solve_lower(
          n, columns, [&](int i, int j) { return chunk.erase_score(i, j) * chunk.strength(j); }, x);
    } else {
      leaf::elements(n, columns, [&](int i, int v) { x(i, v) = chunk.v(i, first + v); });
      leaf::sync();
    }
    if (kOutput) {
      leaf::gemm(
          {n, columns}, [&](int i, int v, float sum) { store(a.o + chunk.value(i, first + v), sum); },
          product([&](int i, int c) { return chunk.q_gated(i, c); }, state, All{a.kd}),
          product([&](int i, int j) { return chunk.read_score(i, j); }, delta, UpTo{0}));
      leaf::sync();
    } else {
      leaf::elements(n, columns, [&](int i, int v) { a.errors[chunk.value(i, first + v)] = x(i, v); });
    }
    leaf::gemm_onto(
        {a.kd, columns}, [&](int c, int v) { return chunk.whole(c) * S(c, v); },
        [&](int c, int v, float sum) { S(c, v) = kept<Fault::state_keeps_bf16>(sum); },
        product([&](int c, int j) { return chunk.k_gated(j, c); }, delta, All{n}));
    leaf::sync();
  }
  if (kOutput) leaf::elements(a.kd, columns, [&](int c, int v) { a.st[state_at(a, share, c, v)] = S(c, v); });
}

// K2. It needs neither v nor S: it may run beside K1.
template <class M, class T>
__global__ void reverse_scan(const __grid_constant__ Arguments<T> a) {
  extern __shared__ float shared[];
  const Share share = share_of(a);
  const int columns = share.columns, first = share.first;
  const auto D = [&](int c, int v) -> float& { return shared[c * columns + v]; };
  const auto z = [&](int i, int v) -> float& { return shared[(a.kd + i) * columns + v]; };
  leaf::elements(a.kd, columns, [&](int c, int v) {
    D(c, v) = seeded<Fault::final_gradient_ignored> ? 0 : a.d_st[state_at(a, share, c, v)];
  });
  leaf::sync();

  const int chunks = chunks_of(a.cu, share.sequence);
  int64_t at = chunks - 1;
  for (bool any = chunks > 0 || seeded<Fault::empty_sequence_processed>; any; any = --at >= 0) {
    const int64_t token = a.cu[share.sequence] + at * kChunk;
    const int n = min(kChunk, a.cu[share.sequence + 1] - (int)token);
    const Chunk<M, T> chunk(a, token, first_slot(a.cu, share.sequence) + at, n, share.head);
    const auto adjoint = [&](int c, int v) { return leaf::operand<Site::adjoint>(D(c, v)); };
    const auto d_o = [&](int i, int v) { return chunk.d_o(i, first + v); };

    leaf::elements(a.kd, columns, [&](int c, int v) { a.adjoints[chunk.state(c, first + v)] = D(c, v); });
    leaf::gemm(
        {n, columns}, [&](int j, int v, float sum) { z(j, v) = sum; },
        product([&](int j, int i) { return chunk.read_score(i, j); }, d_o, From{0, n}),
        product([&](int j, int c) { return chunk.k_gated(j, c); }, adjoint, All{a.kd}));
    if (!seeded<Fault::scan_barrier_missing>) leaf::sync();
    const auto erased = [&](int i, int j) { return chunk.erase_score(i, j) * chunk.strength(i); };
    if (seeded<Fault::solve_not_transposed>) {
      leaf::solve_lower(n, columns, erased, z);
    } else if (seeded<Fault::solve_first_order>) {
      leaf::rows(columns, [&](int v) {
        for (int i = 0; i < n; ++i)
          for (int l = i + 1; l < n; ++l) z(i, v) -= erased(l, i) * z(l, v);
      });
      leaf::sync();
    } else if (M::erases) {
      leaf::solve_upper(n, columns, erased, z);
    }
    leaf::elements(n, columns, [&](int i, int v) { a.z[chunk.value(i, first + v)] = z(i, v); });
    const int rows =
        seeded<Fault::neighbour_rows> ? (a.used - token < kChunk ? (int)(a.used - token) : kChunk) : n;
    // What the tokens read, and what they erased, the last first.
    leaf::gemm_onto(
        {a.kd, columns},
        [&](int c, int v) { return (seeded<Fault::adjoint_undecayed> ? 1 : chunk.whole(c)) * D(c, v); },
        [&](int c, int v, float sum) { D(c, v) = kept<Fault::adjoint_keeps_bf16>(sum); },
        product([&](int c, int i) { return i < n ? chunk.q_gated(i, c) : 0; }, d_o, All{rows}),
        product([&](int c, int i) { return -chunk.strength(n - 1 - i) * chunk.p_gated(n - 1 - i, c); },
                [&](int i, int v) { return leaf::operand<Site::z>(z(n - 1 - i, v)); },
                All{M::erases ? n : 0}));
    leaf::sync();
    if (seeded<Fault::gradient_in_input>)
      leaf::elements(a.kd, columns,
                     [&](int c, int v) { const_cast<float*>(a.d_st)[state_at(a, share, c, v)] = D(c, v); });
  }
  leaf::elements(a.kd, columns, [&](int c, int v) { a.ds0[state_at(a, share, c, v)] = D(c, v); });
}

}  // namespace assay::gdn
