#include "cli/screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/print.h"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kPlainInterval{10};
constexpr std::size_t kShownMutators = 5;

std::string ago(double seconds) {
  return seconds < 0 ? "none yet" : duration(seconds) + " ago";
}

std::string findings_of(const fuzz::Statistics& s) {
  std::string text;
  for (const auto& [state, n] : s.findings) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", n, fuzz::name(state));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string duration(double seconds) {
  const auto s = static_cast<std::int64_t>(std::max(seconds, 0.0));
  if (s >= 86400) return fmt::format("{}d {:02}h", s / 86400, s / 3600 % 24);
  if (s >= 3600) return fmt::format("{}h {:02}m", s / 3600, s / 60 % 60);
  if (s >= 60) return fmt::format("{}m {:02}s", s / 60, s % 60);
  return fmt::format("{}s", s);
}

std::string screen_of(const fuzz::Statistics& s, std::string_view title) {
  std::string text = fmt::format("{}\n", title);
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  row("run time", s.total_seconds > s.seconds + 1
                      ? fmt::format("{} ({} in all)", duration(s.seconds), duration(s.total_seconds))
                      : duration(s.seconds));
  row("executions", fmt::format("{}, {:.0f} a second; {} runs of the kernel, {} of its processes died",
                                s.executions, s.executions_per_second, s.runs, s.restarts));
  row("found", fmt::format("{}; the last {}", findings_of(s), ago(s.since_finding)));
  row("corpus",
      fmt::format("{} cases, {} features; the last new one {}", s.corpus, s.features, ago(s.since_feature)));
  row("time goes to",
      fmt::format("kernel {:.0f} %, oracle {:.0f} % ({:.1f} % of elements by MPFR), engine {:.0f} %",
                  100 * s.kernel_share, 100 * s.oracle_share, 100 * s.mpfr_share,
                  100 * std::max(0.0, 1 - s.kernel_share - s.oracle_share)));
  row("stability",
      fmt::format("{:.1f} %{}", 100 * s.stability,
                  s.undecidable > 0 ? fmt::format("; {} elements undecidable", s.undecidable) : ""));
  std::string best;
  for (std::size_t i = 0; i < std::min(kShownMutators, s.mutators.size()); ++i) {
    const auto& m = s.mutators[i];
    if (m.yielded == 0) break;
    best += fmt::format("{}{} {}/{}", best.empty() ? "" : ", ", m.mutator, m.yielded, m.tried);
  }
  if (!best.empty()) row("best", best);
  if (!s.activity.empty() || s.waiting > 0)
    row("now", fmt::format("{}{} waiting", s.activity.empty() ? "" : s.activity + ", ", s.waiting));
  row("", s.advice);
  return text;
}

std::string line_of(const fuzz::Statistics& s) {
  return fmt::format("{}: {} executions, {:.0f} a second; corpus {}, features {}; found {}; {}",
                     duration(s.seconds), s.executions, s.executions_per_second, s.corpus, s.features,
                     findings_of(s), s.advice);
}

Screen::Screen(std::string title)
    : title_(std::move(title)),
      terminal_(::isatty(STDERR_FILENO) != 0),
      last_(std::chrono::steady_clock::now()) {}

Screen::~Screen() {
  const std::lock_guard lock(mutex_);
  erase();
}

void Screen::show(const fuzz::Statistics& statistics) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_) {
    if (now - last_ < kPlainInterval) return;
    last_ = now;
    print_error("{}\n", line_of(statistics));
    return;
  }
  erase();
  const std::string text = screen_of(statistics, title_);
  lines_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  print_error("\033[?7l{}\033[?7h", text);  // long lines are cut, not wrapped: the count of lines must hold
  std::fflush(stderr);
}

void Screen::note(std::string_view line) {
  const std::lock_guard lock(mutex_);
  erase();
  print_error("{}\n", line);
}

void Screen::erase() {
  if (lines_ > 0) print_error("\033[{}A\r\033[J", lines_);
  lines_ = 0;
}

}  // namespace assay::cli
