// The host API: errors, streams, events, devices, and the limits of a launch.

#include <algorithm>
#include <cctype>
#include <ctime>
#include <set>
#include <string>
#include <vector>

#include "limits.h"
#include "memory.h"
#include "state.h"

struct CUstream_st {
  unsigned flags = 0;
};
struct CUevent_st {
  bool recorded = false, timed = true;
  cudaStream_t stream = nullptr;
  double milliseconds = 0;
};

namespace assay::cpu {
namespace {

cudaError_t last_error = cudaSuccess;
[[clang::no_destroy]] std::set<const void*> streams, events;

// Work that nobody waited for, by stream.
struct Work {
  cudaStream_t stream;
  std::string location;
};
[[clang::no_destroy]] std::vector<Work> work;

struct SharedOptIn {
  std::string name;
  const void* function;
  std::size_t bytes;
};
[[clang::no_destroy]] std::vector<SharedOptIn> opt_ins;

bool known(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         stream == call.settings.stream || streams.count(stream);
}

void waited_for(cudaStream_t stream) {
  std::erase_if(work, [&](const Work& w) { return w.stream == stream; });
}

// "softmax<float>" and "ns::softmax" are the kernel softmax; so is "(const void*)softmax<float>, ...".
std::string base_name(std::string text) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (const auto comma = text.find(", cudaFuncAttribute"); comma != std::string::npos) text.resize(comma);
  while (true) {  // leading casts
    while (!text.empty() && (text[0] == ' ' || text[0] == '&')) text.erase(0, 1);
    if (text.starts_with("(")) {
      const auto close = text.find(')');
      if (close == std::string::npos) break;
      if (close + 1 >= text.size()) {
        text = text.substr(1, close - 1);
        break;
      }
      text.erase(0, close + 1);
    } else if (const auto open = text.find(">("); text.find("_cast<") < open && open != std::string::npos) {
      text = text.substr(open + 2);
    } else {
      break;
    }
  }
  if (const auto angle = text.find('<'); angle != std::string::npos) text.resize(angle);
  while (!text.empty() && !is_word(text.back())) text.pop_back();
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

double now_milliseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

}  // namespace

cudaError_t fail(cudaError_t error, const char* where, std::string location) {
  const bool launch = !location.empty();
  last_error = error;
  if (call.report.errors.size() < 64)
    call.report.errors.push_back({error, where, std::move(location), !launch});
  return error;
}

void used_stream(cudaStream_t stream) {
  used_stream(stream, {});
}
void used_stream(cudaStream_t stream, std::string location) {
  for (const Work& w : work)
    if (w.stream == stream) return;
  work.push_back({stream, std::move(location)});
}

cudaError_t set_shared_limit(const char* text, const void* function, int attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) > kSharedLimit)
    return fail(cudaErrorInvalidValue, "cudaFuncSetAttribute");
  opt_ins.push_back({base_name(text), function, static_cast<std::size_t>(value)});
  return cudaSuccess;
}

cudaError_t check_limits(const Shape& shape) {
  const dim3 grid = shape.grid, block = shape.block;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > kThreadsPerBlock || block.x > 1024 || block.y > 1024 || block.z > 64)
    return cudaErrorInvalidConfiguration;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (!known(static_cast<cudaStream_t>(shape.stream))) return cudaErrorInvalidResourceHandle;
  if (shape.shared_bytes > kSharedLimit) return cudaErrorInvalidValue;
  if (shape.cooperative && std::uint64_t{grid.x} * grid.y * grid.z > 1) return cudaErrorNotSupported;
  if (shape.shared_bytes > kSharedDefault) {
    const std::string name = base_name(shape.kernel);
    for (const SharedOptIn& opt_in : opt_ins)
      if (opt_in.bytes >= shape.shared_bytes && (opt_in.name == name || opt_in.function == shape.function))
        return cudaSuccess;
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t occupancy(int* blocks, int block_size, std::size_t shared) {
  if (block_size <= 0 || block_size > 1024)
    return fail(cudaErrorInvalidValue, "cudaOccupancyMaxActiveBlocks");
  const int warps = (block_size + 31) / 32;
  int fit = 64 / warps;
  if (shared) fit = std::min<int>(fit, static_cast<int>((228 << 10) / (shared + 1024)));
  *blocks = std::min(fit, 32);
  return cudaSuccess;
}

cudaError_t function_attributes(cudaFuncAttributes* attributes, const void* function) {
  *attributes = {};
  attributes->maxThreadsPerBlock = kThreadsPerBlock;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = kSharedDefault;
  for (const SharedOptIn& opt_in : opt_ins)
    if (opt_in.function == function) attributes->maxDynamicSharedSizeBytes = static_cast<int>(opt_in.bytes);
  return cudaSuccess;
}

void begin_call(const Settings& settings) {
  call = {};
  call.settings = settings;
  last_error = cudaSuccess;
  work.clear();
  begin_allocations();
}

CallReport end_call() {
  end_allocations(call.report);
  if (call.settings.has_stream)
    for (const Work& w : work)
      if (w.stream != call.settings.stream)
        add_finding(
            "wrong stream",
            w.stream
                ? "work was left on a stream that the caller does not know"
                : "work was left on the default stream, not on the stream that the entry point was given",
            w.location);
  return std::move(call.report);
}

}  // namespace assay::cpu

using namespace assay::cpu;

cudaError_t cudaGetLastError() {
  for (LaunchError& error : call.report.errors) error.read = true;
  return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  for (LaunchError& error : call.report.errors) error.read = true;
  return last_error;
}

// --- streams and events: everything has run when it is asked for ---------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = new CUstream_st{flags};
  streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!streams.erase(stream)) return fail(cudaErrorInvalidResourceHandle, "cudaStreamDestroy");
  waited_for(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (!known(stream)) return fail(cudaErrorInvalidResourceHandle, "cudaStreamSynchronize");
  waited_for(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!known(stream) || !events.count(event))
    return fail(cudaErrorInvalidResourceHandle, "cudaStreamWaitEvent");
  if (event->recorded) {
    waited_for(event->stream);
    used_stream(stream);
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = new CUevent_st;
  (*event)->timed = !(flags & cudaEventDisableTiming);
  events.insert(*event);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!events.erase(event)) return fail(cudaErrorInvalidResourceHandle, "cudaEventDestroy");
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!events.count(event) || !known(stream)) return fail(cudaErrorInvalidResourceHandle, "cudaEventRecord");
  event->recorded = true;
  event->stream = stream;
  event->milliseconds = now_milliseconds();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!events.count(event)) return fail(cudaErrorInvalidResourceHandle, "cudaEventSynchronize");
  if (event->recorded) waited_for(event->stream);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cudaEventSynchronize(event);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!events.count(start) || !events.count(end) || !start->recorded || !end->recorded || !start->timed ||
      !end->timed)
    return fail(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime");
  *milliseconds = static_cast<float>(end->milliseconds - start->milliseconds);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  work.clear();
  return cudaSuccess;
}
cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}

// --- the device ----------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice, "cudaSetDevice");
}
cudaError_t cudaDeviceReset() {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return fail(cudaErrorInvalidDevice, "cudaGetDeviceProperties");
  *p = {};
  std::strcpy(p->name, "Assay CPU (compute capability 9.0)");
  p->totalGlobalMem = device_memory_bytes;
  p->sharedMemPerBlock = kSharedDefault;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->memPitch = 0x7fffffff;
  p->maxThreadsPerBlock = kThreadsPerBlock;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = 9;
  p->multiProcessorCount = kMultiprocessors;
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory =
      p->cooperativeLaunch = 1;
  p->asyncEngineCount = 3;
  p->memoryBusWidth = 5120;
  p->l2CacheSize = 50 << 20;
  p->maxThreadsPerMultiProcessor = 2048;
  p->maxBlocksPerMultiProcessor = 32;
  p->sharedMemPerMultiprocessor = 228 << 10;
  p->sharedMemPerBlockOptin = kSharedLimit;
  p->reservedSharedMemPerBlock = 1024;
  p->clockRate = 1980000;
  p->memoryClockRate = 2619000;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return fail(cudaErrorInvalidDevice, "cudaDeviceGetAttribute");
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = kThreadsPerBlock;
      break;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      *value = 1024;
      break;
    case cudaDevAttrMaxBlockDimZ:
      *value = 64;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = 0x7fffffff;
      break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      *value = 65535;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = kSharedDefault;
      break;
    case cudaDevAttrTotalConstantMemory:
      *value = 65536;
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = 65536;
      break;
    case cudaDevAttrClockRate:
      *value = 1980000;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = kMultiprocessors;
      break;
    case cudaDevAttrL2CacheSize:
      *value = 50 << 20;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = 2048;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = 0;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = 228 << 10;
      break;
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = kSharedLimit;
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = 32;
      break;
    default:
      return fail(cudaErrorInvalidValue, "cudaDeviceGetAttribute");
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitStackSize ? 1024 : limit == cudaLimitPrintfFifoSize ? 1 << 20 : 8 << 20;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version);
}
