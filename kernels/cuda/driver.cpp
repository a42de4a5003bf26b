#include "kernels/cuda/driver.h"

#include <dlfcn.h>

namespace assay::cuda {
namespace {

// The header renames functions to the versions that it declares.
#define ASSAY_TEXT(x) #x
#define ASSAY_SYMBOL(x) ASSAY_TEXT(x)

Driver load() {
  Driver d;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  for (const char* path : {"/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"})
    if (library == nullptr) library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    d.problem = "no CUDA driver: libcuda.so.1 is not found (it comes with the NVIDIA driver)";
    return d;
  }
#define ASSAY_DRIVER_LOAD(name)                                                        \
  d.name = reinterpret_cast<decltype(d.name)>(dlsym(library, ASSAY_SYMBOL(cu##name))); \
  if (d.name == nullptr) d.problem = "the CUDA driver is too old: it has no " ASSAY_SYMBOL(cu##name);
  ASSAY_DRIVER_FUNCTIONS(ASSAY_DRIVER_LOAD)
#undef ASSAY_DRIVER_LOAD
  if (!d.problem.empty()) return d;
  int count = 0;
  if (const CUresult code = d.Init(0); code != CUDA_SUCCESS) {
    d.problem = "no CUDA device: cuInit answers " + d.text(code);
  } else if (d.DeviceGetCount(&count) != CUDA_SUCCESS || count == 0) {
    d.problem = "no CUDA device: the driver is there, but it sees none";
  }
  return d;
}

}  // namespace

std::string Driver::text(CUresult code) const {
  const char* name = nullptr;
  const char* words = nullptr;
  if (GetErrorName(code, &name) != CUDA_SUCCESS || name == nullptr)
    return "CUDA error " + std::to_string(static_cast<int>(code));
  GetErrorString(code, &words);
  return words != nullptr ? std::string(name) + ", " + words : name;
}

const Driver& driver() {
  static const Driver instance = load();
  return instance;
}

}  // namespace assay::cuda
