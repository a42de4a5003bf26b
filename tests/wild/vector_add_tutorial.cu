// contract: add
//
// Tutorial 1: adding two vectors.
//   nvcc -DSTANDALONE vector_add_tutorial.cu -o vector_add && ./vector_add
#include <cuda_runtime.h>

#include <cmath>
#include <iostream>
#include <string>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_CUDA(call)                                                              \
    do {                                                                              \
        cudaError_t status_ = (call);                                                 \
        if (status_ != cudaSuccess) {                                                 \
            std::cerr << "CUDA error " << std::string(cudaGetErrorName(status_))      \
                      << " at " << __FILE__ << ":" << __LINE__ << ": "                \
                      << cudaGetErrorString(status_) << std::endl;                    \
            exit(EXIT_FAILURE);                                                       \
        }                                                                             \
    } while (0)

// Every thread adds one pair of elements.
__global__ void vectorAdd(const float *A, const float *B, float *C, int numElements)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (i < numElements)
    {
        C[i] = A[i] + B[i];
    }
}

void launchVectorAdd(const float *d_A, const float *d_B, float *d_C, int numElements)
{
    int threadsPerBlock = 256;
    int blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
    if (blocksPerGrid == 0) return;
#ifdef VERBOSE
    printf("CUDA kernel launch with %d blocks of %d threads\n", blocksPerGrid, threadsPerBlock);
#endif
    vectorAdd<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, numElements);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
}

#ifdef STANDALONE
int main(void)
{
    const int numElements = 50000;
    const size_t size = numElements * sizeof(float);
    printf("[Vector addition of %d elements]\n", numElements);

    std::vector<float> h_A(numElements), h_B(numElements), h_C(numElements);
    for (int i = 0; i < numElements; ++i)
    {
        h_A[i] = rand() / (float)RAND_MAX;
        h_B[i] = rand() / (float)RAND_MAX;
    }

    float *d_A = NULL, *d_B = NULL, *d_C = NULL;
    CHECK_CUDA(cudaMalloc((void **)&d_A, size));
    CHECK_CUDA(cudaMalloc((void **)&d_B, size));
    CHECK_CUDA(cudaMalloc((void **)&d_C, size));
    CHECK_CUDA(cudaMemcpy(d_A, h_A.data(), size, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_B, h_B.data(), size, cudaMemcpyHostToDevice));

    launchVectorAdd(d_A, d_B, d_C, numElements);
    CHECK_CUDA(cudaMemcpy(h_C.data(), d_C, size, cudaMemcpyDeviceToHost));

    for (int i = 0; i < numElements; ++i)
    {
        if (fabs(h_A[i] + h_B[i] - h_C[i]) > 1e-5)
        {
            fprintf(stderr, "Result verification failed at element %d!\n", i);
            exit(EXIT_FAILURE);
        }
    }
    printf("Test PASSED\n");

    CHECK_CUDA(cudaFree(d_A));
    CHECK_CUDA(cudaFree(d_B));
    CHECK_CUDA(cudaFree(d_C));
    return 0;
}
#endif
