// control: positive
// contract: argmax
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <climits>
#include <cmath>

__device__ __forceinline__ float as_float(float v) { return v; }
__device__ __forceinline__ float as_float(__half v) { return __half2float(v); }

struct Best {
    float value;
    int64_t index;
};

__device__ __forceinline__ Best take(Best a, Best b) {
    const bool a_nan = isnan(a.value), b_nan = isnan(b.value);
    bool take_b;
    if (a_nan || b_nan) take_b = b_nan && (!a_nan || b.index < a.index);
    else take_b = b.value > a.value || (b.value == a.value && b.index < a.index);
    return take_b ? b : a;
}

template <typename T>
__global__ void argmax_rows(const T* __restrict__ x, int64_t* __restrict__ y, int64_t rows, int64_t cols) {
    const int lane = threadIdx.x % 32;
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    Best best{-INFINITY, INT64_MAX};  // loses to every element of the row, -Inf too
    for (int64_t j = lane; j < cols; j += 32) best = take(best, Best{as_float(x[row * cols + j]), j});
    for (int o = 16; o > 0; o /= 2) {
        Best other;
        other.value = __shfl_xor_sync(0xffffffffu, best.value, o);
        other.index = __shfl_xor_sync(0xffffffffu, best.index, o);
        best = take(best, other);
    }
    if (lane == 0) y[row] = best.index;
}

void argmax(const float* x, int64_t* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) argmax_rows<<<(unsigned)((rows + 7) / 8), 256>>>(x, y, rows, cols);
}
void argmax(const __half* x, int64_t* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) argmax_rows<<<(unsigned)((rows + 7) / 8), 256>>>(x, y, rows, cols);
}
