// With sample_blocks a few blocks of a large grid run: its begin, its end, some between; of a small one, whose
// blocks have more to do, fewer.
#include "right/check.h"

__global__ void mark(unsigned char* out) {
  out[blockIdx.x] = 1;
}

int main() {
  unsigned char* out = device_array<unsigned char>(10000);
  mark<<<10000, 1>>>(out);
  for (int i = 0; i < 10000; ++i)
    if (out[i]) std::printf("%d ", i);
  cudaMemset(out, 0, 10000);
  mark<<<1024, 1>>>(out);
  for (int i = 0; i < 10000; ++i)
    if (out[i]) std::printf("%d ", i);
  std::puts("");
  cudaFree(out);
}
