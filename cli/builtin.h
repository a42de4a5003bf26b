#pragma once

// `builtin:NAME` as a kernel: one that comes with Assay, a right control or a kernel of kernels/gdn.

#include <string>
#include <string_view>

#include "properties/target.h"

namespace assay::cli {

inline constexpr std::string_view kBuiltin = "builtin:";

// The kernel's file, and its contract and flags as the head of the file states them; a file that states none
// keeps the contract of its own name. An unknown name lists the nearest.
Expected<TargetOptions> find_builtin(std::string_view name);

}  // namespace assay::cli
