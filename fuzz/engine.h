#pragma once

// The process that runs libFuzzer (engine/main.cpp, program assay-fuzz-engine), and what it shares with the
// campaign that started it.
//
// LLVMFuzzerRunDriver never returns, so the engine is a process of its own: the campaign starts one for each
// job, reads its numbers from shared memory, takes what it found from the inbox, and starts it again when it
// ends. The engine never holds a kernel: that runs in worker processes of its own. It never stops at a
// finding. libFuzzer's own -jobs, -fork and -merge are not used.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "fuzz/features.h"
#include "properties/target.h"

namespace assay::fuzz {

// What the engine is told, as JSON in a file that its only argument names.
struct EngineOptions {
  TargetOptions target;          // is planned and built again there: the build comes from the cache
  std::filesystem::path corpus;  // of the kernel: read at the start, reloaded every second, written to
  std::filesystem::path inbox;   // where it puts what it found: see finding.h
  std::uint64_t seed = 1;
  std::int64_t runs = -1;  // executions; -1: without end
  Families families;
  std::vector<std::string> raw;  // more flags for libFuzzer
};
std::string to_json(const EngineOptions& options);
Expected<EngineOptions> engine_options(std::string_view json);

// Shared memory, one a job; the engine writes, the campaign reads. All counts since the engine's start.
constexpr std::size_t kMostMutators = 32;
struct EngineNumbers {
  std::atomic<std::uint64_t> executions, outside;  // outside: not in the domain, nothing ran
  std::atomic<std::uint64_t> runs, restarts;       // of the kernel; of its workers
  std::atomic<std::uint64_t> kernel_ns, oracle_ns, total_ns;
  std::atomic<std::uint64_t> corpus, findings;  // entries; reported, with repetitions
  std::atomic<std::uint64_t> elements, by_mpfr, undecidable;
  std::atomic<std::int64_t> last_feature;  // milliseconds of the steady clock
  std::array<std::atomic<std::uint64_t>, kFamilies> features;
  std::array<std::atomic<std::uint64_t>, kMostMutators> tried,
      yielded;  // new features that a mutator's child had
};

}  // namespace assay::fuzz
