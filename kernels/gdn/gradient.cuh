#pragma once

// K3: the gradients of one chunk and key head, from S before it, D behind it, x and z. The value heads of the
// group come one after the other, so that dq and dk are summed in a fixed order.

#include "prep.cuh"

namespace assay::gdn {

template <class M, class T>
struct Gradient {
  const Arguments<T>& a;
  Chunk<M, T> chunk;
  // The gradients of (q_i.k_j) and (p_i.k_j). For scalar gates times the decay between the tokens.
  float (*read)[kChunk];
  float (*erase)[kChunk];
  float *x, *y;  // of the staircase: [64] each

  __device__ float S(int c, int v) const { return leaf::operand<Site::state>(a.states[chunk.state(c, v)]); }
  __device__ float D(int c, int v) const {
    return leaf::operand<Site::adjoint>(a.adjoints[chunk.state(c, v)]);
  }
  __device__ float z(int i, int v) const { return leaf::operand<Site::z>(a.z[chunk.value(i, v)]); }
  __device__ float delta(int j, int v) const {
    return leaf::operand<Site::delta>(chunk.strength(j) * a.errors[chunk.value(j, v)]);
  }
  __device__ float& dq(int i, int c) const { return a.dq_part[chunk.part(i, c)]; }
  __device__ float& dp(int i, int c) const { return a.dp_part[chunk.part(i, c)]; }
  __device__ float& dk(int j, int c) const { return a.dk_part[chunk.part(j, c)]; }
  __device__ float& carried(int c) const {
    return a.carried[(chunk.slot * a.heads + chunk.key_head) * a.kd + c];
  }

  // read and erase begin as the weights [scale decay; -strength decay] and are multiplied by [d_o; z]
  // delta^T. What the scores multiply in the gradient of scalar gates takes their place.
  __device__ void scores() {
    if (M::by_channel) {
      leaf::elements(chunk.n, chunk.n, [&](int i, int j) {
        read[i][j] = a.scale;
        if (M::erases) erase[i][j] = -chunk.strength(i);
      });
    } else {
      pair_decays(chunk, [&](int i, int j, float decay) {
        read[i][j] = a.scale * decay;
        if (M::erases) erase[i][j] = -chunk.strength(i) * decay;
      });
    }
    leaf::sync();
    const auto written = [&](int v, int j) { return delta(j, v); };
    leaf::gemm(
        {chunk.n, chunk.n, true},
        [&](int i, int j, float sum) {
          if (i < j) return;
          read[i][j] *= sum;
          if (M::gate == Gated::scalar) a.read_scores[chunk.score(i, j)] *= sum;
        },
        product([&](int i, int v) { return chunk.d_o(i, v); }, written, All{a.vd}));
    leaf::sync();
    if (!M::erases) return;
    leaf::gemm(
        {chunk.n, chunk.n, true},
        [&](int i, int j, float sum) {
          if (i <= j) return;
          erase[i][j] *= sum;
          if (M::gate == Gated::scalar)
            a.read_scores[chunk.score(i, j)] -= chunk.strength(i) * sum * a.erase_scores[chunk.score(i, j)];
        },
        product([&](int i, int v) { return z(i, v); }, written, All{a.vd}));
  }

  // What dq, dp and dk owe to the state before the chunk and to its gradient behind it.
  __device__ void from_states() {
    const auto state = [&](int v, int c) { return S(c, v); };
    const auto adjoint = [&](int v, int c) { return D(c, v); };
    leaf::gemm(
        {chunk.n, a.kd}, [&](int i, int c, float sum) { dq(i, c) = a.scale * chunk.from_start(i, c) * sum; },
        product([&](int i, int v) { return chunk.d_o(i, v); }, state,
                All{seeded<Fault::columns_dropped> && a.vd > 32 ? 32 : a.vd}));
    if (M::erases)
      leaf::gemm(
          {chunk.n, a.kd},
          [&](int i, int c, float sum) { dp(i, c) = -chunk.strength(i) * chunk.from_start(i, c) * sum; },
          product([&](int i, int v) { return z(i, v); }, state, All{a.vd}));
    leaf::gemm(
        {chunk.n, a.kd}, [&](int j, int c, float sum) { dk(j, c) = chunk.to_end(j, c) * sum; },
        product([&](int j, int v) { return delta(j, v); }, adjoint, All{a.vd}));
    if (!M::gated) return;
    leaf::rows(a.kd, [&](int c) {
      float sum = 0;
      for (int v = 0; v < a.vd; ++v) sum += a.states[chunk.state(c, v)] * a.adjoints[chunk.state(c, v)];
      carried(c) = chunk.whole(c) * sum;
    });
  }

  __device__ float through_reads(int i, int c) const {
    const float read = chunk.q(i, c) * dq(i, c);
    return M::erases ? read + chunk.p(i, c) * dp(i, c) : read;
  }
  __device__ float through_write(int j, int c) const { return chunk.k(j, c) * dk(j, c); }

  // dg of scalar gates as a staircase: a gate takes part in what a token at or behind it read of what a token
  // before it wrote. Only sums: differences of row and column sums lose everything under strong decay.
  __device__ void staircase() {
    if (seeded<Fault::dg_differences>) return differences();
    leaf::rows(chunk.n, [&](int i) {
      float reads = 0, writes = 0;
      for (int c = 0; c < a.kd; ++c) {
        reads += through_reads(i, c);
        writes += through_write(i, c);
      }
      x[i] = seeded<Fault::dg_atomic> ? 0 : reads;
      y[i] = writes;
    });
    if (seeded<Fault::dg_atomic>) {
      leaf::sync();
      leaf::elements(chunk.n, a.kd, [&](int i, int c) { atomicAdd(&x[i], through_reads(i, c)); });
    }
    leaf::rows(chunk.n, [&](int j) {  // the column becomes the sums of its rows at and behind each
      float sum = 0;
      for (int i = chunk.n - 1; i > j; --i) {
        float& score = a.read_scores[chunk.score(i, j)];
        score = sum += score;
      }
    });
    leaf::sync();
    leaf::rows(chunk.n, [&](int t) {
      const bool behind = !seeded<Fault::last_token_lost> || chunk.n == kChunk;
      float sum = 0;
      for (int c = 0; c < a.kd && behind; ++c) sum += carried(c);
      for (int i = t; i < chunk.n; ++i) sum += x[i];
      for (int j = 0; j < t; ++j) sum += (behind ? y[j] : 0) + a.read_scores[chunk.score(t, j)];
      a.dg[chunk.gate(t, 0)] = seeded<Fault::dg_laundered> && isnan(sum) ? 0 : sum;
    });
  }
  // Of Fault::dg_differences: what a token read less what others read of it, the diagonal in both.
  __device__ void differences() {
    leaf::rows(1, [&](int) {
      float behind = 0;
      for (int c = 0; c < a.kd; ++c) {
        behind += carried(c);
        for (int i = 0; i < chunk.n; ++i) behind += through_write(i, c);
      }
      for (int t = chunk.n - 1; t >= 0; --t) {
        float reads = 0, writes = 0;
        for (int j = 0; j <= t; ++j) reads += a.read_scores[chunk.score(t, j)];
        for (int i = t; i < chunk.n; ++i) writes += a.read_scores[chunk.score(i, t)];
        for (int c = 0; c < a.kd; ++c) {
          reads += through_reads(t, c);
          writes += through_write(t, c);
        }
        a.dg[chunk.gate(t, 0)] = behind += reads - writes;
      }
    });
  }

  // What dq, dp and dk owe to the other tokens of the chunk.
  __device__ void from_tokens() {
    const auto k = [&](int j, int c) { return chunk.k(j, c); };
    leaf::gemm_onto(
        {chunk.n, a.kd}, [&](int i, int c) { return dq(i, c); },
        [&](int i, int c, float sum) { dq(i, c) = sum; },
        product([&](int i, int j) { return leaf::operand<Site::score_adjoint>(read[i][j]); }, k,
                UpTo{seeded<Fault::diagonal_missing> ? -1 : 0}),
        product([&](int i, int j) { return read[i][j]; }, k,
                From{1, seeded<Fault::decay_mask_multiplied> ? chunk.n : 0}));
    if (M::erases)
      leaf::gemm_onto(
          {chunk.n, a.kd}, [&](int i, int c) { return dp(i, c); },
          [&](int i, int c, float sum) { dp(i, c) = sum; },
          product([&](int i, int j) { return leaf::operand<Site::score_adjoint>(erase[i][j]); }, k,
                  UpTo{-1}));
    leaf::gemm_onto(
        {chunk.n, a.kd}, [&](int j, int c) { return dk(j, c); },
        [&](int j, int c, float sum) { dk(j, c) = sum; },
        product([&](int j, int i) { return leaf::operand<Site::score_adjoint>(read[i][j]); },
                [&](int i, int c) { return chunk.q(i, c); }, From{0, chunk.n}),
        product([&](int j, int i) { return leaf::operand<Site::score_adjoint>(erase[i][j]); },
                [&](int i, int c) { return chunk.p(i, c); }, From{1, M::erases ? chunk.n : 0}));
  }

  // The same for per-channel gates, channel by channel, with the staircase of each. Products of decays are
  // taken along the tokens: for dq and dp by Horner over what was written, for dk by Horner over what will
  // read.
  __device__ void channel_tokens() {
    leaf::rows(a.kd, [&](int c) {
      float dg[kChunk], key[kChunk];
      float before = carried(c), behind = 0;
      for (int t = 0; t < chunk.n; ++t) {  // carried, and what was written before
        dg[t] = before;
        before += through_write(t, c);
      }
      for (int t = chunk.n - 1; t >= 0; --t) dg[t] += behind += through_reads(t, c);
      for (int i = 0; i < chunk.n; ++i) {
        float reads = 0, erases = 0;
        for (int j = 0; j <= i; ++j) {
          const float step = chunk.step(j, c), k = chunk.k(j, c);
          reads = reads * step + read[i][j] * k;
          if (M::erases) erases = j < i ? erases * step + erase[i][j] * k : erases * step;
        }
        dq(i, c) += reads;
        if (M::erases) dp(i, c) += erases;
      }
      for (int j = 0; j < chunk.n; ++j) {
        key[j] = chunk.k(j, c);
        for (int i = j + 1; i < chunk.n; ++i) key[i] = key[i - 1] * chunk.step(i, c);
        float later = 0;
        for (int i = chunk.n - 1; i > j; --i) {
          later += read[i][j] * chunk.q(i, c);
          if (M::erases) later += erase[i][j] * chunk.p(i, c);
          dg[i] += key[i] * later;
          later *= chunk.step(i, c);
        }
        dk(j, c) += later + read[j][j] * chunk.q(j, c);
      }
      for (int t = 0; t < chunk.n; ++t) a.dg[chunk.gate(t, c)] = dg[t];
    });
  }

  // dv, the gradients of strengths, and this head's part of dq and dk.
  __device__ void outputs(bool first_of_group) {
    leaf::elements(chunk.n, a.vd, [&](int i, int v) {
      const int64_t at = chunk.value(i, v);
      const float dv = chunk.strength(i) * a.z[at];
      store(a.dv + at, M::wraps ? dv * a.w[at] : dv);
      if (M::wraps) a.dw[at] = dv * load(a.v + at);
    });
    if (M::has_beta)
      leaf::rows(chunk.n, [&](int i) {
        float sum = 0;
        for (int v = 0; v < a.vd; ++v)
          sum += a.z[chunk.value(i, v)] *
                 (seeded<Fault::dbeta_of_value> ? chunk.v(i, v) : a.errors[chunk.value(i, v)]);
        a.dbeta[chunk.of_head(i)] = sum;
      });
    leaf::elements(chunk.n, a.kd, [&](int i, int c) {
      const int64_t at = chunk.part(i, c);
      float key = dk(i, c);
      if (M::wraps) {
        a.db[chunk.channel(i, c)] = dp(i, c) * chunk.k(i, c);
        key += dp(i, c) * a.b[chunk.channel(i, c)];
      } else if (M::erases && !seeded<Fault::erase_gradient_dropped>) {
        key += dp(i, c);
      }
      if (seeded<Fault::group_not_summed>) first_of_group = true;
      if (seeded<Fault::scale_twice>) dq(i, c) *= a.scale;
      a.dq_sum[at] = first_of_group ? dq(i, c) : a.dq_sum[at] + dq(i, c);
      a.dk_sum[at] = first_of_group ? key : a.dk_sum[at] + key;
    });
  }
};

// The gradient of x from that of x / norm: rms (dy - y (y.dy)).
template <class M, class T>
__device__ void store_rows(const Chunk<M, T>& chunk, const float* sum, const float* y, const float* rms,
                           T* out) {
  const Arguments<T>& a = chunk.a;
  leaf::rows(chunk.n, [&](int i) {
    float dot = 0;
    if (a.l2norm && !seeded<Fault::norm_projection_dropped>)
      for (int c = 0; c < a.kd; ++c) dot += y[chunk.key(i, c)] * sum[chunk.part(i, c)];
    const float scale = rms[(chunk.token + i) * a.heads + chunk.key_head];
    for (int c = 0; c < a.kd; ++c) {
      const float dy = sum[chunk.part(i, c)];
      store(out + chunk.key(i, c), a.l2norm ? scale * (dy - y[chunk.key(i, c)] * dot) : dy);
    }
  });
}

// One block for each slot and key head.
template <class M, class T>
__global__ void gradients(const __grid_constant__ Arguments<T> a) {
  __shared__ float read[kChunk][kChunk];
  __shared__ float erase[M::erases ? kChunk : 1][kChunk];
  __shared__ float x[kChunk], y[kChunk];
  const int64_t slot = blockIdx.x / a.heads;
  const int key_head = (int)(blockIdx.x % a.heads);
  const Place place = place_of(a, slot);
  if (place.n == 0) return;
  for (int member = 0; member < a.group; ++member) {
    const Chunk<M, T> chunk(a, place.token, slot, place.n, key_head * a.group + member);
    Gradient<M, T> g{a, chunk, read, erase, x, y};
    g.scores();
    g.from_states();
    leaf::sync();
    if (M::gate == Gated::scalar) {
      g.staircase();
      leaf::sync();
    }
    if (M::by_channel) {
      g.channel_tokens();
    } else {
      g.from_tokens();
    }
    leaf::sync();
    g.outputs(member == 0);
    leaf::sync();
  }
  const Chunk<M, T> chunk(a, place.token, slot, place.n, key_head * a.group);
  store_rows(chunk, a.dq_sum, a.qn, a.q_rms, a.dq);
  store_rows(chunk, a.dk_sum, a.kn, a.k_rms, a.dk);
}

}  // namespace assay::gdn
