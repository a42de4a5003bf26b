#include "oracle/gdn/chunked.h"

#include <array>

namespace assay::gdn {

std::string_view name(Fault fault) {
  static constexpr std::array<std::string_view, kFaults> kNames = {
      "none",
      "ignores final gradient",
      "tail off by one",
      "no solve adjoint",
      "no whole-chunk term",
      "inclusive prefix",
      "partial chunk tail",
      "weak last link",
      "state in io",
      "beta in io",
      "one token",
      "stale tile",
      "beta late",
      "difference",
      "first order inverse",
  };
  return kNames[static_cast<std::size_t>(fault)];
}

Decays::Decays(const std::vector<double>& g, std::int64_t first, std::int64_t n, std::int64_t width,
               double reset)
    : n_(n), width_(width) {
  const auto size = static_cast<std::size_t>(n * width);
  sum_.assign(size, 0);
  segment_.assign(size, 0);
  reset_.assign(size, false);
  if (g.empty()) return;
  for (std::int64_t c = 0; c < width; ++c) {
    double sum = 0;
    int segment = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double one = g[static_cast<std::size_t>((first + i) * width + c)];
      const bool is_reset = one <= reset;
      if (is_reset) ++segment;
      if (!is_reset) sum += one;
      sum_[at(i, c)] = sum;
      segment_[at(i, c)] = segment;
      reset_[at(i, c)] = is_reset;
    }
  }
}

}  // namespace assay::gdn
