#pragma once

// What a CUDA plug-in says to the process that loaded it, beside its entry points.
//
// A plug-in carries its own CUDA runtime, linked statically, so that it needs no toolkit where it runs.
// plugin.cpp is linked into it, and calls of the runtime that the kernel's source makes go through there
// (ld --wrap): a launch that failed is seen also where the host code never looked, and so is memory that it
// keeps, and work that it leaves on a stream of its own.

#include <cstddef>
#include <cstdint>

namespace assay::cuda {

struct CallSettings {
  unsigned char poison = 0;     // of memory that the call allocates
  std::uint8_t has_stream = 0;  // the entry takes a stream: work left on another is reported
  void* stream = nullptr;
};

// The functions of a plug-in, by name. True where the kernel has made streams that do not wait for the
// default one: what is on the device must have ended before the call.
using BeginCall = bool (*)(const CallSettings* settings);
// What went wrong since then, as protocol::Reply::findings; the bytes of it.
using EndCall = std::size_t (*)(char* text, std::size_t capacity);

constexpr const char* kBeginCall = "assay_cuda_begin";
constexpr const char* kEndCall = "assay_cuda_end";

// Functions of the CUDA runtime that plugin.cpp stands in for.
constexpr const char* kWrapped[] = {
    "__cudaLaunchKernel",
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaLaunchCooperativeKernel",
    "cudaGraphLaunch",
    "cudaMalloc",
    "cudaMallocAsync",
    "cudaMallocManaged",
    "cudaFree",
    "cudaFreeAsync",
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemset",
    "cudaMemsetAsync",
    "cudaFuncSetAttribute",
    "cudaStreamCreateWithFlags",
    "cudaStreamCreateWithPriority",
    "cudaStreamSynchronize",
    "cudaStreamWaitEvent",
    "cudaStreamDestroy",
    "cudaEventRecord",
    "cudaEventSynchronize",
    "cudaDeviceSynchronize",
    "cudaDeviceReset",
    "cudaGetLastError",
    "cudaPeekAtLastError",
};

}  // namespace assay::cuda
