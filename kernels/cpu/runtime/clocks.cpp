#ifdef ASSAY_RACE

#include "clocks.h"

#include <algorithm>
#include <bit>

namespace assay::cpu {

void learn(Knowledge& knowledge, const Knowledge& other, std::uint32_t block) {
  for (const Known& known : other) {
    if (known.block_only && known.block != block) continue;
    const auto same = std::find_if(knowledge.begin(), knowledge.end(), [&](const Known& k) {
      return k.block == known.block && k.warp == known.warp && k.block_only == known.block_only;
    });
    if (same == knowledge.end()) {
      knowledge.push_back(known);
      continue;
    }
    same->epoch = std::max(same->epoch, known.epoch);
    for (int i = 0; i < 32; ++i) same->lanes[i] = std::max(same->lanes[i], known.lanes[i]);
  }
}

void Clocks::begin(std::uint32_t block, int threads) {
  block_ = block;
  epoch_ = latest_ = 1;
  lanes_.assign(static_cast<std::size_t>(threads), {});
  for (int t = 0; t < threads; ++t) lanes_[t][t & 31] = 1;
  if (of_nobody_) return;
  acquired_.clear();
  fenced_.clear();
  acquired_by_.clear();
  fenced_by_.clear();
  of_nobody_ = true;
  of_threads_ = false;
}

void Clocks::barrier() {
  epoch_ = ++latest_;
  for (std::size_t t = 0; t < lanes_.size(); ++t) lanes_[t][t & 31] = epoch_;
  if (!of_threads_) return;
  for (Knowledge& k : acquired_by_) {
    learn(acquired_, k, block_);
    k.clear();
  }
  for (Knowledge& k : fenced_by_) {
    learn(fenced_, k, block_);
    k.clear();
  }
  of_threads_ = false;
}

void Clocks::warp(int warp, std::uint32_t lanes) {
  std::array<std::uint32_t, 32> joined{};
  for (std::uint32_t left = lanes; left; left &= left - 1) {
    const auto& of_lane = lanes_[warp * 32 + std::countr_zero(left)];
    for (int i = 0; i < 32; ++i) joined[i] = std::max(joined[i], of_lane[i]);
  }
  for (std::uint32_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    lanes_[warp * 32 + lane] = joined;
    latest_ = std::max(latest_, ++lanes_[warp * 32 + lane][lane]);
  }
  if (!of_threads_) return;
  for (std::vector<Knowledge>* each : {&acquired_by_, &fenced_by_}) {
    Knowledge all;
    for (std::uint32_t left = lanes; left; left &= left - 1)
      learn(all, (*each)[warp * 32 + std::countr_zero(left)], block_);
    if (all.empty()) continue;
    for (std::uint32_t left = lanes; left; left &= left - 1)
      (*each)[warp * 32 + std::countr_zero(left)] = all;
  }
}

void Clocks::fence(int thread, bool block_only) {
  if (acquired_by_.empty()) {
    acquired_by_.resize(lanes_.size());
    fenced_by_.resize(lanes_.size());
  }
  of_nobody_ = false;
  of_threads_ = true;
  Knowledge covered = {{block_, epoch_, static_cast<std::uint16_t>(thread >> 5), block_only, lanes_[thread]}};
  if (!block_only) {
    learn(covered, acquired_, block_);
    learn(covered, acquired_by_[thread], block_);
  }
  learn(fenced_by_[thread], covered, block_);
  latest_ = std::max(latest_, ++lanes_[thread][thread & 31]);  // what comes now is not covered
}

void Clocks::release(int thread, Knowledge& place) {
  if (of_nobody_) return;
  learn(place, fenced_, block_);
  learn(place, fenced_by_[thread], block_);
}

void Clocks::acquire(int thread, const Knowledge& place) {
  if (acquired_by_.empty()) {
    acquired_by_.resize(lanes_.size());
    fenced_by_.resize(lanes_.size());
  }
  of_nobody_ = false;
  of_threads_ = true;
  learn(acquired_by_[thread], place, block_);
}

bool Clocks::learned(int thread, const Stamp& stamp) const {
  const auto covers = [&](const Knowledge& knowledge) {
    return std::any_of(knowledge.begin(), knowledge.end(), [&](const Known& k) {
      if (k.block != stamp.block) return false;
      return stamp.clock < k.epoch ||
             (k.warp == stamp.thread >> 5 && stamp.clock <= k.lanes[stamp.thread & 31]);
    });
  };
  return covers(acquired_) || covers(acquired_by_[thread]);
}

}  // namespace assay::cpu

#endif
