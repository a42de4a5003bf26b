#include "order.h"

#include <algorithm>
#include <numeric>

namespace assay::cpu {
namespace {

class Random {  // splitmix64
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

void shuffle(std::uint16_t* first, int count, Random& random) {
  for (int i = count - 1; i > 0; --i) std::swap(first[i], first[random.below(i + 1)]);
}

}  // namespace

void ThreadOrder::set(int count, std::uint32_t schedule, std::uint64_t launch) {
  if (schedule < 2 && schedule == schedule_ && count == count_) return;
  schedule_ = schedule;
  count_ = count;
  ascending = schedule == 0;
  std::iota(thread, thread + count, 0);
  if (schedule == 1) {
    std::reverse(thread, thread + count);
  } else if (schedule > 1) {
    Random random(schedule * 0x10001ull + launch);
    if (schedule & 1) {
      std::uint16_t warps[32];
      const int warp_count = (count + 31) / 32;
      std::iota(warps, warps + warp_count, 0);
      shuffle(warps, warp_count, random);
      int at = 0;
      for (int w = 0; w < warp_count; ++w) {
        const int lanes = std::min(32, count - warps[w] * 32);
        std::iota(thread + at, thread + at + lanes, static_cast<std::uint16_t>(warps[w] * 32));
        shuffle(thread + at, lanes, random);
        at += lanes;
      }
    } else {
      shuffle(thread, count, random);
    }
  }
  for (int r = 0; r < count; ++r) rank[thread[r]] = static_cast<std::uint16_t>(r);
}

BlockOrder::BlockOrder(dim3 grid, int threads, const Settings& settings, std::uint64_t launch)
    : grid_(grid), count_(std::uint64_t{grid.x} * grid.y * grid.z), descending_(settings.schedule == 1) {
  if (settings.sample_blocks && count_ > 16) {
    sampling_ = true;
    const std::uint64_t past = (std::uint64_t{1} << 31) / threads;
    // The blocks of a small grid stride over everything: of them few can run in the time and memory there is.
    const std::uint64_t room = std::max<std::uint64_t>(count_ / 512, 1);
    const std::uint64_t wanted[] = {count_ - 1,     0,          count_ / 2,     past, past - 1,   past + 1,
                                    count_ / 2 + 1, count_ / 4, count_ / 4 * 3, 1,    count_ - 2, 2,
                                    count_ - 3};
    for (std::uint64_t block : wanted)
      if (block < count_ && static_cast<std::uint64_t>(sampled_) < room) sample_[sampled_++] = block;
    std::sort(sample_, sample_ + sampled_);
    sampled_ = static_cast<int>(std::unique(sample_, sample_ + sampled_) - sample_);
  } else if (settings.schedule > 1 && count_ > 1) {
    Random random(settings.schedule * 0x20003ull + launch);
    first_ = random.below(count_);
    do step_ = 1 + random.below(count_ - 1);
    while (std::gcd(step_, count_) != 1);
  }
}

std::uint64_t BlockOrder::block_at(std::uint64_t i) const {
  if (descending_) i = (sampling_ ? sampled_ : count_) - 1 - i;
  if (sampling_) return sample_[i];
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(step_) * i + first_) % count_);
}

bool BlockOrder::next(uint3* block) {
  if (at_ == (sampling_ ? static_cast<std::uint64_t>(sampled_) : count_)) return false;
  const std::uint64_t b = block_at(at_++);
  *block = {static_cast<unsigned>(b % grid_.x), static_cast<unsigned>(b / grid_.x % grid_.y),
            static_cast<unsigned>(b / (std::uint64_t{grid_.x} * grid_.y))};
  return true;
}

}  // namespace assay::cpu
