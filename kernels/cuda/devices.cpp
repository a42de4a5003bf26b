// `assay-cuda-devices`: a line for each CUDA device, "NAME<tab>sm_90"; without one, why not, and exit code 1.
//
// A program of its own, since the driver stays in a process that has once asked for it.

#include <cstdio>

#include "kernels/cuda/driver.h"

int main() {
  const auto& d = assay::cuda::driver();
  if (!d.problem.empty()) {
    std::printf("%s\n", d.problem.c_str());
    return 1;
  }
  int count = 0;
  d.DeviceGetCount(&count);
  for (int i = 0; i < count; ++i) {
    CUdevice device{};
    char name[256] = {};
    int major = 0, minor = 0;
    if (d.DeviceGet(&device, i) != CUDA_SUCCESS) continue;
    d.DeviceGetName(name, sizeof name, device);
    d.DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    d.DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    std::printf("%s\tsm_%d%d\n", name, major, minor);
  }
  return 0;
}
