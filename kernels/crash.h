#pragma once

// Why a kernel's process died, in words: from its wait status, the note that it left in the shared memory,
// the sanitizers' report, and what it printed.

#include <string>
#include <vector>

#include "kernels/keeper.h"
#include "kernels/kernel.h"

namespace assay {

struct CrashScene {
  const Kernel* kernel;
  Build build;
  std::filesystem::path plugin;
  std::vector<std::uint64_t> bytes;  // of each tensor, inputs then outputs
};

struct CrashReport {
  RunResult::Status status = RunResult::Status::crashed;
  std::vector<Diagnostic> diagnostics;
  std::string detail;
};
CrashReport explain(const Death& death, Keeper& keeper, const CrashScene& scene,
                    std::chrono::milliseconds deadline);

// The findings of the runtime that are in the shared memory, `bytes` of text.
std::vector<Diagnostic> read_findings(Keeper& keeper, std::uint32_t bytes);

}  // namespace assay
