#pragma once

// K0: what does not depend on any state. normalise makes q and k of the passed ones, prepare the decays and
// the two triangles of scores of each chunk.

#include "chunk.cuh"

namespace assay::gdn {

// One thread for each row of q and of k.
template <class T>
__global__ void normalise(const __grid_constant__ Arguments<T> a) {
  const int64_t rows = a.used * a.heads;
  for (int64_t at = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; at < 2 * rows;
       at += (int64_t)gridDim.x * blockDim.x) {
    const bool is_k = at >= rows;
    const int64_t row = is_k ? at - rows : at;
    const T* x = (is_k ? a.k : a.q) + row * a.kd;
    float* y = (is_k ? a.kn : a.qn) + row * a.kd;
    float rms = 1;
    if (a.l2norm) {
      float sum = 0;
      for (int c = 0; c < a.kd; ++c) sum += load(x + c) * load(x + c);
      rms = 1 / sqrtf(sum + (float)kNormEps);
    }
    for (int c = 0; c < a.kd; ++c) y[c] = leaf::operand<Site::normalised>(rms * load(x + c));
    (is_k ? a.k_rms : a.q_rms)[row] = rms;
  }
}

// out(i, j) = the product of the steps behind token j up to token i, for i >= j. A product of factors: no sum
// of logarithms that a huge one swamps, no difference of infinities, no exponential above the diagonal.
template <class M, class T, class Out>
__device__ void pair_decays(const Chunk<M, T>& chunk, Out out) {
  leaf::rows(chunk.n, [&](int j) {
    float decay = 1;
    out(j, j, decay);
    for (int i = j + 1; i < chunk.n; ++i) out(i, j, decay *= chunk.step(i, 0));
    if (!seeded<Fault::decay_mask_multiplied>) return;
    decay = 1;
    for (int i = j - 1; i >= 0; --i) out(i, j, 0 * (decay /= chunk.step(i + 1, 0)));
  });
}

template <class M, class T>
__device__ void decays(const Chunk<M, T>& chunk) {
  const Arguments<T>& a = chunk.a;
  leaf::rows(M::by_channel ? a.kd : 1, [&](int c) {
    float decay = 1;
    for (int i = 0; i < chunk.n; ++i) {
      const int64_t at = chunk.gate(i, c);
      const bool passed = seeded<Fault::reset_ignored> && a.g[at] == -INFINITY;
      const float step = passed ? 1 : expf(a.g[at]);
      a.decay[at] = step;
      a.head_decay[at] = decay *= step;
    }
    decay = 1;
    for (int i = chunk.n - 1; i >= 0; --i) {
      const int64_t at = chunk.gate(i, c);
      a.tail_decay[at] = decay;
      decay *= a.decay[at];
      if (seeded<Fault::tail_decay_shifted>) a.tail_decay[at] = decay;
    }
  });
}

// The scores of per-channel gates: the key of token j decays channel by channel while i goes on.
template <class M, class T>
__device__ void channel_scores(const Chunk<M, T>& chunk) {
  constexpr int kWidth = 8;  // channels that a thread holds
  const Arguments<T>& a = chunk.a;
  leaf::rows(chunk.n, [&](int j) {
    for (int c0 = 0; c0 < a.kd; c0 += kWidth) {
      const int width = min(kWidth, a.kd - c0);
      float key[kWidth];
      for (int c = 0; c < width; ++c) key[c] = chunk.k(j, c0 + c);
      for (int i = j; i < chunk.n; ++i) {
        float read = 0, erase = 0;
        for (int c = 0; c < width; ++c) {
          if (i > j) key[c] *= chunk.step(i, c0 + c);
          read += chunk.q(i, c0 + c) * key[c];
          if (M::erases) erase += chunk.p(i, c0 + c) * key[c];
        }
        const int64_t at = chunk.score(i, j);
        a.read_scores[at] = a.scale * read + (c0 > 0 ? a.read_scores[at] : 0);
        if (M::erases && i > j) a.erase_scores[at] = erase + (c0 > 0 ? a.erase_scores[at] : 0);
      }
    }
  });
}

template <class M, class T>
__device__ void matrix_scores(const Chunk<M, T>& chunk) {
  __shared__ float decay[kChunk][kChunk];
  const Arguments<T>& a = chunk.a;
  pair_decays(chunk, [&](int i, int j, float d) { decay[i][j] = d; });
  leaf::sync();
  const auto key = [&](int c, int j) { return chunk.k(j, c); };
  leaf::gemm(
      {chunk.n, chunk.n, true},
      [&](int i, int j, float sum) {
        if (i >= j) a.read_scores[chunk.score(i, j)] = a.scale * sum * decay[i][j];
      },
      product([&](int i, int c) { return chunk.q(i, c); }, key, All{a.kd}));
  if (!M::erases) return;
  leaf::gemm(
      {chunk.n, chunk.n, true},
      [&](int i, int j, float sum) {
        if (i > j) a.erase_scores[chunk.score(i, j)] = sum * decay[i][j];
      },
      product([&](int i, int c) { return chunk.p(i, c); }, key, All{a.kd}));
}

// One block for each slot and value head.
template <class M, class T>
__global__ void prepare(const __grid_constant__ Arguments<T> a) {
  const int64_t slot = blockIdx.x / a.value_heads();
  const Place place = place_of(a, slot);
  if (place.n == 0) return;
  const Chunk<M, T> chunk(a, place.token, slot, place.n, (int)(blockIdx.x % a.value_heads()));
  if (M::gated) decays(chunk);
  leaf::sync();
  if (M::by_channel) {
    channel_scores(chunk);
  } else {
    matrix_scores(chunk);
  }
}

}  // namespace assay::gdn
