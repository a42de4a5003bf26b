#pragma once

// The CUDA driver, found when the program runs: what is built with it also starts where there is none.

#include <cuda.h>

#include <string>

namespace assay::cuda {

// The functions in use, under their names of the API less the prefix.
#define ASSAY_DRIVER_FUNCTIONS(F) \
  F(Init)                         \
  F(GetErrorName)                 \
  F(GetErrorString)               \
  F(DeviceGet)                    \
  F(DeviceGetCount)               \
  F(DeviceGetName)                \
  F(DeviceGetAttribute)           \
  F(DevicePrimaryCtxRetain)       \
  F(DevicePrimaryCtxSetFlags)     \
  F(CtxSetCurrent)                \
  F(CtxSynchronize)               \
  F(StreamCreate)                 \
  F(StreamSynchronize)            \
  F(ModuleLoadData)               \
  F(ModuleGetFunction)            \
  F(FuncSetAttribute)             \
  F(LaunchKernel)                 \
  F(MemHostAlloc)                 \
  F(MemHostRegister)              \
  F(MemHostUnregister)            \
  F(MemHostGetDevicePointer)      \
  F(MemAddressReserve)            \
  F(MemAddressFree)               \
  F(MemCreate)                    \
  F(MemRelease)                   \
  F(MemMap)                       \
  F(MemUnmap)                     \
  F(MemSetAccess)                 \
  F(MemGetAllocationGranularity)  \
  F(MemAlloc)                     \
  F(MemFree)                      \
  F(MemsetD8)                     \
  F(MemcpyHtoD)                   \
  F(MemcpyDtoH)

struct Driver {
#define ASSAY_DRIVER_MEMBER(name) decltype(&::cu##name) name = nullptr;
  ASSAY_DRIVER_FUNCTIONS(ASSAY_DRIVER_MEMBER)
#undef ASSAY_DRIVER_MEMBER

  std::string problem;                    // why there is none; empty where there is
  std::string text(CUresult code) const;  // "CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access was ..."
};

// Loaded and initialised on first use; this process may not fork and go on using it.
const Driver& driver();

}  // namespace assay::cuda
