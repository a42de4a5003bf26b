#pragma once

// What is ordered before what, as far as CUDA promises it.
//
// Each thread counts how often it has shared what it did with others (its clock). It knows of the other lanes
// of its warp up to which clock it has heard of them: the lanes of a warp operation tell each other all that
// they know. At a barrier of the block all clocks are set to one number beyond all of them (the epoch), so
// that what has a smaller one was before. Beyond the block, and between warps without a barrier, a thread
// learns of others by the pattern
//
//   write; __threadfence(); atomic or volatile write   ->   atomic or volatile read of the same place; read
//
// What a fence covers is a Knowledge; the place keeps the union of what was released there.
//
// Law: an access is ordered before the thread's next one iff `knows(thread, stamp)`.

#include <array>
#include <cstdint>
#include <vector>

namespace assay::cpu {

// When and by whom.
struct Stamp {
  std::uint32_t block;  // a number that no other block has, nor this one after a barrier of the grid
  std::uint32_t clock;
  std::uint16_t thread;
};

// Of `block`: what it did before the barrier of this epoch, and what the lanes of `warp` did up to these
// clocks.
struct Known {
  std::uint32_t block, epoch;
  std::uint16_t warp;
  bool block_only;  // learned by a fence of the block: worth nothing to others
  std::array<std::uint32_t, 32> lanes;
};
using Knowledge = std::vector<Known>;

// Takes in what is of use to a thread of `block`.
void learn(Knowledge& knowledge, const Knowledge& other, std::uint32_t block);

class Clocks {
 public:
  // A block begins. Its threads know nothing.
  void begin(std::uint32_t block, int threads);

  Stamp stamp(int thread) const {
    return {block_, lanes_[thread][thread & 31], static_cast<std::uint16_t>(thread)};
  }
  bool knows(int thread, const Stamp& stamp) const {
    if (stamp.block == block_) {
      if (stamp.thread == thread || stamp.clock < epoch_) return true;
      if (stamp.thread >> 5 == thread >> 5 && stamp.clock <= lanes_[thread][stamp.thread & 31]) return true;
    }
    return !of_nobody_ && learned(thread, stamp);
  }

  std::uint32_t block() const { return block_; }
  void rename(std::uint32_t block) { block_ = block; }

  void barrier();
  void warp(int warp, std::uint32_t lanes);
  void fence(int thread, bool block_only);
  void release(int thread, Knowledge& place);  // what its fences cover
  void acquire(int thread, const Knowledge& place);

 private:
  bool learned(int thread, const Stamp& stamp) const;

  std::uint32_t block_ = 0, epoch_ = 1, latest_ = 1;  // the last is the largest clock
  std::vector<std::array<std::uint32_t, 32>> lanes_;  // by thread; its own clock in its own place
  // What all threads of the block learned and have fenced since the last barrier, and what each did.
  Knowledge acquired_, fenced_;
  std::vector<Knowledge> acquired_by_, fenced_by_;
  bool of_nobody_ = true;    // all of these are empty
  bool of_threads_ = false;  // some thread's are not
};

}  // namespace assay::cpu
