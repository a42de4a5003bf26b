#pragma once

// What frontend.h promises, one function for each construct. Each adds its edits to the text.

#include <string_view>

#include "core/error.h"
#include "kernels/cpu/text.h"

namespace assay::cpu {

// kernel<<<...>>>(...), and the cast in cudaLaunchKernel((void*)kernel, ...). `path` is for messages.
Expected<void> rewrite_launches(Text& text, std::string_view path);
// extern __shared__ and static __shared__; how much a function declares is checked.
void rewrite_shared_memory(Text& text);
// __launch_bounds__ is checked at each launch.
void rewrite_launch_bounds(Text& text);
// asm("..."): known instructions become calls, others are refused.
void rewrite_inline_ptx(Text& text);
// Loops over something volatile let other threads run.
void rewrite_spins(Text& text);

}  // namespace assay::cpu
