// With sample_blocks a few blocks of a large grid run: its begin, its end, some between.
#include "right/check.h"

__global__ void mark(unsigned char* out) {
  out[blockIdx.x] = 1;
}

int main() {
  unsigned char* out = device_array<unsigned char>(1000);
  mark<<<1000, 1>>>(out);
  for (int i = 0; i < 1000; ++i)
    if (out[i]) std::printf("%d ", i);
  std::puts("");
  cudaFree(out);
}
