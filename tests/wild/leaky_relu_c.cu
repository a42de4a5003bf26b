// contract: leaky_relu
/* Plain C interface: destination first, count as size_t. */
#include <cuda_runtime.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

__global__ void k_leaky_relu(float *dst, const float *src, size_t count, float negative_slope)
{
	size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		dst[i] = src[i] > 0.f ? src[i] : src[i] * negative_slope;
}

int leaky_relu_forward(float *dst, const float *src, size_t count, float negative_slope)
{
	const size_t nthr = 256;
	size_t nblk = (count + nthr - 1) / nthr;
	if (nblk == 0)
		return 0;
	k_leaky_relu<<<(unsigned int) nblk, (unsigned int) nthr>>>(dst, src, count, negative_slope);
	return cudaPeekAtLastError() == cudaSuccess ? 0 : -1;
}

#ifdef __cplusplus
}
#endif
