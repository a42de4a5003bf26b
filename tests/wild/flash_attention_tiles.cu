// contract: sdpa --where "b * h <= 4, lq <= 40, lk <= 40, d <= 64, causal == 0" --bind "flash_attention(q, k, v, o, b, h, lq, lk, d)"
// Tiles of keys and values in shared memory, softmax on the fly: no matrix of scores.
#include <cuda_runtime.h>

#include <cfloat>

#define Br 16
#define Bc 16
#define MAX_D 64

__global__ void flash_fwd(const float* Q, const float* K, const float* V, float* O, int Nq, int Nk, int d, float scale) {
    extern __shared__ float sram[];
    float* Kj = sram;
    float* Vj = sram + Bc * d;
    const int head = blockIdx.x;
    const int q = blockIdx.y * Br + threadIdx.x;
    const float* qi = Q + ((size_t)head * Nq + q) * d;
    K += (size_t)head * Nk * d;
    V += (size_t)head * Nk * d;

    float acc[MAX_D];
    for (int x = 0; x < d; ++x) acc[x] = 0.f;
    float m = -INFINITY, l = 0.f;

    for (int j = 0; j < Nk; j += Bc) {
        const int here = min(Bc, Nk - j);
        for (int t = threadIdx.x; t < here * d; t += Br) {
            Kj[t] = K[(size_t)j * d + t];
            Vj[t] = V[(size_t)j * d + t];
        }
        __syncthreads();
        if (q < Nq) {
            float s[Bc];
            float row_m = -INFINITY;
            for (int y = 0; y < here; ++y) {
                float sum = 0.f;
                for (int x = 0; x < d; ++x) sum += qi[x] * Kj[y * d + x];
                s[y] = sum * scale;
                row_m = fmaxf(row_m, s[y]);
            }
            const float m_new = fmaxf(m, row_m);
            // with all scores -inf so far there is nothing to rescale, and the shift must be finite
            const float shift = m_new == -INFINITY ? 0.f : m_new;
            const float rescale = m == -INFINITY ? 0.f : expf(m - shift);
            l *= rescale;
            for (int x = 0; x < d; ++x) acc[x] *= rescale;
            for (int y = 0; y < here; ++y) {
                const float p = expf(s[y] - shift);
                l += p;
                for (int x = 0; x < d; ++x) acc[x] += p * Vj[y * d + x];
            }
            m = m_new;
        }
        __syncthreads();
    }
    if (q < Nq)
        for (int x = 0; x < d; ++x) O[((size_t)head * Nq + q) * d + x] = acc[x] / l;
}

void flash_attention(const float* q, const float* k, const float* v, float* o, int batch, int heads, int Nq, int Nk, int d) {
    if (batch * heads == 0 || Nq == 0) return;
    const dim3 grid(batch * heads, (Nq + Br - 1) / Br);
    const size_t sram = 2 * Bc * d * sizeof(float);
    flash_fwd<<<grid, Br, sram>>>(q, k, v, o, Nq, Nk, d, 1.0f / sqrtf((float)d));
}
