#pragma once

// The plug-ins of a kernel that `build` (kernels/kernel.h) has prepared.

#include <filesystem>

#include "core/error.h"
#include "kernels/kernel.h"

namespace assay {

// That of one build. Build::race is compiled when it is asked for first, as most runs of Assay need it seldom
// or never.
Expected<std::filesystem::path> plugin_of(const Kernel& kernel, Build build);

}  // namespace assay
