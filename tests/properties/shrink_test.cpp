#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "core/codec.h"
#include "properties/generate.h"
#include "properties/shrink.h"
#include "tests/gates/fake.h"

namespace assay {
namespace {

using fake::subject;

const Subject& softmax() {
  static const Subject s = subject("softmax");
  return s;
}

Case any_case(const Subject& s, std::uint64_t seed) {
  const auto gates = all_gates();
  const Gate* gate = gates[seed % gates.size()];
  while (gate->not_applicable(s)) gate = gates[++seed % gates.size()];
  return draw_case(s, *gate, seed, 0);
}

// What shrinking lowers, from the most important on; every candidate is below its origin in one component and
// above it in none. Written apart from the shrinker on purpose.
std::vector<std::vector<std::uint64_t>> measures(const Case& c) {
  std::vector<std::vector<std::uint64_t>> m;
  for (std::int64_t n : c.instance.dims) m.push_back({static_cast<std::uint64_t>(n)});
  m.push_back({c.plants.size()});
  std::vector<std::uint64_t> fills;
  const Fill order[] = {Fill::constant, Fill::grid,       Fill::ties,      Fill::uniform, Fill::normal,
                        Fill::negative, Fill::shifted,    Fill::offset,    Fill::large,   Fill::small,
                        Fill::wide,     Fill::zeros,      Fill::subnormal, Fill::probe,   Fill::swamping,
                        Fill::below,    Fill::cancelling, Fill::huge};
  for (const InputRecipe& r : c.inputs) {
    m.push_back({static_cast<std::uint64_t>(std::find(std::begin(order), std::end(order), r.fill) -
                                            std::begin(order))});
    m.push_back({static_cast<std::uint64_t>(std::abs(r.scale))});
    m.push_back({static_cast<std::uint64_t>(r.order)});
    m.push_back({r.offset});
  }
  for (std::uint8_t offset : c.output_offsets) m.push_back({offset});
  m.push_back({c.seed});
  return m;
}

bool simpler(const Case& a, const Case& b) {
  const auto x = measures(a), y = measures(b);
  if (x.size() != y.size()) return false;
  bool below = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] > y[i]) return false;
    below |= x[i] < y[i];
  }
  if (below || a.plants.size() != b.plants.size()) return below;
  const auto weight = [](const Plant& p) {
    return std::tuple(p.row.distance, p.row.from_end, p.column.distance, p.column.from_end, p.value);
  };
  for (std::size_t i = 0; i < a.plants.size(); ++i) {
    if (a.plants[i] == b.plants[i]) continue;
    if (weight(a.plants[i]) > weight(b.plants[i])) return false;
    below = true;
  }
  return below;
}

RC_GTEST_PROP(Shrink, OffersOnlySimplerCasesOfTheDomain, ()) {
  const Case c = any_case(softmax(), *rc::gen::arbitrary<std::uint64_t>());
  auto candidates = shrink(c, softmax());
  while (auto candidate = candidates.next()) {
    RC_ASSERT(simpler(*candidate, c));
    RC_ASSERT(!simpler(c, *candidate));
    RC_ASSERT(in_domain(*candidate, softmax()));
  }
}

RC_GTEST_PROP(Shrink, ReachesTheSimplestCaseWhenEverythingFails, ()) {
  const Case c = any_case(softmax(), *rc::gen::arbitrary<std::uint64_t>());
  const Shrunk shrunk = minimise(c, softmax(), {}, [](const Case&) { return true; });
  RC_ASSERT(shrunk.stopped_by == "minimal");
  RC_ASSERT(shrunk.smallest.plants.empty());
  for (std::size_t d = 0; d < c.instance.dims.size(); ++d)
    RC_ASSERT(shrunk.smallest.instance.dims[d] == std::min<std::int64_t>(c.instance.dims[d], 1));
  for (const InputRecipe& recipe : shrunk.smallest.inputs)
    RC_ASSERT(recipe.fill == Fill::constant && recipe.scale == 0 && recipe.order == Order::drawn &&
              recipe.offset == 0);
  RC_ASSERT(shrunk.smallest.seed == 0u);
  RC_ASSERT(!shrink(shrunk.smallest, softmax()).next());
}

RC_GTEST_PROP(Minimise, TriesNoCaseTwiceAndKeepsTheFinding, ()) {
  const Case c = any_case(softmax(), *rc::gen::arbitrary<std::uint64_t>());
  const std::int64_t cols = c.instance.dims[1];
  std::set<std::string> tried;
  bool twice = false;
  const auto fails = [&](const Case& x) {
    twice |= !tried.insert(fake::key(encode(x))).second;
    return x.instance.dims[1] % 7 == cols % 7;
  };
  const Shrunk shrunk = minimise(c, softmax(), {}, fails);
  RC_ASSERT(!twice);
  RC_ASSERT(shrunk.smallest.instance.dims[1] % 7 == cols % 7);
  RC_ASSERT(shrunk.runs == static_cast<int>(tried.size()));
  RC_ASSERT(shrunk.steps <= shrunk.runs);
}

TEST(Shrink, AttributesGoBackToTheirDefaults) {
  const Subject s = subject("layer_norm");
  Case c = draw_case(s, *find_gate("CMP-01"), 3, 0);
  ASSERT_EQ(c.instance.attributes.size(), 1u);
  const double fallback = *s.contract.signature().attributes[0].fallback;
  c.instance.attributes[0] = 0.25;
  EXPECT_EQ(minimise(c, s, {}, [](const Case&) { return true; }).smallest.instance.attributes[0], fallback);
  const auto needs = [](const Case& x) { return x.instance.attributes[0] > 0.01; };
  EXPECT_EQ(minimise(c, s, {}, needs).smallest.instance.attributes[0], 0.25);
}

TEST(Shrink, ANegativeNanBecomesAPlainOne) {
  Case c = draw_case(softmax(), *find_gate("EXC-01"), 3, 0);
  c.plants = {{0, {}, {}, Special::negative_nan}};
  const auto planted = [](const Case& x) { return !x.plants.empty(); };
  EXPECT_EQ(minimise(c, softmax(), {}, planted).smallest.plants[0].value, Special::nan);
}

// The planted bug of the design page.
bool planted(const Case& c) {
  const std::int64_t cols = c.instance.dims[1];
  if (cols <= 20 || cols % 16 != 5) return false;
  return std::any_of(c.plants.begin(), c.plants.end(), [&](const Plant& plant) {
    return plant.value == Special::nan && plant.column.in(cols) >= cols - 3;
  });
}

TEST(Minimise, FindsTheOptimumOfAPlantedBug) {
  int found = 0;
  for (std::uint64_t i = 0; found < 200; ++i) {
    Case c = draw_case(softmax(), *find_gate("EXC-01"), 11, i);
    // Any width that the bug has, any companions.
    c.instance.dims[1] = 21 + 16 * static_cast<std::int64_t>(i % 64);
    c.plants.push_back({0,
                        {false, static_cast<std::uint16_t>(i % 5)},
                        {true, static_cast<std::uint16_t>(i % 3)},
                        Special::nan});
    ASSERT_TRUE(planted(c));
    ++found;
    const Shrunk shrunk = minimise(c, softmax(), {}, planted);
    EXPECT_EQ(shrunk.smallest.instance.dims, (Dims{1, 21})) << describe(c, softmax().contract.signature());
    ASSERT_EQ(shrunk.smallest.plants.size(), 1u);
    EXPECT_EQ(shrunk.smallest.plants[0].column.in(21), 20);
    EXPECT_EQ(shrunk.smallest.inputs[0].fill, Fill::constant);
    EXPECT_LT(shrunk.runs, 400);
  }
}

TEST(Minimise, GoesPastTwoToThe31InFewRuns) {
  const Subject s = subject("relu");
  Case c = draw_case(s, *find_gate("CMP-03"), 1, 0);
  c.instance.dims = {(std::int64_t{1} << 32) + 4097};
  const auto fails = [](const Case& x) { return x.instance.dims[0] > (std::int64_t{1} << 31); };
  const Shrunk shrunk = minimise(c, s, {}, fails);
  EXPECT_EQ(shrunk.smallest.instance.dims[0], (std::int64_t{1} << 31) + 1);
  EXPECT_LT(shrunk.runs, 600);
}

TEST(Minimise, ShrinksCoupledExtentsTogether) {
  Subject s = subject("softmax");
  s.where = *Where::parse(s.contract, "rows == cols");
  Case c = draw_case(s, *find_gate("CMP-01"), 1, 0);
  c.instance.dims = {96, 96};
  const Shrunk shrunk = minimise(c, s, {}, [](const Case& x) { return x.instance.dims[0] >= 5; });
  EXPECT_EQ(shrunk.smallest.instance.dims, (Dims{5, 5}));
}

TEST(Minimise, StopsAtItsBudget) {
  Case c = draw_case(softmax(), *find_gate("EXC-01"), 1, 1);
  const auto all = [](const Case&) { return true; };
  const auto none = [](const Case&) { return false; };
  EXPECT_EQ(minimise(c, softmax(), {.steps = 1}, all).stopped_by, "steps");
  EXPECT_EQ(minimise(c, softmax(), {.steps = 1}, all).steps, 1);
  EXPECT_EQ(minimise(c, softmax(), {.runs = 3}, none).stopped_by, "runs");
  EXPECT_EQ(minimise(c, softmax(), {.runs = 3}, none).runs, 3);
  EXPECT_EQ(minimise(c, softmax(), {.time = std::chrono::milliseconds(0)}, all).stopped_by, "time");
  const Shrunk nothing = minimise(c, softmax(), {}, none);
  EXPECT_EQ(nothing.stopped_by, "minimal");
  EXPECT_EQ(nothing.smallest, c);
}

}  // namespace
}  // namespace assay
