#include "memory.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "race.h"

namespace assay::cpu {
namespace {

struct Allocation {
  std::size_t bytes;
  cudaMemoryType type;
  std::uint64_t call;
};
// Never destroyed: a plug-in's static destructors may still free memory.
auto& allocations = *new std::map<const void*, Allocation>;
auto& registered = *new std::map<const void*, std::size_t>;  // by cudaHostRegister
std::uint64_t call_number = 0;
std::size_t in_use = 0;

cudaError_t allocate(void** pointer, std::size_t bytes, cudaMemoryType type, const char* api) {
  if (!pointer) return fail(cudaErrorInvalidValue, api);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  void* memory = nullptr;
  if (bytes > device_memory_bytes - in_use || posix_memalign(&memory, 256, bytes) != 0)
    return fail(cudaErrorMemoryAllocation, api);
  std::memset(memory, call.settings.poison, bytes);
  allocations[memory] = {bytes, type, call_number};
  race::allocated(memory, bytes, type != cudaMemoryTypeDevice);
  in_use += bytes;
  *pointer = memory;
  return cudaSuccess;
}

cudaError_t release(void* pointer, const char* api) {
  if (!pointer) return cudaSuccess;
  const auto found = allocations.find(pointer);
  if (found == allocations.end()) {
    add_finding("use after free",
                std::string(api) + " of a pointer that no allocation returned, or that was freed before", {});
    return fail(cudaErrorInvalidValue, api);
  }
  in_use -= found->second.bytes;
  race::written(pointer, found->second.bytes);  // nobody misses what was not
  allocations.erase(found);
  std::free(pointer);
  return cudaSuccess;
}

bool within(const void* pointer, const void* begin, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer), from = reinterpret_cast<std::uintptr_t>(begin);
  return at >= from && at < from + bytes;
}

// Memory that a GPU cannot reach. Static variables may be __device__ ones, so they pass.
bool is_pageable(const void* pointer) {
  for (std::size_t k = 0; k < call.settings.tensor_count; ++k)
    if (within(pointer, call.settings.tensors[k].begin, call.settings.tensors[k].bytes + 1)) return false;
  if (allocation_at(pointer).begin) return false;
  for (const auto& [begin, bytes] : registered)
    if (within(pointer, begin, bytes)) return false;
  Dl_info info;
  return dladdr(pointer, &info) == 0;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, const char* api) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return fail(cudaErrorInvalidMemcpyDirection, api);
  if (bytes == 0) return cudaSuccess;
  if (!to || !from) return fail(cudaErrorInvalidValue, api);
  // As the driver has it: a side that is said to be the device's must be in its reach. The other one may be
  // anything, whatever is said of it.
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if ((to_device && is_pageable(to)) || (from_device && is_pageable(from)))
    return fail(cudaErrorInvalidValue, api);
  const DeviceMemoryInUse use;
  std::memmove(to, from, bytes);
  race::written(to, bytes);
  return cudaSuccess;
}

}  // namespace

MemoryRange allocation_at(const void* address) {
  const auto above = allocations.upper_bound(address);
  if (above == allocations.begin()) return {};
  const auto& [begin, allocation] = *std::prev(above);
  return within(address, begin, allocation.bytes) ? MemoryRange{begin, allocation.bytes} : MemoryRange{};
}

std::vector<MemoryRange> all_allocations() {
  std::vector<MemoryRange> all;
  for (const auto& [begin, allocation] : allocations) all.push_back({begin, allocation.bytes});
  return all;
}

void begin_allocations() {
  ++call_number;
}

void end_allocations(CallReport& report) {
  for (const auto& [pointer, allocation] : allocations) {
    if (allocation.call != call_number) continue;
    ++report.leaked_allocations;
    report.leaked_bytes += allocation.bytes;
  }
}

cudaError_t copy_to_symbol(const void* symbol, std::size_t size, const void* from, std::size_t bytes,
                           std::size_t offset) {
  if (offset > size || bytes > size - offset) return fail(cudaErrorInvalidValue, "cudaMemcpyToSymbol");
  return copy(static_cast<char*>(const_cast<void*>(symbol)) + offset, from, bytes, cudaMemcpyDefault,
              "cudaMemcpyToSymbol");
}
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t bytes,
                             std::size_t offset) {
  if (offset > size || bytes > size - offset) return fail(cudaErrorInvalidValue, "cudaMemcpyFromSymbol");
  return copy(to, static_cast<const char*>(symbol) + offset, bytes, cudaMemcpyDefault,
              "cudaMemcpyFromSymbol");
}

}  // namespace assay::cpu

using namespace assay::cpu;

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, cudaMemoryTypeDevice, "cudaMalloc");
}
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  used_stream(stream);
  return allocate(pointer, bytes, cudaMemoryTypeDevice, "cudaMallocAsync");
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes, cudaMemoryTypeManaged, "cudaMallocManaged");
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes, cudaMemoryTypeHost, "cudaMallocHost");
}
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes, cudaMemoryTypeHost, "cudaHostAlloc");
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(pointer, *pitch * height, cudaMemoryTypeDevice, "cudaMallocPitch");
}
cudaError_t cudaFree(void* pointer) {
  return release(pointer, "cudaFree");
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) {
  return release(pointer, "cudaFreeAsync");
}
cudaError_t cudaFreeHost(void* pointer) {
  return release(pointer, "cudaFreeHost");
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = device_memory_bytes;
  *free = device_memory_bytes - in_use;
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
  registered[pointer] = bytes;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* pointer) {
  registered.erase(pointer);
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const auto found = allocations.find(pointer);
  *attributes = {};
  if (found != allocations.end()) {
    attributes->type = found->second.type;
    attributes->devicePointer = attributes->hostPointer = const_cast<void*>(pointer);
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy(to, from, bytes, kind, "cudaMemcpy");
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  used_stream(stream);
  return copy(to, from, bytes, kind, "cudaMemcpyAsync");
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return fail(cudaErrorInvalidPitchValue, "cudaMemcpy2D");
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        copy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
             width, kind, "cudaMemcpy2D");
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  used_stream(stream);
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (!to || is_pageable(to)) return fail(cudaErrorInvalidValue, "cudaMemset");
  const DeviceMemoryInUse use;
  std::memset(to, value, bytes);
  race::written(to, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  used_stream(stream);
  return cudaMemset(to, value, bytes);
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  if (width > pitch) return fail(cudaErrorInvalidPitchValue, "cudaMemset2D");
  if (!to || is_pageable(to)) return fail(cudaErrorInvalidValue, "cudaMemset2D");
  const DeviceMemoryInUse use;
  for (size_t row = 0; row < height; ++row) {
    std::memset(static_cast<char*>(to) + row * pitch, value, width);
    race::written(static_cast<char*>(to) + row * pitch, width);
  }
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) {
  return cudaSuccess;
}
