#pragma once

// compute-sanitizer around a worker, and what it prints, as diagnostics.

#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"

namespace assay::cuda {

// The command line that runs `arguments` under one of its tools; the error says where it was looked for.
Expected<std::vector<std::string>> inside_sanitizer(const std::string& tool,
                                                    std::vector<std::string> arguments);

// One diagnostic for each distinct (kind, place): "out of bounds" and "misaligned" of memcheck, "race" of
// racecheck, "barrier in divergent code" of synccheck. Warnings and errors of the API are left out.
std::vector<Diagnostic> parse_tool_report(std::string_view text);

}  // namespace assay::cuda
