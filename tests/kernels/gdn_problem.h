#pragma once

// Problems for gdn_reference.h, and how far a result is from it.

#include <algorithm>
#include <random>
#include <utility>

#include "gdn_reference.h"

namespace gdn_reference {

// Gates: 0, or random about -`strength`.
struct Options {
  double strength = 0.5;
  bool resets = false;  // some of -1000, -1e6, -inf
  bool edges = false;   // beta (b, w) of 0 and 1, too
};

inline Problem make(Gate gate, Erase erase, std::vector<int64_t> lengths, int64_t tail, int64_t h, int64_t r,
                    int64_t kd, int64_t vd, bool l2norm, Options options, unsigned seed) {
  Problem p;
  p.gate = gate;
  p.erase = erase;
  p.n = static_cast<int64_t>(lengths.size());
  p.h = h;
  p.r = r;
  p.kd = kd;
  p.vd = vd;
  p.scale = 1 / std::sqrt(double(kd));
  p.l2norm = l2norm;
  p.cu.push_back(0);
  for (const int64_t length : lengths) p.cu.push_back(static_cast<int32_t>(p.cu.back() + length));
  p.t = p.cu.back() + tail;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform(0, 1);
  const auto fill = [&](std::vector<float>& x, int64_t count, auto draw) {
    x.resize(static_cast<size_t>(count));
    for (float& value : x) value = draw();
  };
  // Keys of length 1 or so: longer ones make the erase diverge.
  const float unit = l2norm ? 1.f : static_cast<float>(0.9 / std::sqrt(double(kd)));
  fill(p.q, p.t * h * kd, [&] { return normal(random); });
  fill(p.k, p.t * h * kd, [&] { return unit * std::clamp(normal(random), -1.f, 1.f); });
  fill(p.v, p.t * h * r * vd, [&] { return normal(random); });
  const auto strength = [&] {
    const float x = uniform(random);
    return options.edges && x < 0.4f ? float(x < 0.2f) : x;
  };
  const auto decay = [&] {
    if (options.resets && uniform(random) < 0.08f) {
      const float x = uniform(random);
      return x < 0.3f ? -1000.f : x < 0.5f ? -1e6f : -INFINITY;
    }
    return static_cast<float>(-options.strength * 2 * uniform(random));
  };
  if (gate != Gate::none) fill(p.g, p.t * h * r * (gate == Gate::channel ? kd : 1), decay);
  if (erase == Erase::key) fill(p.beta, p.t * h * r, strength);
  if (erase == Erase::gated) {
    fill(p.b, p.t * h * r * kd, strength);
    fill(p.w, p.t * h * r * vd, strength);
  }
  fill(p.s0, p.n * h * r * kd * vd, [&] { return normal(random); });
  fill(p.d_o, p.t * h * r * vd, [&] { return normal(random); });
  fill(p.d_st, p.n * h * r * kd * vd, [&] { return normal(random); });
  return p;
}

// The largest error of any token over the largest value of the whole.
inline double distance(const std::vector<double>& truth, const std::vector<float>& got) {
  double largest = 0, error = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (std::isnan(truth[i]) != std::isnan(got[i])) return INFINITY;
    if (std::isnan(truth[i])) continue;
    largest = std::max(largest, std::abs(truth[i]));
    error = std::max(error, std::abs(truth[i] - got[i]));
  }
  return error == 0 ? 0 : error / largest;
}

}  // namespace gdn_reference
