#pragma once

// Findings on disk: where they go, and how they come back.

#include <filesystem>
#include <string>

#include "core/reproducer.h"
#include "core/verdict.h"
#include "properties/target.h"

namespace assay {

// `path` as seen from `folder`; absolute where the two share nothing but the root.
std::filesystem::path path_seen_from(const std::filesystem::path& folder, const std::filesystem::path& path);

// What a case file in `folder` says of a finding.
Reproducer reproducer_of(const std::filesystem::path& folder, const Target& target, const Gate& gate,
                         const std::string& signature, const Verdict& verdict, const Case& test);

// FOLDER/<kernel>-<gate>-<hash of the case>.case, written whole; the kernel's and the contract's paths in it
// are relative to the folder where both have a common root.
Expected<std::filesystem::path> save_case(const std::filesystem::path& folder, const Target& target,
                                          const Gate& gate, const std::string& signature,
                                          const Verdict& verdict, const Case& test);

// A saved finding, with its paths resolved from where the file lies.
struct SavedCase {
  Reproducer reproducer;
  Plan plan;
  const Gate* gate = nullptr;
};
struct LoadOptions {
  std::string kernel, bind;  // instead of the file's own
  bool sandbox = true;
  Executor executor = Executor::cpu;  // as in TargetOptions
  std::string gpu_arch, sanitizer;
};
Expected<SavedCase> load_case(const std::filesystem::path& file, const LoadOptions& options);

}  // namespace assay
