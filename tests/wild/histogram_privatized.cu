// contract: histogram --where "bins <= 4096"
#include <cuda_runtime.h>

// Private counts in shared memory, merged by atomics: integers, so that the order does not matter.
__global__ void histogram_kernel(const int* input, unsigned long long* histogram, int N, int num_bins) {
    extern __shared__ unsigned int local_hist[];
    for (int b = threadIdx.x; b < num_bins; b += blockDim.x) local_hist[b] = 0u;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) atomicAdd(&local_hist[input[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < num_bins; b += blockDim.x)
        if (local_hist[b]) atomicAdd(&histogram[b], (unsigned long long)local_hist[b]);
}

extern "C" void solve(const int* input, long long* histogram, int N, int num_bins) {
    cudaMemset(histogram, 0, num_bins * sizeof(long long));
    if (N == 0) return;
    int blocks = (N + 255) / 256;
    blocks = blocks > 8 ? 8 : blocks;
    histogram_kernel<<<blocks, 256, num_bins * sizeof(unsigned int)>>>(input, (unsigned long long*)histogram, N, num_bins);
}
