// The entry of the seeded faults: gdn_backward in f32, with the seam that GDN_FAULT names open (faults.h).
#include "run.cuh"

extern "C" int gdn_backward(const float* q, const float* k, const float* v, const float* g, const float* beta,
                            const float* s0, const int* cu, const float* d_o, const float* d_st, float* dq,
                            float* dk, float* dv, float* dg, float* dbeta, float* ds0, int64_t n, int64_t t,
                            int64_t h, int64_t r, int64_t kd, int64_t vd, double scale, int l2norm) {
  return assay::gdn::backward<assay::gdn::Gdn, float>(
      {n, t, h, r, kd, vd, scale, l2norm}, {q, k, v, g, beta, nullptr, nullptr, s0, cu}, {d_o, d_st},
      {dq, dk, dv, dg, dbeta, nullptr, nullptr, ds0});
}
