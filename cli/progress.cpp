#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/print.h"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kPlainInterval{5};

}  // namespace

ProgressLine::ProgressLine()
    : terminal_(::isatty(STDERR_FILENO) != 0), last_(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  if (!terminal_ && !due()) return;
  std::string line = progress.gate != nullptr ? fmt::format("{} {}: ", progress.gate->id, progress.activity)
                                              : fmt::format("{}: ", progress.activity);
  line += progress.total > 0 ? fmt::format("{} of {} cases", progress.cases, progress.total)
                             : fmt::format("{} cases", progress.cases);
  line += fmt::format(", {:.0f} cases/s, {} finding{}", progress.cases_per_second, progress.findings,
                      progress.findings == 1 ? "" : "s");
  if (terminal_) {
    print_error("\r\033[K{}", line);
    std::fflush(stderr);
    drawn_ = true;
  } else {
    print_error("{}\n", line);
  }
}

void ProgressLine::note(std::string_view line) {
  const std::lock_guard lock(mutex_);
  erase();
  print_error("{}\n", line);
}

void ProgressLine::activity(std::string_view what) {
  const std::lock_guard lock(mutex_);
  if (!terminal_ && !due()) return;
  if (!terminal_) {
    print_error("{}\n", what);
    return;
  }
  print_error("\r\033[K{}", what);
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  erase();
}

bool ProgressLine::due() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kPlainInterval) return false;
  last_ = now;
  return true;
}

void ProgressLine::erase() {
  if (drawn_) print_error("\r\033[K");
  drawn_ = false;
}

}  // namespace assay::cli
