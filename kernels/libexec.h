#pragma once

// Where the programs and headers lie that Assay runs and compiles against: $ASSAY_LIBEXEC, else beside the
// running program, else ../libexec/assay from it, else where they were built.

#include <filesystem>

#include "core/error.h"
#include "kernels/kernel.h"

namespace assay {

std::string_view name_of(Build build);  // "fast"

Expected<std::filesystem::path> worker_program(Executor executor, Build build);
Expected<std::filesystem::path> cuda_program(const std::filesystem::path& name);  // of the CUDA executor
Expected<std::filesystem::path> cpu_compiler();                // assay-c++, which builds programs for the CPU
Expected<std::filesystem::path> runtime_archive(Build build);  // of CUDA on the CPU, for those
Expected<std::filesystem::path> include_folder();              // of the CUDA headers for the CPU

}  // namespace assay
