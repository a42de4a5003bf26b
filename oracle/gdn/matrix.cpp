#include "oracle/gdn/matrix.h"

namespace assay::gdn {
namespace {

#if defined(__SANITIZE_ADDRESS__)
#define ASSAY_PLAIN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_PLAIN 1
#endif
#endif

// Wider vectors do not change a bit: elements are independent and each is summed in the same order without
// contraction. Resolvers of clones run before a sanitizer is ready.
#if defined(__x86_64__) && defined(__linux__) && !defined(ASSAY_PLAIN)
#define ASSAY_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_WIDE
#endif

// c += a b for one row of a: c[j] += a[k] b[k][j]. Four terms at a time, so that c stays in registers.
template <class N>
__attribute__((always_inline)) inline void row_times(const N* a, const N* b, N* __restrict c, std::int64_t n,
                                                     std::int64_t m) {
  std::int64_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const N a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
    const N *b0 = b + k * m, *b1 = b0 + m, *b2 = b1 + m, *b3 = b2 + m;
    for (std::int64_t j = 0; j < m; ++j)
      c[j] = (((c[j] + a0 * b0[j]) + a1 * b1[j]) + a2 * b2[j]) + a3 * b3[j];
  }
  for (; k < n; ++k)
    for (std::int64_t j = 0; j < m; ++j) c[j] += a[k] * b[k * m + j];
}

ASSAY_WIDE void rows_times(const double* a, const double* b, double* c, std::int64_t rows, std::int64_t n,
                           std::int64_t m) {
  for (std::int64_t i = 0; i < rows; ++i) row_times(a + i * n, b, c + i * m, n, m);
}
ASSAY_WIDE void rows_times(const float* a, const float* b, float* c, std::int64_t rows, std::int64_t n,
                           std::int64_t m) {
  for (std::int64_t i = 0; i < rows; ++i) row_times(a + i * n, b, c + i * m, n, m);
}

template <class N>
Matrix<N> product(const Matrix<N>& a, const Matrix<N>& b) {
  Matrix<N> c(a.rows, b.cols);
  rows_times(a.x.data(), b.x.data(), c.x.data(), a.rows, a.cols, b.cols);
  return c;
}

}  // namespace

Matrix<double> multiply(const Matrix<double>& a, const Matrix<double>& b) {
  return product(a, b);
}
Matrix<float> multiply(const Matrix<float>& a, const Matrix<float>& b) {
  return product(a, b);
}

}  // namespace assay::gdn
