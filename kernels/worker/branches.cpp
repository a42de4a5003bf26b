#include "kernels/worker/branches.h"

#include <algorithm>
#include <cstring>

namespace assay {
namespace {

// Of the one plug-in that a process holds.
bool* g_flags = nullptr;
std::size_t g_count = 0;

}  // namespace

void clear_branches() {
  if (g_count > 0) std::memset(g_flags, 0, g_count);
}

void save_branches(protocol::Header& header) {
  const std::size_t n = std::min(g_count, protocol::kMostBranches);
  if (n > 0) std::memcpy(header.taken, g_flags, n);
  header.branches = static_cast<std::uint32_t>(n);
}

}  // namespace assay

// Called by the plug-in as it is loaded; the name is the compiler's.
extern "C" __attribute__((visibility("default"))) void __sanitizer_cov_bool_flag_init(bool* begin,
                                                                                      bool* end) {
  assay::g_flags = begin;
  assay::g_count = static_cast<std::size_t>(end - begin);
}
