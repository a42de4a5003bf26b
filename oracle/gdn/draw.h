#pragma once

// Random problems of the family, the same on every machine for a seed: where its kernels fail.

#include <cstdint>
#include <string>

#include "oracle/gdn/problem.h"

namespace assay::gdn {

enum class Gates : std::uint8_t {
  zero,     // every g is 0
  weak,     // about -0.05
  mid,      // about -0.7
  strong,   // about -5
  extreme,  // about -21
  mixed,    // 0 or -1000
  resets,   // about -0.1, one token in ten -infinity
  edges,    // about -0.2, -infinity at the first and last token of chunks and of the sequence
  drift,    // 0 or -1e-5
};
constexpr int kGates = static_cast<int>(Gates::drift) + 1;

enum class Strengths : std::uint8_t { random, zero, one, two, small };
constexpr int kStrengths = static_cast<int>(Strengths::small) + 1;

enum class Keys : std::uint8_t { random, identical, correlated, one_hot, zero, alternating };
constexpr int kKeys = static_cast<int>(Keys::alternating) + 1;

struct Recipe {
  Gates gates = Gates::weak;
  Strengths strengths = Strengths::random;
  Keys keys = Keys::random;
  bool states = true;       // s0 and d_st are not zero
  bool only_final = false;  // d_o is zero: all gradients come from d_st
  bool one_row = false;     // d_o is zero but for one token
  bool l2norm = false;      // inside of the kernel; else keys and queries are given of length 1
  double d_st = 0.3;        // deviation
  friend bool operator==(const Recipe&, const Recipe&) = default;
};
std::string describe(const Recipe& recipe);

// Contents for the shapes of `size`, with sequences of the lengths `cu` (empty: one of all tokens).
Problem make_problem(const Member& member, const Size& size, const std::vector<std::int64_t>& cu, DType dtype,
                     const Recipe& recipe, bool backward, std::uint64_t seed);

// A problem of at most `work` = tokens * value heads * kd * vd: shapes at the edges of chunks and tiles,
// packed sequences with empty ones and a padding tail, groups of value heads, every kind of contents.
struct Drawn {
  Problem problem;
  Recipe recipe;
};
Drawn draw_problem(const Member& member, DType dtype, bool backward, std::int64_t work, std::uint64_t seed,
                   std::uint64_t number);

// A long sequence whose state and adjoint change by less than a bf16 ulp a token: one key, a beta that bf16
// rounds by almost half an ulp, hardly any decay, gradients that come from d_st. What is carried in bf16
// stands still, what multiplies by a bf16 beta drifts coherently; honest roundings average out.
Problem drift_problem(const Member& member, DType dtype, bool backward, std::uint64_t seed);

// A problem with one or two NaN or infinities among its inputs.
Problem poisoned_problem(const Member& member, DType dtype, bool backward, std::int64_t work,
                         std::uint64_t seed, std::uint64_t number);

// A problem of which every honest kernel returns the truth rounded once, bit for bit: keys and queries
// one-hot times powers of two, values and gradients in {-1, 0, 1}, beta in {0, 1}, g in {0, -infinity}. All
// sums are small multiples of one power of two, whatever their order.
Problem exact_problem(const Member& member, DType dtype, bool backward, std::uint64_t seed,
                      std::uint64_t number);

}  // namespace assay::gdn
