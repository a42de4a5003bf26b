// Operations that round toward zero, up and down, against sums and products that are known exactly.
#include "check.h"

__global__ void floats(int* o, float one, float tiny, float third, double small) {
  int i = 0;
  const float above = __int_as_float(0x3f800001), below = __int_as_float(0x3f7fffff);
  o[i++] = __fadd_ru(one, tiny) == above && __fadd_rd(one, tiny) == one && __fadd_rz(one, tiny) == one;
  o[i++] = __fadd_rd(one, -tiny) == below && __fadd_rz(one, -tiny) == below && __fadd_ru(one, -tiny) == one;
  o[i++] = __fsub_ru(-one, tiny) == -one && __fsub_rd(-one, tiny) == -above && __fsub_rz(-one, tiny) == -one;
  o[i++] = __fmul_ru(above, above) == __int_as_float(0x3f800003) &&
           __fmul_rz(above, above) == __int_as_float(0x3f800002);
  o[i++] = __fdiv_rz(one, third) == __int_as_float(0x3eaaaaaa) &&
           __fdiv_ru(one, third) == __int_as_float(0x3eaaaaab) &&
           __frcp_rd(third) == __int_as_float(0x3eaaaaaa) && __frcp_rn(third) == __int_as_float(0x3eaaaaab);
  o[i++] = __fsqrt_rd(third) == __int_as_float(0x3fddb3d7) && __fsqrt_ru(third) == __int_as_float(0x3fddb3d8);
  o[i++] = __fmaf_ru(one, one, tiny) == above && __fmaf_rz(one, -one, tiny) == -below &&
           __fmaf_rd(one, -one, -tiny) == -above;
  o[i++] = __dadd_ru(1.0, small) > 1.0 && __dadd_rd(1.0, small) == 1.0 && __dmul_rz(third, small) > 0.0;
  o[i++] = __ddiv_ru(1.0, third) > __ddiv_rd(1.0, third) && __dsqrt_ru(third) > __dsqrt_rz(third);
  o[i++] = __double2float_ru(1.0 + 1e-12) == above && __double2float_rz(1.0 + 1e-12) == one &&
           __double2float_rd(-1.0 - 1e-12) == -above;
  o[i++] = __int2float_rz(16777217) == 16777216.0f && __int2float_ru(16777217) == 16777218.0f &&
           __uint2float_rd(4294967295u) == 4294967040.0f && __ll2float_ru(1ll << 40 | 1) > 1099511627776.0f;
  o[i++] = one + tiny == one && one / third == __int_as_float(0x3eaaaaab);  // the mode is as before
}

int main() {
  int* o = device_array<int>(16);
  floats<<<1, 1>>>(o, 1.0f, 1e-10f, 3.0f, 1e-20);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 12; ++i) CHECK(o[i] == 1 || (std::printf("%d\n", i), false));
  cudaFree(o);
}
