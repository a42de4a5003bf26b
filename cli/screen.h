#pragma once

// What a campaign shows while it runs, on stderr. On a terminal: one screen that answers whether it is
// healthy, whether it still finds something, and whether it may be stopped. Elsewhere: a line now and then.

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "fuzz/campaign.h"

namespace assay::cli {

// The lines of the screen, without any control characters.
std::string screen_of(const fuzz::Statistics& statistics, std::string_view title);
std::string line_of(const fuzz::Statistics& statistics);

// "1h 02m", "3m 05s", "12s"
std::string duration(double seconds);

class Screen {
 public:
  explicit Screen(std::string title);
  ~Screen();

  void show(const fuzz::Statistics& statistics);
  void note(std::string_view line);  // stays

 private:
  void erase();

  const std::string title_;
  std::mutex mutex_;
  const bool terminal_;
  std::size_t lines_ = 0;  // that are drawn
  std::chrono::steady_clock::time_point last_;
};

}  // namespace assay::cli
