// Intrinsics and math functions: exact where CUDA defines the bits, close elsewhere.
#include <math_constants.h>

#include <cfloat>
#include <cmath>

#include "check.h"

__global__ void integers(long long* o) {
  int i = 0;
  o[i++] = __clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63 && __clz(-1) == 0;
  o[i++] = __popc(0xf0f0u) == 8 && __popcll(~0ull) == 64;
  o[i++] = __ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41;
  o[i++] = __brev(1u) == 0x80000000u && __brevll(1ull) == 1ull << 63;
  o[i++] = __byte_perm(0x33221100u, 0x77665544u, 0x7531u) == 0x77553311u;
  o[i++] = __funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_r(2u, 1u, 1) == 0x80000001u;
  o[i++] = __mulhi(1 << 30, 8) == 2 && __umulhi(0x80000000u, 4u) == 2u && __umul64hi(1ull << 63, 4ull) == 2;
  o[i++] = __mul24(-3, 5) == -15 && __umul24(3u, 5u) == 15u;
  o[i++] = __sad(-3, 4, 1u) == 8u && __hadd(5, 8) == 6 && __rhadd(5, 8) == 7;
  o[i++] = __dp4a(0x01020304, 0x01010101, 5) == 15;
  o[i++] = __float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f;
  o[i++] = __double_as_longlong(1.0) == 0x3ff0000000000000ll && __hiloint2double(0x3ff00000, 0) == 1.0;
  o[i++] = max(3, 5) == 5 && min(-1, 1) == -1 && max(3u, 5u) == 5u && max(2ll, 7ll) == 7 &&
           min(1.5f, 2.5f) == 1.5f;
  o[i++] = max(1.0, 2.0f) == 2.0 && abs(-3) == 3 && abs(-2.5f) == 2.5f;
  o[i++] = __fns(0b10110u, 0, 2) == 2;
  o[i++] = __ldg(o) >= 0;
}

__global__ void conversions(long long* o, float big, float nan) {
  int i = 0;
  o[i++] = (int)big == 2147483647 && (int)-big == -2147483647 - 1 && (int)nan == 0;
  o[i++] = (unsigned)-1.0f == 0 && (unsigned)big == 4294967295u;
  o[i++] = __float2int_rn(2.5f) == 2 && __float2int_rn(3.5f) == 4 && __float2int_rz(-2.7f) == -2;
  o[i++] = __float2int_rd(-2.1f) == -3 && __float2int_ru(2.1f) == 3 && __float2uint_rn(big) == 4294967295u;
  o[i++] =
      __int2float_rn(16777217) == 16777216.0f && __double2int_rn(-0.5) == 0 && __double2float_rn(0.1) == 0.1f;
  o[i++] = __float2ll_rn(1e10f) == 10000000000ll;
}

__global__ void floats(int* o, float nan, float inf, float zero) {
  int i = 0;
  o[i++] =
      fmaxf(nan, 1.0f) == 1.0f && fminf(1.0f, nan) == 1.0f && isnan(fmaxf(nan, nan)) && fmax(2.0, 3.0) == 3.0;
  o[i++] = __float_as_int(fmaxf(-zero, zero)) == 0 && __float_as_int(fmaxf(zero, -zero)) == 0;
  o[i++] = __float_as_int(fminf(-zero, zero)) == (int)0x80000000 &&
           __float_as_int(fminf(zero, -zero)) == (int)0x80000000;
  o[i++] = max(nan, 2.0f) == 2.0f && isinf(inf) && !isfinite(inf) && signbit(-zero);
  o[i++] = __saturatef(2.0f) == 1.0f && __saturatef(-1.0f) == 0.0f && __saturatef(nan) == 0.0f;
  o[i++] = rsqrtf(4.0f) == 0.5f && isinf(rsqrtf(zero)) && isnan(rsqrtf(-1.0f)) && rsqrt(16.0) == 0.25;
  o[i++] = __fdividef(1.0f, 4.0f) == 0.25f && __fdividef(1.0f, 2e38f) == 0.0f;
  o[i++] = __fadd_rn(1.0f, 2.0f) == 3.0f && __fmul_rn(3.0f, 5.0f) == 15.0f && __fdiv_rn(1.0f, 2.0f) == 0.5f;
  o[i++] =
      __fmaf_rn(2.0f, 3.0f, 4.0f) == 10.0f && fmaf(2.0f, 3.0f, 4.0f) == 10.0f && __fsqrt_rn(9.0f) == 3.0f;
  o[i++] = fabsf(__expf(1.0f) - 2.7182818f) < 1e-5f && __expf(-inf) == 0.0f && isinf(__expf(1000.0f)) &&
           isnan(__expf(nan));
  o[i++] = fabsf(__logf(10.0f) - 2.3025851f) < 1e-5f && __log2f(8.0f) == 3.0f &&
           fabsf(__log10f(100.0f) - 2.0f) < 1e-5f;
  o[i++] = fabsf(__powf(2.0f, 0.5f) - 1.4142135f) < 1e-5f && fabsf(__sinf(1.0f) - 0.84147098f) < 1e-5f &&
           fabsf(__cosf(1.0f) - 0.54030231f) < 1e-5f && fabsf(__tanf(1.0f) - 1.5574077f) < 1e-4f;
  o[i++] = fabsf(__exp10f(2.0f) - 100.0f) < 1e-3f && exp10f(2.0f) == 100.0f && exp2f(3.0f) == 8.0f;
  o[i++] = sinpif(1.0f) == 0.0f && sinpif(0.5f) == 1.0f && cospif(1.0f) == -1.0f && cospif(0.5f) == 0.0f;
  o[i++] = fabsf(normcdff(0.0f) - 0.5f) < 1e-7f && fabsf(erfinvf(0.5f) - 0.47693628f) < 1e-6f &&
           isinf(erfinvf(1.0f));
  o[i++] =
      fabs(erfinv(0.999999) - 3.4589107372795) < 1e-10 && fabs(normcdfinv(0.975) - 1.959963984540054) < 1e-10;
  o[i++] = fabsf(erfcxf(30.0f) - 0.018795888f) < 1e-6f && fabsf(rcbrtf(8.0f) - 0.5f) < 1e-6f &&
           cbrtf(27.0f) == 3.0f;
  o[i++] = fabsf(norm3df(2, 3, 6) - 7.0f) < 1e-5f && fabsf(rhypotf(3, 4) - 0.2f) < 1e-6f;
  o[i++] = tanhf(0.0f) == 0.0f && fabsf(erff(0.5f) - 0.52049988f) < 1e-6f && lgammaf(1.0f) == 0.0f &&
           tgammaf(5.0f) == 24.0f;
  o[i++] = floorf(-1.5f) == -2.0f && rintf(2.5f) == 2.0f && roundf(2.5f) == 3.0f && truncf(-1.7f) == -1.0f &&
           ceilf(1.2f) == 2.0f;
  o[i++] = fmodf(5.5f, 2.0f) == 1.5f && copysignf(1.0f, -2.0f) == -1.0f && ldexpf(1.0f, 3) == 8.0f &&
           hypotf(3, 4) == 5.0f;
  o[i++] =
      CUDART_INF_F == inf && isnan(CUDART_NAN_F) && FLT_MAX < INFINITY && isnan(NAN) && CUDART_PI_F > 3.14f;
  o[i++] = exp(1.0f) > 2.7f && sqrt(4.0f) == 2.0f && pow(2.0f, 3) == 8.0f && log1pf(zero) == 0.0f &&
           expm1f(zero) == 0.0f;
  float s, c;
  sincosf(zero, &s, &c);
  o[i++] = s == 0.0f && c == 1.0f;
}

__global__ void vectors(int* o) {
  int i = 0;
  o[i++] = sizeof(float4) == 16 && alignof(float4) == 16 && sizeof(float3) == 12 && alignof(float3) == 4;
  o[i++] = alignof(float2) == 8 && alignof(int4) == 16 && alignof(double2) == 16 && sizeof(uchar4) == 4 &&
           alignof(uchar4) == 4;
  float4 v = make_float4(1, 2, 3, 4);
  float* p = reinterpret_cast<float*>(&v);
  o[i++] = p[2] == 3 && v.w == 4 && make_int2(1, 2).y == 2 && make_uint3(1, 2, 3).z == 3u;
  dim3 d(4);
  o[i++] = d.x == 4 && d.y == 1 && d.z == 1 && dim3(make_uint3(1, 2, 3)).y == 2;
  const long long a = clock64();
  o[i++] = clock64() >= a;
}

int main() {
  long long* o = device_array<long long>(32);
  integers<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  for (int i = 0; i < 16; ++i) CHECK(o[i] == 1 || (std::printf("integers %d\n", i), false));
  conversions<<<1, 1>>>(o, 1e20f, NAN);
  cudaDeviceSynchronize();
  for (int i = 0; i < 6; ++i) CHECK(o[i] == 1 || (std::printf("conversions %d\n", i), false));
  int* p = device_array<int>(32);
  floats<<<1, 1>>>(p, NAN, INFINITY, 0.0f);
  cudaDeviceSynchronize();
  for (int i = 0; i < 24; ++i) CHECK(p[i] == 1 || (std::printf("floats %d\n", i), false));
  vectors<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  for (int i = 0; i < 5; ++i) CHECK(p[i] == 1 || (std::printf("vectors %d\n", i), false));
  cudaFree(o);
  cudaFree(p);
}
