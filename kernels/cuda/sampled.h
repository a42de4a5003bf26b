#pragma once

// Which pages of a huge output come back from a GPU: both ends, some between, and those around the 2^31st
// element, where an index of 32 bits overflows. Ascending, each once.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace assay::cuda {

constexpr std::uint64_t kSampledPage = 4096;

inline std::vector<std::uint64_t> sampled_pages(std::uint64_t bytes) {
  constexpr std::uint64_t kSpread = 12;
  const std::uint64_t pages = (bytes + kSampledPage - 1) / kSampledPage;
  std::vector<std::uint64_t> chosen;
  if (pages == 0) return chosen;
  for (std::uint64_t i = 0; i <= kSpread; ++i) chosen.push_back((pages - 1) * i / kSpread);
  for (const std::uint64_t element : {1, 2, 4, 8}) {  // bytes of one
    const std::uint64_t page = (element << 31) / kSampledPage;
    for (const std::uint64_t p : {page - 1, page})
      if (p < pages) chosen.push_back(p);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace assay::cuda
