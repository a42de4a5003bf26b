// control: negative
// contract: cross_entropy
// gate: ORD-02
// bind: cross_entropy(x, t, loss, rows, classes, ignore)
// fault: the rows' losses meet in a float atomicAdd
#include <cuda_runtime.h>
#include <cstdint>
#include <math.h>

__global__ void add_losses(const float* logits, const int64_t* targets, float* loss, float* count, int rows, int classes,
                           int64_t ignore) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows || targets[r] == ignore) return;
    const float* x = logits + (size_t)r * classes;
    float m = -INFINITY;
    for (int c = 0; c < classes; ++c) m = fmaxf(m, x[c]);
    float s = 0.0f;
    for (int c = 0; c < classes; ++c) s += expf(x[c] - m);
    atomicAdd(loss, logf(s) - (x[targets[r]] - m));
    atomicAdd(count, 1.0f);
}

__global__ void divide(float* loss, const float* count) { *loss = *loss / *count; }

void cross_entropy(const float* logits, const int64_t* targets, float* loss, int rows, int classes, int64_t ignore) {
    float* count;
    cudaMalloc(&count, sizeof(float));
    cudaMemset(count, 0, sizeof(float));
    cudaMemset(loss, 0, sizeof(float));
    if (rows > 0) add_losses<<<(rows + 127) / 128, 128>>>(logits, targets, loss, count, rows, classes, ignore);
    divide<<<1, 1>>>(loss, count);
    cudaDeviceSynchronize();
    cudaFree(count);
}
