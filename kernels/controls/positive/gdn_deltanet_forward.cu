// control: positive
// contract: deltanet_forward
#include "../../gdn/run.cuh"

int deltanet_forward(const float* q, const float* k, const float* v, const float* beta, const float* s0,
                     const int* cu, float* o, float* st, int64_t n, int64_t t, int64_t h, int64_t r,
                     int64_t kd, int64_t vd, double scale, int l2norm) {
  return assay::gdn::forward<assay::gdn::DeltaNet, float>(
      {n, t, h, r, kd, vd, scale, l2norm}, {q, k, v, nullptr, beta, nullptr, nullptr, s0, cu}, {o, st});
}

int deltanet_forward(const __half* q, const __half* k, const __half* v, const float* beta, const float* s0,
                     const int* cu, __half* o, float* st, int64_t n, int64_t t, int64_t h, int64_t r,
                     int64_t kd, int64_t vd, double scale, int l2norm) {
  return assay::gdn::forward<assay::gdn::DeltaNet, __half>(
      {n, t, h, r, kd, vd, scale, l2norm}, {q, k, v, nullptr, beta, nullptr, nullptr, s0, cu}, {o, st});
}

int deltanet_forward(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                     const float* beta, const float* s0, const int* cu, __nv_bfloat16* o, float* st,
                     int64_t n, int64_t t, int64_t h, int64_t r, int64_t kd, int64_t vd, double scale,
                     int l2norm) {
  return assay::gdn::forward<assay::gdn::DeltaNet, __nv_bfloat16>(
      {n, t, h, r, kd, vd, scale, l2norm}, {q, k, v, nullptr, beta, nullptr, nullptr, s0, cu}, {o, st});
}
