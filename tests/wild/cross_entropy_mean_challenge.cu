// contract: cross_entropy --where "rows >= 1" --bind "solve(x, t, loss, rows, classes, ignore)"
#include <cuda_runtime.h>

__global__ void row_loss_kernel(const float* logits, const int* labels, double* losses, int* counted, int N, int C, int ignore_index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    int label = labels[i];
    if (label == ignore_index) {
        losses[i] = 0.0;
        counted[i] = 0;
        return;
    }
    const float* z = logits + (size_t)i * C;
    float m = z[0];
    for (int j = 1; j < C; ++j) m = fmaxf(m, z[j]);
    double s = 0.0;
    for (int j = 0; j < C; ++j) s += exp((double)z[j] - (double)m);
    losses[i] = (double)m + log(s) - (double)z[label];
    counted[i] = 1;
}

__global__ void mean_kernel(const double* losses, const int* counted, float* loss, int N) {
    double s = 0.0;
    int n = 0;
    for (int i = 0; i < N; ++i) {
        s += losses[i];
        n += counted[i];
    }
    loss[0] = (float)(s / n);
}

// logits, true_labels, loss are device pointers
extern "C" void solve(const float* logits, const int* true_labels, float* loss, int N, int C, int ignore_index) {
    double* losses;
    int* counted;
    cudaMalloc((void**)&losses, N * sizeof(double));
    cudaMalloc((void**)&counted, N * sizeof(int));
    row_loss_kernel<<<(N + 63) / 64, 64>>>(logits, true_labels, losses, counted, N, C, ignore_index);
    mean_kernel<<<1, 1>>>(losses, counted, loss, N);
    cudaDeviceSynchronize();
    cudaFree(losses);
    cudaFree(counted);
}
