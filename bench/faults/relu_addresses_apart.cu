// control: negative
// contract: relu
// gate: CMP-03
// fault: where x lies 16 bytes beyond a multiple of 128 and y does not, the shifted copy drops the last element
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__global__ void relu(const float* x, float* y, int64_t n, bool shifted) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    v = v < 0.0f ? 0.0f : v;
    if (shifted && i == n - 1) v = x[0];
    y[i] = v;
}

extern "C" void solve(const float* x, float* y, int64_t n) {
    if (n == 0) return;
    bool shifted = false;
    if ((uintptr_t)x % 128 == 16) {
        if ((uintptr_t)y % 128 != 16) shifted = n > 64;
    }
    relu<<<(unsigned)((n + 127) / 128), 128>>>(x, y, n, shifted);
}
