// Scans share what their elements have in common: the same answers as without, for a number of additions that
// grows with the row and not with its square.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>

#include "oracle/evaluator.h"
#include "oracle/judge.h"
#include "oracle/rounded.h"

namespace assay {
namespace {

using Random = std::mt19937_64;

struct Pair {
  const char* scan;
  const char* apart;  // the same function in words that are no scan
};
const Pair kPairs[] = {
    {"sum(x[r, j] for j <= c)", "sum(x[r, j] for j < cols if j <= c)"},
    {"sum(x[r, j] for j in 0 .. c)", "sum(x[r, j] for j < cols if j < c)"},
    {"sum(x[r, j] for j in c .. cols)", "sum(x[r, j] for j < cols if j >= c)"},
    {"sum(x[r, j] * z[r, j] for j <= c)", "sum(x[r, j] * z[r, j] for j < cols if j <= c)"},
    {"sum(exp(x[r, j]) for j in c // 4 * 4 .. c + 1)",
     "sum(exp(x[r, j]) for j < cols if j // 4 == c // 4 and j <= c)"},
    {"prod(x[r, j] for j <= c)", "prod(x[r, j] for j < cols if j <= c)"},
    {"prod(x[r, j] for j in c .. cols)", "prod(x[r, j] for j < cols if j >= c)"},
    {"z[r, c] + sum(x[r, j] for j <= c)", "z[r, c] + sum(x[r, j] for j < cols if j <= c)"},
};

Contract contract_of(const std::string& body) {
  const std::string text =
      "contract scan(rows, cols)\n  input x[rows, cols], z[rows, cols] : float\n  output y[rows, cols] : "
      "like x\n"
      "  y[r, c] = " +
      body + (body.find('z') == body.npos ? " if cols >= 0 else z[r, c]" : "") + "\n";
  auto contracts = parse_contracts(text, "scan.contract");
  EXPECT_TRUE(contracts) << body << ": " << contracts.error().message;
  return contracts->front();
}

double content(Random& random, int family) {
  std::normal_distribution<double> z;
  switch (family) {
    case 0:
      return static_cast<double>(random() % 9) - 4;
    case 1:
      return z(random);
    case 2:
      return std::ldexp(z(random), static_cast<int>(random() % 60) - 30);
    case 3:
      return random() % 2 ? 0.0 : -0.0;
    default:
      return random() % 12 == 0 ? (random() % 3 == 0 ? NAN : random() % 2 ? HUGE_VAL : -HUGE_VAL) : z(random);
  }
}

void expect_equal(const ElementReport& a, const ElementReport& b, const std::string& what) {
  // Added up from the other end, the filter's truth has other last bits of its own.
  const auto same = [](double x, double y) {
    return x == y || (std::isnan(x) && std::isnan(y)) || std::fabs(x - y) <= 1e-13 * std::fabs(x);
  };
  EXPECT_EQ(a.ruling, b.ruling) << what;
  EXPECT_EQ(a.reason, b.reason) << what;
  EXPECT_TRUE(same(a.truth, b.truth)) << what;
  EXPECT_TRUE(same(a.low, b.low) && same(a.high, b.high))
      << what << ": " << a.low << " .. " << a.high << " against " << b.low << " .. " << b.high;
  EXPECT_EQ(a.exact, b.exact) << what;
  EXPECT_EQ(a.nan_allowed, b.nan_allowed) << what;
  EXPECT_EQ(a.pos_inf_allowed, b.pos_inf_allowed) << what;
  EXPECT_EQ(a.neg_inf_allowed, b.neg_inf_allowed) << what;
}

TEST(Scans, GiveWhatSumsByThemselvesGive) {
  Random random(1);
  for (const Pair& pair : kPairs) {
    const Contract scan = contract_of(pair.scan), apart = contract_of(pair.apart);
    for (const DType dtype : {DType::f32, DType::f16, DType::f64})
      for (int family = 0; family < 5; ++family)
        for (const std::int64_t cols : {1, 5, 40}) {
          const Instance instance{dtype, {2, cols}, {}};
          std::vector<Tensor> inputs(2, Tensor(dtype, {2, cols}));
          for (Tensor& t : inputs)
            for (std::int64_t i = 0; i < t.size(); ++i) t.set_bits(i, encode(dtype, content(random, family)));
          std::vector<std::int64_t> order(static_cast<std::size_t>(2 * cols));
          std::iota(order.begin(), order.end(), 0);
          if (random() % 2) std::shuffle(order.begin(), order.end(), random);
          Judge a(scan, instance, inputs), b(apart, instance, inputs);
          for (const std::int64_t i : order) {
            const double truth = b.element(0, i, 0).truth;
            const double y = random() % 2 ? truth : truth * (1 + 0x1p-9);
            const std::uint64_t bits = encode(dtype, y);
            expect_equal(a.element(0, i, bits), b.element(0, i, bits),
                         std::string(pair.scan) + " in " + std::string(name(dtype)) + ", element " +
                             std::to_string(i));
          }
        }
  }
}

// Counts what it adds.
struct Counting : RoundedAlgebra {
  std::int64_t* additions;
  explicit Counting(std::int64_t& n) : RoundedAlgebra(DType::f64, false), additions(&n) {}
  Value sum(std::span<const Value> terms, Sum how) {
    *additions += static_cast<std::int64_t>(terms.size());
    return RoundedAlgebra::sum(terms, how);
  }
  bool extend(Running& running, Value term) {
    ++*additions;
    return RoundedAlgebra::extend(running, term);
  }
};

TEST(Scans, AreLinear) {
  constexpr std::int64_t kCols = 3000;
  const Instance instance{DType::f32, {2, kCols}, {}};
  const std::vector<Tensor> inputs(2, Tensor(DType::f32, {2, kCols}));
  for (const int which : {0, 1, 2, 3}) {
    const Contract contract = contract_of(kPairs[which].scan);
    const Shapes shapes = *shapes_of(contract, instance);
    std::int64_t additions = 0;
    Counting algebra(additions);
    Evaluator<Counting> evaluator(contract.program(), instance, shapes, inputs, algebra);
    for (std::int64_t i = 0; i < 2 * kCols; ++i) evaluator.output(0, i);
    EXPECT_LE(additions, 2 * 2 * kCols) << kPairs[which].scan;
  }
}

}  // namespace
}  // namespace assay
