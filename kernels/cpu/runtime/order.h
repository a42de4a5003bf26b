#pragma once

// In which order the blocks of a grid run, and which rank its threads have, by the schedule.

#include <cstdint>

#include "state.h"

namespace assay::cpu {

struct ThreadOrder {
  std::uint16_t thread[1024];  // by rank
  std::uint16_t rank[1024];    // by thread
  bool ascending = false;

  void set(int count, std::uint32_t schedule, std::uint64_t launch);

 private:
  int count_ = 0;
  std::uint32_t schedule_ = 0;
};

class BlockOrder {
 public:
  BlockOrder() = default;
  BlockOrder(dim3 grid, int threads, const Settings& settings, std::uint64_t launch);
  bool next(uint3* block);
  bool leaves_out() const { return sampling_; }

 private:
  std::uint64_t block_at(std::uint64_t i) const;

  dim3 grid_;
  std::uint64_t count_ = 0, at_ = 0, step_ = 1, first_ = 0;
  bool descending_ = false;
  std::uint64_t sample_[16] = {};
  int sampled_ = 0;
  bool sampling_ = false;
};

}  // namespace assay::cpu
