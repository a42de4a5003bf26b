#include "oracle/gdn/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "oracle/gdn/models.h"

namespace assay::gdn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double uniform(CounterRandom& random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}
// Sum of twelve uniforms, less six.
double normal(CounterRandom& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform(random);
  return sum;
}
template <class T, std::size_t n>
T pick(CounterRandom& random, const std::array<T, n>& from) {
  return from[random.below(n)];
}

void set(Tensor& x, std::int64_t i, double value) {
  x.set_bits(i, encode(x.dtype(), value));
}
template <class Draw>
void fill(Tensor& x, Draw draw) {
  for (std::int64_t i = 0; i < x.size(); ++i) set(x, i, draw());
}

double gate_of(Gates gates, CounterRandom& random) {
  const double spread = 0.4 + 1.2 * uniform(random);
  switch (gates) {
    case Gates::zero:
      return 0;
    case Gates::weak:
      return -0.05 * spread;
    case Gates::mid:
      return -0.7 * spread;
    case Gates::strong:
      return -5 * spread;
    case Gates::extreme:
      return -21 * spread;
    case Gates::mixed:
      return random.below(2) ? 0 : -1000;
    case Gates::resets:
      return random.below(10) == 0 ? -kInfinity : -0.1 * spread;
    case Gates::edges:
      return -0.2 * spread;
    case Gates::drift:
      return random.below(2) ? 0 : -1e-5;
  }
  return 0;
}

double strength_of(Strengths strengths, CounterRandom& random) {
  switch (strengths) {
    case Strengths::random:
      return uniform(random);
    case Strengths::zero:
      return 0;
    case Strengths::one:
      return 1;
    case Strengths::two:
      return 2;
    case Strengths::small:
      return 1e-3 * uniform(random);
  }
  return 0;
}

void fill_rows(Tensor& x, Keys keys, bool unit, CounterRandom& random) {
  const std::int64_t width = x.shape().back(), rows = width == 0 ? 0 : x.size() / width;
  std::vector<double> common(static_cast<std::size_t>(width)), row(common.size());
  for (double& e : common) e = normal(random);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const double fresh = normal(random);
      row[c] = keys == Keys::identical || keys == Keys::alternating ? common[c]
               : keys == Keys::correlated                           ? fresh + 3 * common[c]
               : keys == Keys::random                               ? fresh
                                                                    : 0;
    }
    if (keys == Keys::one_hot) row[random.below(row.size())] = 1;
    double square = 0;
    for (double e : row) square += e * e;
    double factor = unit && square > 0 ? 1 / std::sqrt(square) : 1;
    if (keys == Keys::alternating && i % 2 == 1) factor = -factor;
    for (std::int64_t c = 0; c < width; ++c) set(x, i * width + c, factor * row[static_cast<std::size_t>(c)]);
  }
}

void reset_edges(Problem& p) {
  const std::int64_t width = p.size.t == 0 ? 0 : p.g.size() / p.size.t;
  for (std::int64_t s = 0; s < p.size.n; ++s)
    for (std::int64_t t = p.first(s); t < p.end(s); ++t) {
      const std::int64_t i = t - p.first(s);
      if (i % kChunk != 0 && i % kChunk != kChunk - 1 && t + 1 != p.end(s)) continue;
      for (std::int64_t c = 0; c < width; ++c) set(p.g, t * width + c, -kInfinity);
    }
}

// Lengths that sum up to at most `tokens`: empty ones, partial chunks, a padding tail.
std::vector<std::int64_t> cut(std::int64_t n, std::int64_t tokens, CounterRandom& random) {
  std::vector<std::int64_t> cu = {0};
  constexpr std::array<std::int64_t, 8> kShort = {0, 1, 2, 15, 16, 63, 64, 65};
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t left = tokens - cu.back();
    std::int64_t length = i + 1 < n ? pick(random, kShort) : left;
    if (i + 1 == n && random.below(3) == 0)
      length = left - std::min<std::int64_t>(left, pick(random, kShort));
    if (i + 1 == n && random.below(8) == 0) length = 0;
    cu.push_back(cu.back() + std::min(length, left));
  }
  return cu;
}

void set_cu(Problem& p, const std::vector<std::int64_t>& cu) {
  for (std::size_t i = 0; i < cu.size(); ++i)
    p.cu.set_bits(static_cast<std::int64_t>(i), encode_integer(DType::i32, cu[i]));
}

}  // namespace

std::string describe(const Recipe& r) {
  constexpr std::array<const char*, kGates> kGateNames = {"zero",  "weak",   "mid",   "strong", "extreme",
                                                          "mixed", "resets", "edges", "drift"};
  constexpr std::array<const char*, kStrengths> kStrengthNames = {"random", "zero", "one", "two", "small"};
  constexpr std::array<const char*, kKeys> kKeyNames = {"random",  "identical", "correlated",
                                                        "one-hot", "zero",      "alternating"};
  return fmt::format("gates {}, beta {}, keys {}{}{}{}{}", kGateNames[static_cast<std::size_t>(r.gates)],
                     kStrengthNames[static_cast<std::size_t>(r.strengths)],
                     kKeyNames[static_cast<std::size_t>(r.keys)], r.states ? "" : ", no states",
                     r.only_final ? ", only d_st" : "", r.one_row ? ", one row of d_o" : "",
                     r.l2norm ? ", l2norm" : "");
}

Problem make_problem(const Member& member, const Size& size, const std::vector<std::int64_t>& cu, DType dtype,
                     const Recipe& r, bool backward, std::uint64_t seed) {
  Problem p = blank(member, size, dtype, backward);
  p.scale = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(size.kd, 1)));
  p.scale = static_cast<float>(p.scale);
  p.l2norm = r.l2norm;
  if (!cu.empty()) set_cu(p, cu);
  std::uint64_t stream = 0;
  const auto random = [&] { return CounterRandom(seed, ++stream); };
  CounterRandom q = random(), k = random(), v = random(), g = random(), beta = random(), b = random(),
                w = random(), s0 = random(), d_o = random(), d_st = random();
  fill_rows(p.q, Keys::random, !r.l2norm, q);
  fill_rows(p.k, r.keys, !r.l2norm, k);
  fill(p.v, [&] { return normal(v); });
  fill(p.g, [&] { return gate_of(r.gates, g); });
  if (r.gates == Gates::edges) reset_edges(p);
  fill(p.beta, [&] { return strength_of(r.strengths, beta); });
  const bool wild = r.strengths == Strengths::two;  // 2 is for beta alone
  fill(p.b, [&] { return wild ? 1 : strength_of(r.strengths, b); });
  fill(p.w, [&] { return wild ? 1 : strength_of(r.strengths, w); });
  if (r.states) fill(p.s0, [&] { return normal(s0); });
  if (!backward) return p;
  const std::int64_t row = size.heads() * size.vd;
  const std::int64_t only =
      size.t > 0 ? static_cast<std::int64_t>(d_o.below(static_cast<std::uint64_t>(size.t))) : 0;
  for (std::int64_t i = 0; i < p.d_o.size(); ++i)
    if (!r.only_final && (!r.one_row || i / row == only)) set(p.d_o, i, normal(d_o));
  if (r.states || r.only_final) fill(p.d_st, [&] { return r.d_st * normal(d_st); });
  return p;
}

Drawn draw_problem(const Member& member, DType dtype, bool backward, std::int64_t work, std::uint64_t seed,
                   std::uint64_t number) {
  CounterRandom random(seed, number);
  constexpr std::array<std::int64_t, 20> kTokens = {1,   2,   15,  16,  17,  63,  64,  65,  100,  127,
                                                    128, 129, 191, 200, 256, 320, 465, 512, 1000, 4097};
  constexpr std::array<std::int64_t, 10> kDims = {8, 16, 16, 24, 32, 32, 60, 64, 100, 128};
  Size size;
  do {
    size.t = pick(random, kTokens);
    size.kd = pick(random, kDims);
    size.vd = pick(random, kDims);
    size.h = 1 + static_cast<std::int64_t>(random.below(2));
    size.r = pick(random, std::array<std::int64_t, 6>{1, 1, 1, 2, 2, 4});
    size.n = pick(random, std::array<std::int64_t, 6>{1, 1, 2, 3, 5, 8});
  } while (size.kd == size.vd || size.t * size.heads() * size.kd * size.vd > work);
  Recipe r;
  r.gates = pick(random, std::array<Gates, 12>{Gates::zero, Gates::weak, Gates::weak, Gates::mid, Gates::mid,
                                               Gates::strong, Gates::extreme, Gates::extreme, Gates::mixed,
                                               Gates::resets, Gates::edges, Gates::drift});
  r.strengths = pick(random, std::array<Strengths, 8>{Strengths::random, Strengths::random, Strengths::random,
                                                      Strengths::random, Strengths::one, Strengths::two,
                                                      Strengths::zero, Strengths::small});
  r.keys = pick(random, std::array<Keys, 10>{Keys::random, Keys::random, Keys::random, Keys::random,
                                             Keys::random, Keys::correlated, Keys::identical, Keys::one_hot,
                                             Keys::zero, Keys::alternating});
  r.states = random.below(4) != 0;
  r.only_final = random.below(16) == 0;
  r.one_row = random.below(16) == 0;
  r.l2norm = random.below(3) == 0;
  const std::vector<std::int64_t> cu = cut(size.n, size.t, random);
  return {make_problem(member, size, cu, dtype, r, backward, random.next()), r};
}

Problem drift_problem(const Member& member, DType dtype, bool backward, std::uint64_t seed) {
  const Size size{1, 2048, 1, 1, 12, 8};
  Problem p = make_problem(member, size, {}, dtype,
                           {.gates = Gates::drift, .keys = Keys::identical, .d_st = 100}, backward, seed);
  constexpr double kStrength = 0x1p-8 * (1 + 0.98 * 0x1p-8);
  for (Tensor* x : {&p.beta, &p.b}) fill(*x, [&] { return kStrength; });
  fill(p.w, [&] { return kStrength; });
  for (std::int64_t i = 0; i < p.d_o.size(); ++i) set(p.d_o, i, p.d_o.value(i) * 0x1p-10);
  return p;
}

Problem poisoned_problem(const Member& member, DType dtype, bool backward, std::int64_t work,
                         std::uint64_t seed, std::uint64_t number) {
  Problem p = draw_problem(member, dtype, backward, work, seed, number).problem;
  CounterRandom random(seed, ~number);
  std::vector<Named> list = inputs(member, p.size, dtype, backward);
  for (std::uint64_t plants = 1 + random.below(2); plants > 0; --plants) {
    const Named& input = list[random.below(list.size())];
    Tensor& x = *p.find(input.name);
    if (!is_float(x.dtype()) || x.size() == 0) continue;
    const double poison = pick(random, std::array<double, 3>{std::nan(""), kInfinity, -kInfinity});
    // +infinity is no gate; -infinity is a reset.
    const auto at = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(x.size())));
    set(x, at, input.name == "g" ? std::nan("") : poison);
  }
  return p;
}

Problem exact_problem(const Member& member, DType dtype, bool backward, std::uint64_t seed,
                      std::uint64_t number) {
  // Values that outgrow the significand are drawn anew; without erase a state adds up, so with fewer tokens.
  for (std::uint64_t attempt = 0;; ++attempt) {
    CounterRandom random(mix(seed) ^ attempt, number);
    Size size;
    size.t = pick(random, std::array<std::int64_t, 6>{130, 64, 200, 65, 63, 129}) >>
             std::min<std::uint64_t>(attempt / 4, 6);
    size.kd = pick(random, std::array<std::int64_t, 3>{16, 24, 32});
    size.vd = pick(random, std::array<std::int64_t, 4>{8, 20, 24, 40});
    size.h = 1 + static_cast<std::int64_t>(random.below(2));
    size.r = 1 + static_cast<std::int64_t>(random.below(2));
    size.n = 1 + static_cast<std::int64_t>(random.below(3));
    Problem p = blank(member, size, dtype, backward);
    set_cu(p, cut(size.n, size.t, random));
    p.scale = random.below(2) ? 0.5 : 1;
    const bool resets = random.below(2);
    const auto sign = [&] { return static_cast<double>(random.below(3)) - 1; };
    const auto hot = [&](Tensor& x, int least, int spread) {
      for (std::int64_t i = 0; i < x.size() / size.kd; ++i)
        set(x, i * size.kd + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size.kd))),
            std::ldexp(1, least + static_cast<int>(random.below(static_cast<std::uint64_t>(spread)))));
    };
    hot(p.q, -1, 3);
    hot(p.k, 0, 1);
    fill(p.v, sign);
    fill(p.g, [&] { return resets && random.below(10) == 0 ? -kInfinity : 0; });
    for (Tensor* x : {&p.beta, &p.b, &p.w}) fill(*x, [&] { return random.below(5) == 0 ? 0 : 1; });
    for (Tensor* x : {&p.s0, &p.d_o, &p.d_st})
      if (x->size() > 0) fill(*x, sign);
    if (is_exact(p)) return p;
  }
}

}  // namespace assay::gdn
