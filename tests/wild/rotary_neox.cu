// contract: rotary --bind "apply_rotary(y, x, co, si, heads, t, half)"
#include <cuda_runtime.h>
#include <cstdint>

template <bool IS_NEOX>
static inline __device__ void apply_pair(float* out, const float* in, const float* cos_ptr, const float* sin_ptr,
                                         int64_t rot, int64_t embed_dim) {
    int64_t xi, yi;
    if (IS_NEOX) {
        xi = rot;
        yi = embed_dim + rot;
    } else {
        xi = 2 * rot;
        yi = 2 * rot + 1;
    }
    const float c = __ldg(cos_ptr + rot), s = __ldg(sin_ptr + rot);
    const float x = in[xi], y = in[yi];
    out[xi] = x * c - y * s;
    out[yi] = y * c + x * s;
}

__global__ void rotary_embedding_kernel(float* out, const float* in, const float* cos_cache, const float* sin_cache,
                                        int64_t positions, int64_t embed_dim) {
    const int64_t token = blockIdx.x;  // head * positions + position
    const int64_t pos = token % positions;
    for (int64_t i = threadIdx.x; i < embed_dim; i += blockDim.x)
        apply_pair<true>(out + token * 2 * embed_dim, in + token * 2 * embed_dim, cos_cache + pos * embed_dim,
                         sin_cache + pos * embed_dim, i, embed_dim);
}

void apply_rotary(float* out, const float* in, const float* cos_cache, const float* sin_cache, int64_t heads,
                  int64_t positions, int64_t half_dim) {
    if (heads * positions == 0 || half_dim == 0) return;
    rotary_embedding_kernel<<<heads * positions, 64>>>(out, in, cos_cache, sin_cache, positions, half_dim);
}
