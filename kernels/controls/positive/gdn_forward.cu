// control: positive
// contract: gdn_forward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
#include "../../gdn/run.cuh"

int gdn_forward(const float* q, const float* k, const float* v, const float* g, const float* beta,
                const float* s0, const int* cu, float* o, float* st, int64_t n, int64_t t, int64_t h,
                int64_t r, int64_t kd, int64_t vd, double scale, int l2norm) {
  return assay::gdn::forward<assay::gdn::Gdn, float>({n, t, h, r, kd, vd, scale, l2norm},
                                                     {q, k, v, g, beta, nullptr, nullptr, s0, cu}, {o, st});
}

int gdn_forward(const __half* q, const __half* k, const __half* v, const float* g, const float* beta,
                const float* s0, const int* cu, __half* o, float* st, int64_t n, int64_t t, int64_t h,
                int64_t r, int64_t kd, int64_t vd, double scale, int l2norm) {
  return assay::gdn::forward<assay::gdn::Gdn, __half>({n, t, h, r, kd, vd, scale, l2norm},
                                                      {q, k, v, g, beta, nullptr, nullptr, s0, cu}, {o, st});
}

int gdn_forward(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, const float* g,
                const float* beta, const float* s0, const int* cu, __nv_bfloat16* o, float* st, int64_t n,
                int64_t t, int64_t h, int64_t r, int64_t kd, int64_t vd, double scale, int l2norm) {
  return assay::gdn::forward<assay::gdn::Gdn, __nv_bfloat16>(
      {n, t, h, r, kd, vd, scale, l2norm}, {q, k, v, g, beta, nullptr, nullptr, s0, cu}, {o, st});
}
