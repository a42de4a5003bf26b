#pragma once

// A counter-based random sequence: word i of stream (seed, stream) is a hash of the three, so it is the same
// on every machine and streams do not disturb each other. The mixer is the finaliser of SplitMix64 (Steele,
// Lea, Flood: Fast splittable pseudorandom number generators, 2014).

#include <cstdint>

namespace assay {

constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class CounterRandom {
 public:
  constexpr CounterRandom(std::uint64_t seed, std::uint64_t stream) : state_(mix(seed ^ mix(stream))) {}

  constexpr std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }

  // Uniform in [0, bound) up to a bias of bound / 2^64; bound >= 1.
  constexpr std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace assay
