// contract: matmul --where "m * n <= 2147483647, m * k <= 2147483647, k * n <= 2147483647, m <= 1048560"
#include <cuda_runtime.h>
#include <cassert>
#include <cstdio>

#define TILE_WIDTH 16

__global__ void MatrixMulKernel(float* M, float* N, float* P, int Height, int Inner, int Width)
{
	__shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
	__shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

	int bx = blockIdx.x; int by = blockIdx.y;
	int tx = threadIdx.x; int ty = threadIdx.y;

	// row and column of the element of P to work on
	int Row = by * TILE_WIDTH + ty;
	int Col = bx * TILE_WIDTH + tx;

	float Pvalue = 0;
	for (int ph = 0; ph < (Inner + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {
		Mds[ty][tx] = (Row < Height && ph * TILE_WIDTH + tx < Inner) ? M[Row * Inner + ph * TILE_WIDTH + tx] : 0.0f;
		Nds[ty][tx] = (ph * TILE_WIDTH + ty < Inner && Col < Width) ? N[(ph * TILE_WIDTH + ty) * Width + Col] : 0.0f;
		__syncthreads();

		for (int k = 0; k < TILE_WIDTH; ++k)
			Pvalue += Mds[ty][k] * Nds[k][tx];
		__syncthreads();
	}
	if (Row < Height && Col < Width)
		P[Row * Width + Col] = Pvalue;
	//printf("%d %d %f\n", Row, Col, Pvalue);
}

void matrixMul(float* A, float* B, float* C, int M, int N, int K)
{
	assert(M >= 0 && N >= 0 && K >= 0);
	dim3 dimBlock(TILE_WIDTH, TILE_WIDTH, 1);
	dim3 dimGrid((N + TILE_WIDTH - 1) / TILE_WIDTH, (M + TILE_WIDTH - 1) / TILE_WIDTH, 1);
	if (dimGrid.x == 0 || dimGrid.y == 0) return;
	MatrixMulKernel<<<dimGrid, dimBlock>>>(A, B, C, M, K, N);
#ifdef DEBUG
	cudaDeviceSynchronize();
	printf("launched %u x %u blocks\n", dimGrid.x, dimGrid.y);
#endif
}
