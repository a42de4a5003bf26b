#pragma once

// Random programs, and honest kernels that run them: float with a random order, precision and error of every
// operation.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "oracle/algebra.h"
#include "oracle/arithmetic.h"
#include "oracle/judge.h"

namespace assay {

using Random = std::mt19937_64;

inline std::uint64_t bits_of(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

inline double draw(Random& random, int family) {
  std::normal_distribution<double> z;
  switch (family) {
    case 0:
      return z(random);
    case 1:
      return 100 + z(random);
    case 2:
      return static_cast<double>(static_cast<int>(random() % 17) - 8);
    case 3:
      return z(random) * std::exp2(static_cast<int>(random() % 41) - 20);
    case 4:
      return z(random) * 0x1p-140;
    case 5:
      return z(random) * 0x1p125;
    case 6:
      return z(random) * 30;
    default: {
      const double specials[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, NAN,
                                 1,   -1,   0x1p-149, -0x1p-126, 0x1.fffffep127};
      return specials[random() % 10];
    }
  }
}

// One operation of a random program.
struct Step {
  int kind = 0;
  Function function = Function::exp;
  Extreme extreme = Extreme::max;
  Comparison comparison = Comparison::less;
  int power = 2;
  std::vector<std::size_t> operands;
};

inline Step draw_step(Random& random, std::size_t values) {
  Step s;
  s.kind = static_cast<int>(random() % 9);
  const Function functions[] = {Function::exp,  Function::log,   Function::sqrt,  Function::rsqrt,
                                Function::tanh, Function::erf,   Function::abs,   Function::sin,
                                Function::cos,  Function::expm1, Function::log1p, Function::sign};
  s.function = functions[random() % 12];
  s.extreme = static_cast<Extreme>(random() % 4);
  s.comparison = static_cast<Comparison>(random() % 6);
  s.power = 2 + static_cast<int>(random() % 2);
  const std::size_t n = s.kind <= 3 || s.kind == 6 ? 1 + random() % 6 : 4;
  for (std::size_t i = 0; i < n; ++i) s.operands.push_back(random() % values);
  return s;
}

template <class Algebra>
typename Algebra::Value apply(Algebra& algebra, const Step& s,
                              const std::vector<typename Algebra::Value>& values) {
  std::vector<typename Algebra::Value> x;
  for (const std::size_t i : s.operands) x.push_back(values[i]);
  switch (s.kind) {
    case 0:
      return algebra.sum(x, Sum::reduction);
    case 1:
      return algebra.sum(x, Sum::terms);
    case 2:
      return algebra.product(x);
    case 3:
      return algebra.mean(x);
    case 4:
      return algebra.divide(x[0], x[1]);
    case 5:
      return algebra.call(s.function, x[0]);
    case 6:
      return algebra.extreme(s.extreme, x);
    case 7:
      return algebra.power(x[0], s.power);
    default:
      return algebra.select(algebra.compare(s.comparison, x[0], x[1]), x[2], x[3]);
  }
}

inline float perturb(Random& random, double exact, double ulps) {
  if (!std::isfinite(exact) || exact == 0) return static_cast<float>(exact);
  if (ulps == 0) return static_cast<float>(exact);
  const double u = static_cast<double>(random() % 2001) / 1000 - 1;
  const int e = std::max(std::ilogb(exact) - 23, -149);
  const float y = static_cast<float>(exact + u * ulps * std::ldexp(1.0, e));
  return y == 0 || (y < 0) != (exact < 0) ? std::copysign(0.0f, static_cast<float>(exact)) : y;
}

inline float honest_sum(Random& random, std::vector<float> x, bool from_zero) {
  if (x.empty()) return 0;
  std::shuffle(x.begin(), x.end(), random);
  switch (random() % 3) {
    case 0: {  // sequential
      float s = from_zero ? 0.0f + x[0] : x[0];
      for (std::size_t i = 1; i < x.size(); ++i) s += x[i];
      return s;
    }
    case 1: {  // in pairs
      while (x.size() > 1) {
        std::vector<float> next;
        for (std::size_t i = 0; i + 1 < x.size(); i += 2) next.push_back(x[i] + x[i + 1]);
        if (x.size() % 2) next.push_back(x.back());
        x = next;
      }
      return x[0];
    }
    default: {  // a wider accumulator
      double s = from_zero ? 0.0 + x[0] : x[0];
      for (std::size_t i = 1; i < x.size(); ++i) s += x[i];
      return static_cast<float>(s);
    }
  }
}

inline float honest_mean(Random& random, std::vector<float> x) {
  if (random() % 2) return honest_sum(random, x, true) / static_cast<float>(x.size());
  float m = 0;
  for (std::size_t i = 0; i < x.size(); ++i) m += (x[i] - m) / static_cast<float>(i + 1);
  return m;
}

inline float honest_quotient(Random& random, float a, float b) {
  int exponent = 0;
  const bool scaling = std::fabs(std::frexp(b, &exponent)) == 0.5f || !std::isfinite(b);
  if (scaling || random() % 2) return a / b;
  return perturb(random, static_cast<double>(a) / b, 1);
}

inline float honest_call(Random& random, Function f, float x) {
  const double v = x;
  const double n = std::isinf(v) ? 0 : documented_ulps(f, DType::f32, false);
  switch (f) {
    case Function::exp:
      return v == 0 ? 1.0f : std::fabs(perturb(random, std::exp(v), n));
    case Function::log:
      return perturb(random, std::log(v), n);
    case Function::sqrt:
      return std::sqrt(x);
    case Function::rsqrt:
      return perturb(random, 1 / std::sqrt(v), n);
    case Function::tanh:
      return std::clamp(perturb(random, std::tanh(v), n), -1.0f, 1.0f);
    case Function::erf:
      return std::clamp(perturb(random, std::erf(v), n), -1.0f, 1.0f);
    case Function::abs:
      return std::fabs(x);
    case Function::sin:
      return std::clamp(perturb(random, std::sin(v), n), -1.0f, 1.0f);
    case Function::cos:
      return v == 0 ? 1.0f : std::clamp(perturb(random, std::cos(v), n), -1.0f, 1.0f);
    case Function::expm1:
      return perturb(random, std::expm1(v), n);
    case Function::log1p:
      return perturb(random, std::log1p(v), n);
    default:
      return std::isnan(v) || v == 0 ? x : v > 0 ? 1.0f : -1.0f;
  }
}

inline float honest_extreme(Random& random, Extreme kind, std::vector<float> x) {
  const bool is_max = kind == Extreme::max || kind == Extreme::fmax;
  const bool drops = kind == Extreme::fmax || kind == Extreme::fmin;
  std::shuffle(x.begin(), x.end(), random);
  float best = drops ? NAN : x[0];
  for (const float t : x) {
    if (drops) {
      best = is_max ? std::fmax(best, t) : std::fmin(best, t);
    } else if (std::isnan(t) || std::isnan(best)) {
      best = NAN;
    } else {
      best = is_max ? std::max(best, t) : std::min(best, t);
    }
  }
  return best;
}

inline float honest(Random& random, const Step& s, const std::vector<float>& values) {
  std::vector<float> x;
  for (const std::size_t i : s.operands) x.push_back(values[i]);
  switch (s.kind) {
    case 0:
      return honest_sum(random, x, true);
    case 1:
      return honest_sum(random, x, false);
    case 2: {
      std::shuffle(x.begin(), x.end(), random);
      float p = x[0];
      for (std::size_t i = 1; i < x.size(); ++i) p *= x[i];
      return p;
    }
    case 3:
      return honest_mean(random, x);
    case 4:
      return honest_quotient(random, x[0], x[1]);
    case 5:
      return honest_call(random, s.function, x[0]);
    case 6:
      return honest_extreme(random, s.extreme, x);
    case 7: {
      float p = x[0];
      for (int i = 1; i < s.power; ++i) p *= x[0];
      return p;
    }
    default:
      return holds(s.comparison, x[0], x[1]) ? x[2] : x[3];
  }
}

inline std::string describe(const Step& s, const std::vector<float>& values, const ElementReport& r) {
  std::string text = "kind " + std::to_string(s.kind) + " function " +
                     std::to_string(static_cast<int>(s.function)) + " extreme " +
                     std::to_string(static_cast<int>(s.extreme)) + " power " + std::to_string(s.power);
  char buffer[200];
  for (const std::size_t i : s.operands) {
    std::snprintf(buffer, sizeof buffer, " %a", values[i]);
    text += buffer;
  }
  std::snprintf(buffer, sizeof buffer,
                "\ngot %a truth %a accepted %a..%a nan %d +inf %d -inf %d finite %d reason %s", r.got,
                r.truth, r.low, r.high, r.nan_allowed, r.pos_inf_allowed, r.neg_inf_allowed, r.finite_allowed,
                std::string(name(r.reason)).c_str());
  return text + buffer;
}

}  // namespace assay
