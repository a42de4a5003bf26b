// Warp matrix products: every type, both layouts, the accumulator's layout, element-wise use of a fragment.
#include <mma.h>

#include "check.h"

using namespace nvcuda;

template <class T, class C, int M, int N, int K, class LayoutA, class LayoutB>
__global__ void multiply(const T* a, const T* b, C* c, C* d) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc, fd;
  constexpr bool a_rows = std::is_same<LayoutA, wmma::row_major>::value;
  constexpr bool b_rows = std::is_same<LayoutB, wmma::row_major>::value;
  wmma::load_matrix_sync(fa, a, a_rows ? K : M);
  wmma::load_matrix_sync(fb, b, b_rows ? N : K);
  wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
  wmma::mma_sync(fd, fa, fb, fc);
  for (int i = 0; i < fd.num_elements; ++i) fd.x[i] = fd.x[i] + fd.x[i];
  wmma::store_matrix_sync(d, fd, M, wmma::mem_col_major);
}

template <class T, class C, int M, int N, int K, class LayoutA, class LayoutB>
void check() {
  T* a = device_array<T>(M * K);
  T* b = device_array<T>(K * N);
  C* c = device_array<C>(M * N);
  C* d = device_array<C>(M * N);
  for (int i = 0; i < M * K; ++i) a[i] = T(float(i * 5 % 7 - 3));
  for (int i = 0; i < K * N; ++i) b[i] = T(float(i * 3 % 5 - 2));
  for (int i = 0; i < M * N; ++i) c[i] = C(float(i % 4));
  multiply<T, C, M, N, K, LayoutA, LayoutB><<<1, 32>>>(a, b, c, d);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int row = 0; row < M; ++row)
    for (int column = 0; column < N; ++column) {
      float sum = float(c[row * N + column]);
      for (int k = 0; k < K; ++k)
        sum += float(a[std::is_same<LayoutA, wmma::row_major>::value ? row * K + k : k * M + row]) *
               float(b[std::is_same<LayoutB, wmma::row_major>::value ? k * N + column : column * K + k]);
      CHECK(float(d[column * M + row]) == 2 * sum);
    }
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  cudaFree(d);
}

// Four warps, each a tile of a larger product through shared memory, the accumulator kept over k.
__global__ void tiles(const float* a, const float* b, float* c, int n) {
  const int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < n; k += 8) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + k * n + column, n);
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

int main() {
  using wmma::col_major;
  using wmma::row_major;
  check<__half, float, 16, 16, 16, row_major, row_major>();
  check<__half, float, 16, 16, 16, col_major, row_major>();
  check<__half, float, 32, 8, 16, row_major, col_major>();
  check<__half, __half, 8, 32, 16, col_major, col_major>();
  check<__nv_bfloat16, float, 16, 16, 16, row_major, col_major>();
  check<signed char, int, 16, 16, 16, row_major, col_major>();
  check<double, double, 8, 8, 4, row_major, col_major>();
  float* m = device_array<float>(3 * 32 * 32);
  for (int i = 0; i < 2048; ++i) m[i] = float(i % 11 - 5) + (i % 3 ? 0 : 0x1p-12f);  // lost in tf32
  tiles<<<1, 128>>>(m, m + 1024, m + 2048, 32);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 32; ++j) {
      float sum = 0;
      for (int k = 0; k < 32; ++k)
        sum +=
            float((i * 32 + k) % 11 - 5 + ((i * 32 + k) % 11 == 5 && (i * 32 + k) % 3 == 0 ? 0x1p-12f : 0)) *
            float((1024 + k * 32 + j) % 11 - 5 +
                  ((1024 + k * 32 + j) % 11 == 5 && (1024 + k * 32 + j) % 3 == 0 ? 0x1p-12f : 0));
      CHECK(m[2048 + i * 32 + j] == sum ||
            (std::printf("%d %d: %a %a\n", i, j, m[2048 + i * 32 + j], sum), false));
    }
  cudaFree(m);
}
