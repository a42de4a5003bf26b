#pragma once

// Kernels for a GPU: the user's source as it stands, with the adapter, compiled by nvcc to one plug-in.

#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"

namespace assay::cuda {

// As assay::build, for Executor::cuda; Kernel::fast and Kernel::checked are the same plug-in.
Expected<Kernel> build(const KernelSource& source, const Signature& signature, std::vector<Binding> bindings,
                       const BuildOptions& options);

struct Device {
  std::string name;
  std::string arch;  // "sm_90"
};
// The GPUs of this machine, asked for in a process of its own, once; the error says what is missing.
Expected<std::vector<Device>> devices();
Expected<std::vector<Device>> parse_devices(std::string_view lines);

// nvcc's complaint as the user should see it: at the user's file, without the lines that speak of the
// adapter.
std::string diagnostics(std::string_view output, const std::filesystem::path& absolute,
                        const std::filesystem::path& shown);

}  // namespace assay::cuda
