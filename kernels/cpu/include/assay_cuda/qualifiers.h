#pragma once

// CUDA's qualifiers as C++.
//
// Shared memory is static, as blocks run one after the other. Its section has dots in its name because
// AddressSanitizer puts no red zones into sections whose name is a C identifier. Kernels have internal
// linkage because it puts none round the statics of a template otherwise; the statics themselves must not
// have it, as clang then gives all of one name, in whatever functions, one address.

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define ASSAY_CPU 1

#define __global__ __attribute__((internal_linkage))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
// Shared memory begins at a boundary on a GPU, so that matrix fragments, which want 32 bytes, fit in an array
// of floats.
#define __shared__ static __attribute__((section(".assay.shared"), aligned(32)))
#define __restrict__ __restrict
#define CUDART_CB
#define CUDARTAPI
