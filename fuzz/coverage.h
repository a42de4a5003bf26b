#pragma once

// Which lines of a kernel's own file the cases of a corpus reach.
//
// The kernel is built for the CPU with clang's source-based coverage, as a program that makes the calls one
// after another (fuzz/call.h); a call that crashes or hangs counts up to there, and the next ones go on in a
// fresh process. llvm-profdata-19 and llvm-cov-19 read what came of it. Nothing is judged.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "properties/target.h"

namespace assay::fuzz {

struct CoveredLine {
  std::string text;
  std::optional<std::uint64_t> hits;  // by threads of all calls; nothing: the line has no code
};

struct Coverage {
  std::vector<CoveredLine> lines;  // of the kernel's file; line 1 is the first
  std::int64_t cases = 0;          // called
  std::int64_t unfinished = 0;     // of them, those that crashed or hung
  std::int64_t skipped = 0;        // outside of the domain or too large

  std::int64_t with_code() const;
  std::int64_t reached() const;
  std::vector<int> never() const;  // numbers of lines, from 1
};
Expected<Coverage> line_coverage(const Target& target, std::span<const Case> cases);

}  // namespace assay::fuzz
