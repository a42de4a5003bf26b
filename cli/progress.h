#pragma once

// What a long check tells while it runs, on stderr: one live line on a terminal, else a line every few
// seconds.

#include <chrono>
#include <mutex>
#include <string_view>

#include "properties/check.h"

namespace assay::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();

  void show(const Progress& progress);
  void note(std::string_view line);      // a line that stays
  void activity(std::string_view what);  // what cannot be counted in cases
  void clear();

 private:
  void erase();
  bool due();  // without a terminal: a line now and then

  std::mutex mutex_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace assay::cli
