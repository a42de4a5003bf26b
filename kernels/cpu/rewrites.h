#pragma once

// What frontend.h promises, one function for each construct. Each adds its edits to the text.

#include <string_view>

#include "core/error.h"
#include "kernels/cpu/text.h"

namespace assay::cpu {

// kernel<<<...>>>(...), and the cast in cudaLaunchKernel((void*)kernel, ...). `path` is for messages.
Expected<void> rewrite_launches(Text& text, std::string_view path);
// extern __shared__ and static __shared__.
void rewrite_shared_memory(Text& text);

}  // namespace assay::cpu
