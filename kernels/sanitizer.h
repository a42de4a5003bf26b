#pragma once

// What AddressSanitizer and UndefinedBehaviorSanitizer printed, as diagnostics.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"

namespace assay {

// Names the place in the kernel's source, "FILE:LINE", of an offset in the plug-in; empty where unknown.
using Symbolizer = std::function<std::string(std::uint64_t offset)>;
// Says where an address is in terms of tensors, "4 bytes past the end of input x"; empty where it is not.
using TensorNamer = std::function<std::string(std::uint64_t address)>;

// `plugin` is the file name by which frames of the kernel are known.
std::vector<Diagnostic> parse_sanitizer_report(std::string_view report, std::string_view plugin,
                                               const Symbolizer& symbolizer, const TensorNamer& tensor);

// Runs llvm-symbolizer.
std::string symbolize(const std::filesystem::path& plugin, std::uint64_t offset, bool sandboxed);

// The same, but of what was inlined there the innermost that is in no header of the CUDA headers for the CPU.
std::string symbolize_user(const std::filesystem::path& plugin, std::uint64_t offset, bool sandboxed);

}  // namespace assay
