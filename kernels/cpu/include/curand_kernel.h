#pragma once

// curand's device functions for Philox4x32-10. Other generators (curandState of XORWOW, MRG32k3a, Sobol) are
// not there.

#include "assay_cuda.h"

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;
  int boxmuller_flag;
  float boxmuller_extra;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace assay::cpu {

inline uint4 philox(uint4 c, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
    c = make_uint4(static_cast<unsigned>(b >> 32) ^ c.y ^ key.x, static_cast<unsigned>(b),
                   static_cast<unsigned>(a >> 32) ^ c.w ^ key.y, static_cast<unsigned>(a));
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return c;
}

// The 128-bit counter plus n, and its upper half plus n.
inline void philox_skip(uint4& c, unsigned long long n) {
  const unsigned long long low = (static_cast<unsigned long long>(c.y) << 32 | c.x) + n;
  const bool carry = low < n;
  c.x = static_cast<unsigned>(low);
  c.y = static_cast<unsigned>(low >> 32);
  if (carry && ++c.z == 0) ++c.w;
}
inline void philox_skip_upper(uint4& c, unsigned long long n) {
  const unsigned long long high = (static_cast<unsigned long long>(c.w) << 32 | c.z) + n;
  c.z = static_cast<unsigned>(high);
  c.w = static_cast<unsigned>(high >> 32);
}

}  // namespace assay::cpu

inline void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
  state->STATE += static_cast<unsigned>(n & 3);
  n /= 4;
  if (state->STATE > 3) {
    ++n;
    state->STATE -= 4;
  }
  assay::cpu::philox_skip(state->ctr, n);
  state->output = assay::cpu::philox(state->ctr, state->key);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
  assay::cpu::philox_skip_upper(state->ctr, n);
  state->output = assay::cpu::philox(state->ctr, state->key);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStatePhilox4_32_10* state) {
  *state = {};
  state->key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

inline unsigned curand(curandStatePhilox4_32_10* state) {
  const unsigned values[] = {state->output.x, state->output.y, state->output.z, state->output.w};
  const unsigned value = values[state->STATE++];
  if (state->STATE == 4) {
    assay::cpu::philox_skip(state->ctr, 1);
    state->output = assay::cpu::philox(state->ctr, state->key);
    state->STATE = 0;
  }
  return value;
}
// The next four, from where the state is in its present four.
inline uint4 curand4(curandStatePhilox4_32_10* state) {
  const uint4 now = state->output;
  assay::cpu::philox_skip(state->ctr, 1);
  const uint4 next = state->output = assay::cpu::philox(state->ctr, state->key);
  switch (state->STATE) {
    case 0:
      return now;
    case 1:
      return make_uint4(now.y, now.z, now.w, next.x);
    case 2:
      return make_uint4(now.z, now.w, next.x, next.y);
    default:
      return make_uint4(now.w, next.x, next.y, next.z);
  }
}

namespace assay::cpu {
inline float to_uniform(unsigned x) {
  return static_cast<float>(x) * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
}
inline float2 box_muller(unsigned x, unsigned y) {
  const float u = to_uniform(x);
  const float v = static_cast<float>(y) * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2.0f;
  const float s = sqrtf(-2.0f * logf(u));
  return make_float2(sinf(v) * s, cosf(v) * s);
}
}  // namespace assay::cpu

// In (0, 1].
inline float curand_uniform(curandStatePhilox4_32_10* state) {
  return assay::cpu::to_uniform(curand(state));
}
inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  using assay::cpu::to_uniform;
  const uint4 x = curand4(state);
  return make_float4(to_uniform(x.x), to_uniform(x.y), to_uniform(x.z), to_uniform(x.w));
}
inline float2 curand_normal2(curandStatePhilox4_32_10* state) {
  const unsigned x = curand(state);
  return assay::cpu::box_muller(x, curand(state));
}
inline float curand_normal(curandStatePhilox4_32_10* state) {
  if (state->boxmuller_flag) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  const float2 pair = curand_normal2(state);
  state->boxmuller_flag = 1;
  state->boxmuller_extra = pair.y;
  return pair.x;
}
inline float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const uint4 x = curand4(state);
  const float2 a = assay::cpu::box_muller(x.x, x.y), b = assay::cpu::box_muller(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
