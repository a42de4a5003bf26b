#pragma once

// The process that runs libFuzzer (engine/main.cpp, program assay-fuzz-engine), and what it shares with the
// campaign that started it.
//
// LLVMFuzzerRunDriver never returns, so the engine is a process of its own: the campaign starts one for each
// job, reads its numbers from shared memory, takes what it found from the inbox, and starts it again when it
// ends. The engine never holds a kernel: that runs in worker processes of its own. It never stops at a
// finding. libFuzzer's own corpus folder is not used, as it writes files in place: the engine writes entries
// whole, and hands libFuzzer those of other engines through the mutator. Nor are its -jobs, -fork and -merge.

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "fuzz/features.h"
#include "kernels/process.h"
#include "properties/target.h"

namespace assay::fuzz {

// What the engine is told, as JSON in a file that its only argument names.
struct EngineOptions {
  TargetOptions target;          // is planned and built again there: the build comes from the cache
  std::filesystem::path corpus;  // of the kernel: read at the start and every second, written to
  std::filesystem::path inbox;   // where it puts what it found: see finding.h
  std::uint64_t seed = 1;
  std::int64_t runs = -1;  // executions; -1: without end
  Families families;
  bool seeded = true;            // begins with cases that the gates draw where the corpus is empty
  std::vector<std::string> raw;  // more flags for libFuzzer
};
std::string to_json(const EngineOptions& options);
Expected<EngineOptions> engine_options(std::string_view json, std::string_view file);

// Shared memory, one a job; the engine writes, the campaign reads. All counts since the engine's start.
constexpr std::size_t kMostMutators = 32;
struct EngineNumbers {
  std::atomic<std::uint64_t> executions, outside;  // outside: nothing ran, the case is not affordable
  std::atomic<std::uint64_t> runs, restarts;       // of the kernel; of its workers, as far as they died
  std::atomic<std::uint64_t> kernel_ns, oracle_ns, total_ns;
  std::atomic<std::uint64_t> entries;   // new ones of the corpus
  std::atomic<std::uint64_t> findings;  // with repetitions
  // The first finding's execution, from 1, and the time to it; 0: none yet.
  std::atomic<std::uint64_t> first_finding, first_finding_ns;
  std::atomic<std::uint64_t> elements, by_mpfr, undecidable;
  std::atomic<std::uint64_t> checked, stable;  // entries run twice; of them, those with the same features
  std::atomic<std::int64_t> last_feature;      // milliseconds of the steady clock; 0: none that is new
  std::array<std::atomic<std::uint64_t>, kFamilies> features;
  // Children that a mutator had a part in, and those of them with a new feature.
  std::array<std::atomic<std::uint64_t>, kMostMutators> tried, yielded;
};
constexpr int kNumbersFd = 3;  // in the engine

// The memory of one engine's numbers.
class Numbers {
 public:
  static Expected<Numbers> create();      // zeros
  static Expected<Numbers> open(int fd);  // of the engine
  Numbers(Numbers&& other) noexcept;
  Numbers& operator=(Numbers&& other) noexcept;
  ~Numbers();

  EngineNumbers& operator*() const { return *numbers_; }
  EngineNumbers* operator->() const { return numbers_; }
  int fd() const { return fd_.get(); }

 private:
  Numbers() = default;
  Fd fd_;
  EngineNumbers* numbers_ = nullptr;
};

// Cases to begin with: what the gates draw for the subject, the boundaries of extents and the special values
// among it.
std::vector<Case> seeds(const Menu& menu, std::uint64_t seed);

// $ASSAY_LIBEXEC, beside the running program, ../libexec/assay, or where it was built.
Expected<std::filesystem::path> engine_program();

}  // namespace assay::fuzz
