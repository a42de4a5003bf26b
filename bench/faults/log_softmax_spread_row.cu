// control: negative
// contract: log_softmax
// gate: ORD-01
// fault: in rows in descending order whose values span more than 64, the smallest value is left as it was
#include <cuda_runtime.h>
#include <math.h>

__global__ void log_softmax_rows(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float* q = y + (size_t)row * cols;
    float m = -INFINITY, s = 0.0f;
    for (int j = 0; j < cols; ++j) m = isnan(p[j]) || isnan(m) ? NAN : fmaxf(m, p[j]);
    for (int j = 0; j < cols; ++j) s += expf(p[j] - m);
    float log_sum = logf(s);
    int last = cols;
    if (cols > 4 && p[0] - p[cols - 1] > 64.0f && p[0] - p[cols - 1] < INFINITY) {
        bool descending = true;
        for (int j = 1; j < cols; ++j) descending = descending && p[j] <= p[j - 1];
        if (descending) --last;  // nothing but underflow is left
    }
    for (int j = 0; j < cols; ++j) q[j] = j < last ? (p[j] - m) - log_sum : p[j];
}

extern "C" void solve(const float* x, float* y, int rows, int cols) {
    if (rows > 0) log_softmax_rows<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
}
