// contract: cumsum_exclusive --where "cols <= 512"
// Work-efficient scan (up-sweep, down-sweep) with padding against bank conflicts.
#include <cuda_runtime.h>

#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
#define N_MAX 512

__global__ void prescan(float *g_odata, const float *g_idata, int n)
{
    __shared__ float temp[N_MAX + CONFLICT_FREE_OFFSET(N_MAX)];
    const size_t base = (size_t)blockIdx.x * n;
    int thid = threadIdx.x;
    int offset = 1;

    int ai = thid, bi = thid + (N_MAX / 2);
    int bankOffsetA = CONFLICT_FREE_OFFSET(ai);
    int bankOffsetB = CONFLICT_FREE_OFFSET(bi);
    temp[ai + bankOffsetA] = ai < n ? g_idata[base + ai] : 0.0f;
    temp[bi + bankOffsetB] = bi < n ? g_idata[base + bi] : 0.0f;

    for (int d = N_MAX >> 1; d > 0; d >>= 1)
    {
        __syncthreads();
        if (thid < d)
        {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            ai += CONFLICT_FREE_OFFSET(ai);
            bi += CONFLICT_FREE_OFFSET(bi);
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0)
        temp[N_MAX - 1 + CONFLICT_FREE_OFFSET(N_MAX - 1)] = 0;
    for (int d = 1; d < N_MAX; d *= 2)
    {
        offset >>= 1;
        __syncthreads();
        if (thid < d)
        {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            ai += CONFLICT_FREE_OFFSET(ai);
            bi += CONFLICT_FREE_OFFSET(bi);
            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    if (ai < n) g_odata[base + ai] = temp[ai + bankOffsetA];
    if (bi < n) g_odata[base + bi] = temp[bi + bankOffsetB];
}

extern "C" void prefix_sum_exclusive(const float *idata, float *odata, int rows, int cols)
{
    if (rows > 0 && cols > 0)
        prescan<<<rows, N_MAX / 2>>>(odata, idata, cols);
}
