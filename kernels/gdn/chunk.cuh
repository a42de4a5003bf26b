#pragma once

// What the kernels are given, and a chunk of it as tiles.
//
// A sequence is cut into chunks of 64 tokens from its own start; the last may be shorter. The chunks of all
// sequences lie in slots: sequence s, which begins at token cu[s], has slots cu[s] / 64 + s and on. Slots are
// distinct, some stay empty, and there are at most tokens / 64 + sequences of them.

#include "faults.h"
#include "member.h"
#include "tile.h"

namespace assay::gdn {

// T: the type of q, k, v, o and their gradients.
template <class T>
struct Arguments {
  int64_t sequences, tokens, used, slots;  // used: cu[sequences]
  int heads, group, kd, vd;
  float scale;
  bool l2norm;

  const T *q, *k, *v, *d_o;
  const float *g, *beta, *b, *w, *s0, *d_st;
  const int* cu;
  T *o, *dq, *dk, *dv;
  float *st, *dg, *dbeta, *db, *dw, *ds0;

  // The workspace.
  float *qn, *kn;                      // [used, heads, kd]: q and k, normalised if asked for
  float *q_rms, *k_rms;                // [used, heads]: 1 / norm
  float* decay;                        // [used, hv] or [used, hv, kd]: exp(g)
  float* head_decay;                   // as decay: from the start of the chunk to the token, both included
  float* tail_decay;                   // as decay: from behind the token to the end of the chunk
  float* read_scores;                  // [slots, hv, 64, 64]: scale (q_i.k_j) decay(j..i], i >= j
  float* erase_scores;                 // [slots, hv, 64, 64]: (p_i.k_j) decay(j..i], i > j
  float* errors;                       // [used, hv, vd]: x, the prediction errors
  float* z;                            // [used, hv, vd]: the gradient of what is written
  float *states, *adjoints;            // [slots, hv, kd, vd]: S before each chunk, D behind it
  float *dq_sum, *dk_sum;              // [slots * 64, heads, kd], over the value heads of the group
  float* carried;                      // [slots, heads, kd]: what of dg flows past the whole chunk
  float *dq_part, *dp_part, *dk_part;  // as dq_sum, of the value head at work

  __host__ __device__ int value_heads() const { return heads * group; }
};

// One chunk of one value head. Rows are tokens of the chunk; c counts key channels, v value columns.
template <class M, class T>
struct Chunk {
  const Arguments<T>& a;
  int64_t token;  // the first
  int64_t slot;
  int n;  // tokens
  int head, key_head;

  __device__ Chunk(const Arguments<T>& a, int64_t token, int64_t slot, int n, int head)
      : a(a), token(token), slot(slot), n(n), head(head), key_head(head / a.group) {}

  __device__ int64_t heads() const { return (int64_t)a.heads * a.group; }
  __device__ int64_t of_head(int i) const { return (token + i) * heads() + head; }
  __device__ int64_t key(int i, int c) const { return ((token + i) * a.heads + key_head) * a.kd + c; }
  __device__ int64_t channel(int i, int c) const { return of_head(i) * a.kd + c; }
  __device__ int64_t value(int i, int v) const { return of_head(i) * a.vd + v; }
  __device__ int64_t gate(int i, int c) const { return M::by_channel ? channel(i, c) : of_head(i); }
  __device__ int64_t score(int i, int j) const {
    const int64_t at = ((slot * heads() + head) * kChunk + i) * kChunk + j;
    return seeded<Fault::narrow_offsets> ? (uint16_t)at : at;
  }
  __device__ int64_t state(int c, int v) const { return ((slot * heads() + head) * a.kd + c) * a.vd + v; }
  // Sums over a group, of the slot's rows.
  __device__ int64_t part(int i, int c) const {
    return ((slot * kChunk + i) * a.heads + key_head) * a.kd + c;
  }

  // Decays; 1 without gates.
  __device__ float step(int i, int c) const { return M::gated ? a.decay[gate(i, c)] : 1.f; }
  __device__ float from_start(int i, int c) const { return M::gated ? a.head_decay[gate(i, c)] : 1.f; }
  __device__ float to_end(int i, int c) const { return M::gated ? a.tail_decay[gate(i, c)] : 1.f; }
  __device__ float whole(int c) const {
    return from_start((seeded<Fault::whole_decay_of_full_chunk> ? kChunk : n) - 1, c);
  }

  __device__ float q(int i, int c) const { return a.qn[key(i, c)]; }
  __device__ float k(int i, int c) const { return a.kn[key(i, c)]; }
  __device__ float p(int i, int c) const { return M::wraps ? a.b[channel(i, c)] * k(i, c) : k(i, c); }
  __device__ float strength(int i) const {
    if (!M::has_beta) return 1;
    const float beta = a.beta[of_head(i)];
    return seeded<Fault::beta_bf16> ? __bfloat162float(__float2bfloat16(beta)) : beta;
  }
  __device__ float v(int i, int j) const {
    const float v = load(a.v + value(i, j));
    return M::wraps ? a.w[value(i, j)] * v : v;
  }
  __device__ float d_o(int i, int j) const { return load(a.d_o + value(i, j)); }

  // Operands of products, in the names of rounding.h.
  __device__ float q_gated(int i, int c) const {
    return leaf::operand<Site::gated_rows>(a.scale * from_start(i, c) * q(i, c));
  }
  __device__ float p_gated(int i, int c) const {
    return leaf::operand<Site::gated_rows>(from_start(i, c) * p(i, c));
  }
  __device__ float k_gated(int i, int c) const {
    return leaf::operand<Site::gated_rows>(to_end(i, c) * k(i, c));
  }
  __device__ float read_score(int i, int j) const {
    return leaf::operand<Site::scores>(a.read_scores[score(i, j)]);
  }
  __device__ float erase_score(int i, int j) const {
    return leaf::operand<Site::scores>(a.erase_scores[score(i, j)]);
  }
};

// Chunks of a sequence, and where its first lies.
__device__ inline int chunks_of(const int* cu, int64_t sequence) {
  return (int)(((int64_t)cu[sequence + 1] - cu[sequence] + kChunk - 1) / kChunk);
}
__device__ inline int64_t first_slot(const int* cu, int64_t sequence) {
  return cu[sequence] / kChunk + sequence;
}

// The chunk that lies in a slot; n is 0 where none does.
struct Place {
  int64_t token;
  int n;
};
template <class T>
__device__ Place place_of(const Arguments<T>& a, int64_t slot) {
  int64_t low = 0, high = a.sequences;  // the last sequence whose first slot is not beyond
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    if (first_slot(a.cu, middle) <= slot) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const int64_t token = a.cu[low] + (slot - first_slot(a.cu, low)) * kChunk;
  const int64_t left = a.cu[low + 1] - token;
  return {token, left < 0 ? 0 : left < kChunk ? (int)left : kChunk};
}

}  // namespace assay::gdn
