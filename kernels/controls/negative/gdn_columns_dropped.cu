// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 1, r <= 2, kd <= 3, vd <= 40, n <= 3
// gate: CMP-03
// also: ORD-03
// fault: dq reads the first 32 columns of the state before the chunk, however many there are
#define GDN_FAULT columns_dropped
#include "../../gdn/run.cuh"

extern "C" int gdn_backward(const float* q, const float* k, const float* v, const float* g, const float* beta,
                            const float* s0, const int* cu, const float* d_o, const float* d_st, float* dq,
                            float* dk, float* dv, float* dg, float* dbeta, float* ds0, int64_t n, int64_t t,
                            int64_t h, int64_t r, int64_t kd, int64_t vd, double scale, int l2norm) {
  return assay::gdn::backward<assay::gdn::Gdn, float>(
      {n, t, h, r, kd, vd, scale, l2norm}, {q, k, v, g, beta, nullptr, nullptr, s0, cu}, {d_o, d_st},
      {dq, dk, dv, dg, dbeta, nullptr, nullptr, ds0});
}
