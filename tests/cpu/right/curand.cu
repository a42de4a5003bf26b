// curand's Philox generator against the values that CUDA's own header gives.
#include <curand_kernel.h>

#include <cmath>

#include "check.h"

__global__ void draw(unsigned* u, float* f) {
  curandStatePhilox4_32_10_t state;
  curand_init(0x123456789abcull, 5, 7, &state);
  for (int i = 0; i < 6; ++i) u[i] = curand(&state);
  const uint4 four = curand4(&state);
  u[6] = four.x, u[7] = four.y, u[8] = four.z, u[9] = four.w;
  f[0] = curand_uniform(&state);
  f[1] = curand_normal(&state);
  f[2] = curand_normal(&state);
  float4 floats = curand_normal4(&state);
  f[3] = floats.x, f[4] = floats.y, f[5] = floats.z, f[6] = floats.w;
  floats = curand_uniform4(&state);
  f[7] = floats.x, f[8] = floats.w;
  f[9] = curand_normal2(&state).y;
}

int main() {
  unsigned* u = device_array<unsigned>(16);
  float* f = device_array<float>(16);
  draw<<<1, 1>>>(u, f);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  const unsigned bits[] = {1881422430u, 163912406u,  1845723678u, 840505843u,  3589212044u,
                           4135301757u, 1082622131u, 47541441u,   2437355627u, 770708178u};
  const float floats[] = {0x1.a74e96p-2f, 0x1.586aaap+0f,  0x1.8cfedp+0f,  0x1.4f3954p-3f, 0x1.00372p+0f,
                          0x1.c1543ap-1f, -0x1.c75f0ap-5f, 0x1.0ed8b8p-1f, 0x1.4a1c24p-3f, -0x1.e6b42ep-1f};
  for (int i = 0; i < 10; ++i) CHECK(u[i] == bits[i] || (std::printf("%d: %u\n", i, u[i]), false));
  for (int i : {0, 7, 8}) CHECK(f[i] == floats[i] || (std::printf("%d: %a\n", i, f[i]), false));
  for (int i = 0; i < 10; ++i)
    CHECK(std::fabs(f[i] - floats[i]) < 1e-6f || (std::printf("%d: %a\n", i, f[i]), false));
  cudaFree(u);
  cudaFree(f);
}
