// Stands between a kernel's host code and the CUDA runtime in its plug-in (plugin.h).

#include "kernels/cuda/plugin.h"

#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

// `real(name)` is the runtime's own function; `wrapped(name)` is called in its place.
#define real(name) __real_##name
#define wrapped(name) __wrap_##name

namespace {

using assay::cuda::CallSettings;

struct Failure {
  cudaError_t code;
  std::string where;  // kernel, or function of the runtime
  bool is_launch;
  bool read;  // the host code asked for it later
};

struct State {
  CallSettings settings;
  bool active = false;
  bool own_streams = false;  // that do not wait for the default one
  std::vector<Failure> failures;
  bool reset = false;
  std::vector<cudaStream_t> work;              // streams with work that nobody waited for
  std::map<cudaEvent_t, cudaStream_t> events;  // recorded in this call
  std::map<void*, std::size_t> allocations;    // made in this call, not freed
};
State& state() {
  static auto* const instance = new State;  // the kernel's own destructors may still call
  return *instance;
}

void used(cudaStream_t stream) {
  auto& work = state().work;
  if (std::find(work.begin(), work.end(), stream) == work.end()) work.push_back(stream);
}

void waited_for(cudaStream_t stream) {
  auto& work = state().work;
  std::erase(work, stream);
}

// Running out of memory is the machine's fault; what ends the process is reported by it, with its cause.
bool is_of_interest(cudaError_t code) {
  const bool is_sticky = code == cudaErrorIllegalAddress || code == cudaErrorLaunchTimeout ||
                         (code >= cudaErrorContextIsDestroyed && code <= cudaErrorLaunchFailure);
  return code != cudaSuccess && code != cudaErrorMemoryAllocation && code != cudaErrorNotReady && !is_sticky;
}

cudaError_t checked(cudaError_t code, const char* where, bool is_launch = false) {
  if (!is_of_interest(code)) return code;
  auto& failures = state().failures;
  if (state().active && failures.size() < 64) failures.push_back({code, where, is_launch, false});
  return code;
}

std::string plain_name(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : mangled;
  std::free(text);
  if (const auto open = name.rfind('('); open != std::string::npos) name.resize(open);
  if (name.starts_with("void ")) name.erase(0, 5);
  return name;
}

cudaError_t launched(cudaError_t code, const void* function, cudaStream_t stream) {
  used(stream);
  if (code == cudaSuccess) return code;
  const char* name = nullptr;
  if (function == nullptr || cudaFuncGetName(&name, function) != cudaSuccess || name == nullptr)
    return checked(code, "a launch", true);
  return checked(code, plain_name(name).c_str(), true);
}

// Fresh memory holds the poison, so that reading it before it was written shows.
cudaError_t allocated(cudaError_t code, void** pointer, std::size_t bytes, const char* where) {
  if (code != cudaSuccess || bytes == 0 || *pointer == nullptr) return checked(code, where);
  if (state().active) state().allocations[*pointer] = bytes;
  return code;
}

std::string text_of(const Failure& failure) {
  std::string text = failure.where + " failed with CUDA error " + std::to_string(failure.code) + ", " +
                     cudaGetErrorString(failure.code);
  if (failure.is_launch && !failure.read) text += ", which the host code never looked at";
  return text;
}

}  // namespace

extern "C" {

cudaError_t real(__cudaLaunchKernel)(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t real(cudaLaunchKernel)(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t real(cudaLaunchKernelExC)(const cudaLaunchConfig_t*, const void*, void**);
cudaError_t real(cudaLaunchCooperativeKernel)(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t real(cudaGraphLaunch)(cudaGraphExec_t, cudaStream_t);
cudaError_t real(cudaMalloc)(void**, size_t);
cudaError_t real(cudaMallocAsync)(void**, size_t, cudaStream_t);
cudaError_t real(cudaMallocManaged)(void**, size_t, unsigned);
cudaError_t real(cudaFree)(void*);
cudaError_t real(cudaFreeAsync)(void*, cudaStream_t);
cudaError_t real(cudaMemcpy)(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t real(cudaMemcpyAsync)(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t real(cudaMemset)(void*, int, size_t);
cudaError_t real(cudaMemsetAsync)(void*, int, size_t, cudaStream_t);
cudaError_t real(cudaFuncSetAttribute)(const void*, cudaFuncAttribute, int);
cudaError_t real(cudaStreamCreateWithFlags)(cudaStream_t*, unsigned);
cudaError_t real(cudaStreamCreateWithPriority)(cudaStream_t*, unsigned, int);
cudaError_t real(cudaStreamSynchronize)(cudaStream_t);
cudaError_t real(cudaStreamWaitEvent)(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t real(cudaStreamDestroy)(cudaStream_t);
cudaError_t real(cudaEventRecord)(cudaEvent_t, cudaStream_t);
cudaError_t real(cudaEventSynchronize)(cudaEvent_t);
cudaError_t real(cudaDeviceSynchronize)();
cudaError_t real(cudaGetLastError)();
cudaError_t real(cudaPeekAtLastError)();

// The caller's work on the default stream must be done before such a stream is used.
static void made_stream_of_its_own() {
  state().own_streams = true;
  real(cudaStreamSynchronize)(nullptr);
}

cudaError_t wrapped(__cudaLaunchKernel)(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared, cudaStream_t stream) {
  return launched(real(__cudaLaunchKernel)(kernel, grid, block, arguments, shared, stream), kernel, stream);
}
cudaError_t wrapped(cudaLaunchKernel)(const void* function, dim3 grid, dim3 block, void** arguments,
                                      size_t shared, cudaStream_t stream) {
  return launched(real(cudaLaunchKernel)(function, grid, block, arguments, shared, stream), function, stream);
}
cudaError_t wrapped(cudaLaunchKernelExC)(const cudaLaunchConfig_t* config, const void* function,
                                         void** arguments) {
  return launched(real(cudaLaunchKernelExC)(config, function, arguments), function,
                  config != nullptr ? config->stream : nullptr);
}
cudaError_t wrapped(cudaLaunchCooperativeKernel)(const void* function, dim3 grid, dim3 block,
                                                 void** arguments, size_t shared, cudaStream_t stream) {
  return launched(real(cudaLaunchCooperativeKernel)(function, grid, block, arguments, shared, stream),
                  function, stream);
}
cudaError_t wrapped(cudaGraphLaunch)(cudaGraphExec_t graph, cudaStream_t stream) {
  return launched(real(cudaGraphLaunch)(graph, stream), nullptr, stream);
}

cudaError_t wrapped(cudaMalloc)(void** pointer, size_t bytes) {
  const cudaError_t code = allocated(real(cudaMalloc)(pointer, bytes), pointer, bytes, "cudaMalloc");
  if (code == cudaSuccess && bytes != 0) {
    real(cudaMemset)(*pointer, state().settings.poison, bytes);
    real(cudaStreamSynchronize)(nullptr);
  }
  return code;
}
cudaError_t wrapped(cudaMallocAsync)(void** pointer, size_t bytes, cudaStream_t stream) {
  const cudaError_t code =
      allocated(real(cudaMallocAsync)(pointer, bytes, stream), pointer, bytes, "cudaMallocAsync");
  if (code == cudaSuccess && bytes != 0)
    real(cudaMemsetAsync)(*pointer, state().settings.poison, bytes, stream);
  return code;
}
cudaError_t wrapped(cudaMallocManaged)(void** pointer, size_t bytes, unsigned flags) {
  return allocated(real(cudaMallocManaged)(pointer, bytes, flags), pointer, bytes, "cudaMallocManaged");
}
cudaError_t wrapped(cudaFree)(void* pointer) {
  state().allocations.erase(pointer);
  return checked(real(cudaFree)(pointer), "cudaFree");
}
cudaError_t wrapped(cudaFreeAsync)(void* pointer, cudaStream_t stream) {
  state().allocations.erase(pointer);
  return checked(real(cudaFreeAsync)(pointer, stream), "cudaFreeAsync");
}

cudaError_t wrapped(cudaMemcpy)(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return checked(real(cudaMemcpy)(to, from, bytes, kind), "cudaMemcpy");
}
cudaError_t wrapped(cudaMemcpyAsync)(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  used(stream);
  return checked(real(cudaMemcpyAsync)(to, from, bytes, kind, stream), "cudaMemcpyAsync");
}
cudaError_t wrapped(cudaMemset)(void* to, int value, size_t bytes) {
  used(nullptr);
  return checked(real(cudaMemset)(to, value, bytes), "cudaMemset");
}
cudaError_t wrapped(cudaMemsetAsync)(void* to, int value, size_t bytes, cudaStream_t stream) {
  used(stream);
  return checked(real(cudaMemsetAsync)(to, value, bytes, stream), "cudaMemsetAsync");
}
cudaError_t wrapped(cudaFuncSetAttribute)(const void* function, cudaFuncAttribute attribute, int value) {
  return checked(real(cudaFuncSetAttribute)(function, attribute, value), "cudaFuncSetAttribute");
}

cudaError_t wrapped(cudaStreamCreateWithFlags)(cudaStream_t* stream, unsigned flags) {
  if ((flags & cudaStreamNonBlocking) != 0) made_stream_of_its_own();
  return checked(real(cudaStreamCreateWithFlags)(stream, flags), "cudaStreamCreateWithFlags");
}
cudaError_t wrapped(cudaStreamCreateWithPriority)(cudaStream_t* stream, unsigned flags, int priority) {
  if ((flags & cudaStreamNonBlocking) != 0) made_stream_of_its_own();
  return checked(real(cudaStreamCreateWithPriority)(stream, flags, priority), "cudaStreamCreateWithPriority");
}
cudaError_t wrapped(cudaStreamSynchronize)(cudaStream_t stream) {
  waited_for(stream);
  return checked(real(cudaStreamSynchronize)(stream), "cudaStreamSynchronize");
}
cudaError_t wrapped(cudaStreamWaitEvent)(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (const auto recorded = state().events.find(event); recorded != state().events.end()) {
    waited_for(recorded->second);
    used(stream);
  }
  return checked(real(cudaStreamWaitEvent)(stream, event, flags), "cudaStreamWaitEvent");
}
cudaError_t wrapped(cudaStreamDestroy)(cudaStream_t stream) {
  return checked(real(cudaStreamDestroy)(stream), "cudaStreamDestroy");
}
cudaError_t wrapped(cudaEventRecord)(cudaEvent_t event, cudaStream_t stream) {
  state().events[event] = stream;
  return checked(real(cudaEventRecord)(event, stream), "cudaEventRecord");
}
cudaError_t wrapped(cudaEventSynchronize)(cudaEvent_t event) {
  if (const auto recorded = state().events.find(event); recorded != state().events.end())
    waited_for(recorded->second);
  return checked(real(cudaEventSynchronize)(event), "cudaEventSynchronize");
}
cudaError_t wrapped(cudaDeviceSynchronize)() {
  state().work.clear();
  return checked(real(cudaDeviceSynchronize)(), "cudaDeviceSynchronize");
}
// It would destroy what the caller has on the device, the tensors too.
cudaError_t wrapped(cudaDeviceReset)() {
  state().reset = true;
  return cudaSuccess;
}

cudaError_t wrapped(cudaGetLastError)() {
  for (Failure& failure : state().failures) failure.read = true;
  return real(cudaGetLastError)();
}
cudaError_t wrapped(cudaPeekAtLastError)() {
  for (Failure& failure : state().failures) failure.read = true;
  return real(cudaPeekAtLastError)();
}

__attribute__((visibility("default"))) bool assay_cuda_begin(const CallSettings* settings) {
  State& s = state();
  real(cudaGetLastError)();
  s.settings = *settings;
  s.failures.clear();
  s.reset = false;
  s.work.clear();
  s.events.clear();
  s.allocations.clear();
  s.active = true;
  return s.own_streams;
}

__attribute__((visibility("default"))) std::size_t assay_cuda_end(char* text, std::size_t capacity) {
  State& s = state();
  s.active = false;
  const cudaError_t last = real(cudaGetLastError)();
  if (is_of_interest(last) && s.failures.empty())
    s.failures.push_back({last, "a call of the CUDA runtime", true, false});
  std::string all;
  const auto add = [&](const std::string& kind, const std::string& what) {
    all += kind + "\x1f\x1f" + what + "\x1e";
  };
  for (const Failure& failure : s.failures) add("launch error", text_of(failure));
  if (s.reset)
    add("launch error", "cudaDeviceReset: it would destroy everything that the caller has on the device");
  if (s.settings.has_stream != 0)
    for (const cudaStream_t stream : s.work)
      if (stream != s.settings.stream)
        add("wrong stream",
            stream != nullptr && stream != cudaStreamLegacy
                ? "work was left on a stream that the caller does not know"
                : "work was left on the default stream, not on the stream that the entry point was given");
  if (!s.allocations.empty()) {
    std::size_t bytes = 0;
    for (const auto& [pointer, size] : s.allocations) bytes += size;
    add("leak", std::to_string(s.allocations.size()) + " device allocations of " + std::to_string(bytes) +
                    " bytes in all were not freed");
  }
  const std::size_t n = std::min(all.size(), capacity);
  std::memcpy(text, all.data(), n);
  return n;
}

}  // extern "C"
