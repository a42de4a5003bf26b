// contract: clamp
#include <cuda_runtime.h>

#define IDX	(blockIdx.x * (size_t)blockDim.x + threadIdx.x)

__device__ inline float clampf(float v, float lo, float hi)
{
	if (v < lo) v = lo;	// a NaN passes both comparisons
	if (v > hi) v = hi;
	return v;
}

__global__ void clamp_kernel(const float* in, float* out, \
                             size_t n, float lo, float hi)
{
	const size_t i = IDX;
	if (i < n)
		out[i] = clampf(in[i], lo, hi);
}

void clamp(const float* in, float* out, size_t n, float low, float high)
{
	if (n == 0) return;
	clamp_kernel <<< (unsigned)((n + 127) / 128), 128 >>> (in, out, n, low, high);
}
