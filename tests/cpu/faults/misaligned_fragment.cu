// expect fast: finding: misaligned: kernel k, .*load_matrix_sync: the leading dimension must be a multiple of 16 bytes .*:6
#include <mma.h>
using namespace nvcuda;
__global__ void k(const __half* in) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
  wmma::load_matrix_sync(f, in, 17);
}
int main() {
  __half* in;
  cudaMalloc(&in, 1024);
  k<<<1, 32>>>(in);
  return cudaDeviceSynchronize();
}
