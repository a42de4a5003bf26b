// The entry of the seeded faults in bf16: as faulty.cuh.
#include "run.cuh"

extern "C" int gdn_backward(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                            const float* g, const float* beta, const float* s0, const int* cu,
                            const __nv_bfloat16* d_o, const float* d_st, __nv_bfloat16* dq, __nv_bfloat16* dk,
                            __nv_bfloat16* dv, float* dg, float* dbeta, float* ds0, int64_t n, int64_t t,
                            int64_t h, int64_t r, int64_t kd, int64_t vd, double scale, int l2norm) {
  return assay::gdn::backward<assay::gdn::Gdn, __nv_bfloat16>(
      {n, t, h, r, kd, vd, scale, l2norm}, {q, k, v, g, beta, nullptr, nullptr, s0, cu}, {d_o, d_st},
      {dq, dk, dv, dg, dbeta, nullptr, nullptr, ds0});
}
