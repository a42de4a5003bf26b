// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: the reverse scan solves with the triangle of the forward, not its transpose
#define GDN_FAULT solve_not_transposed
#include "../../gdn/run.cuh"

extern "C" int gdn_backward(const float* q, const float* k, const float* v, const float* g, const float* beta,
                            const float* s0, const int* cu, const float* d_o, const float* d_st, float* dq,
                            float* dk, float* dv, float* dg, float* dbeta, float* ds0, int64_t n, int64_t t,
                            int64_t h, int64_t r, int64_t kd, int64_t vd, double scale, int l2norm) {
  return assay::gdn::backward<assay::gdn::Gdn, float>(
      {n, t, h, r, kd, vd, scale, l2norm}, {q, k, v, g, beta, nullptr, nullptr, s0, cu}, {d_o, d_st},
      {dq, dk, dv, dg, dbeta, nullptr, nullptr, ds0});
}
