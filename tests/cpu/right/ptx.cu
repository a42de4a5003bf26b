// Inline PTX that kernels really use.
#include "check.h"

__global__ void bits(unsigned* o) {
  unsigned lane, below;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  o[threadIdx.x] = lane + below;
  if (threadIdx.x != 0) return;
  unsigned* p = o + 64;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(*p++) : "r"(0xabcd1234u), "r"(8), "r"(12));
  asm("bfe.u32 %0, %1, 28, 8;" : "=r"(*p++) : "r"(0xabcd1234u));
  int s[4];
  asm("bfe.s32 %0, %1, 8, 8;" : "=r"(s[0]) : "r"(0x0000f000));
  asm("bfe.s32 %0, %1, 28, 8;" : "=r"(s[1]) : "r"((int)0x90000000));
  asm("bfe.s32 %0, %1, 40, 8;" : "=r"(s[2]) : "r"((int)0x90000000));
  asm("bfe.s32 %0, %1, 4, 0;" : "=r"(s[3]) : "r"(-1));
  for (int i = 0; i < 4; ++i) *p++ = s[i];
  asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(*p++) : "r"(0xabu), "r"(0xffffffffu));
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(*p++) : "r"(0x33221100u), "r"(0x77665544u), "r"(0x7531u));
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(*p++) : "r"(0xf0u), "r"(0xccu), "r"(0xaau));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(*p++) : "f"(1.00048828125f));
  float f;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(2.0f), "f"(3.0f), "f"(4.0f));
  *p++ = unsigned(f);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(o));
  asm volatile("membar.gl;" ::: "memory");
}

int main() {
  unsigned* o = device_array<unsigned>(128);
  bits<<<1, 64>>>(o);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (unsigned i = 0; i < 64; ++i) CHECK(o[i] == i % 32 + ((1u << i % 32) - 1));
  const unsigned expected[] = {0xd12,      0xa,        0xfffffff0, 0xfffffff9, 0xffffffff, 0,
                               0xfffffabf, 0x77553311, 0xe8,       0x3f802000, 10};
  for (int i = 0; i < 11; ++i)
    CHECK(o[64 + i] == expected[i] || (std::printf("%d: %x\n", i, o[64 + i]), false));
  cudaFree(o);
}
