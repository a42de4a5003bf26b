#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "core/codec.h"
#include "gates/execute.h"
#include "gates/sparse.h"
#include "properties/generate.h"
#include "tests/gates/fake.h"

namespace assay {
namespace {

using fake::subject;

const char* const kContracts[] = {"relu",       "add",    "sum",       "max",           "argmax",
                                  "softmax",    "matmul", "transpose", "cross_entropy", "softmax_backward",
                                  "layer_norm", "cumsum"};

TEST(DrawCase, StaysInTheDomainOfEveryContract) {
  for (const char* contract : kContracts) {
    const Subject s = subject(contract, {DType::f32, DType::f16, DType::bf16});
    for (const Gate* gate : all_gates()) {
      if (gate->not_applicable(s)) continue;
      for (std::uint64_t i = 0; i < 100; ++i) {
        const Case c = draw_case(s, *gate, 3, i);
        ASSERT_TRUE(in_domain(c, s)) << gate->id << " " << describe(c, s.contract.signature());
        EXPECT_EQ(decode(encode(c), s.contract.signature()), c);
        for (std::int64_t n : c.instance.dims) EXPECT_TRUE(n > 0 || gate->id == "CMP-03");
        const auto shapes = shapes_of(s.contract, c.instance);
        EXPECT_TRUE(is_huge(*shapes) || elements(*shapes) < 1 << 22);
      }
    }
  }
}

TEST(DrawCase, StaysInWhatTheKernelClaims) {
  for (const char* where : {"cols % 4 == 0, cols <= 4096", "cols == 100", "rows == cols",
                            "rows == 3, cols == 37", "cols >= 1000", "rows * cols <= 64"}) {
    Subject s = subject("softmax");
    auto parsed = Where::parse(s.contract, where);
    ASSERT_TRUE(parsed) << parsed.error().message;
    s.where = *parsed;
    for (const char* id : {"CMP-01", "CMP-03", "RES-01", "PRC-02"})
      for (std::uint64_t i = 0; i < 50; ++i)
        EXPECT_TRUE(in_domain(draw_case(s, *find_gate(id), 1, i), s)) << where << " " << id;
  }
}

TEST(DrawCase, AnEmptyDomainGivesNoCase) {
  Subject s = subject("softmax");
  s.where = *Where::parse(s.contract, "cols > 5, cols < 5");
  EXPECT_FALSE(in_domain(draw_case(s, *find_gate("CMP-01"), 1, 0), s));
}

TEST(DrawCase, DependsOnItsNumberAlone) {
  const Subject s = subject("softmax");
  const Gate& gate = *find_gate("CMP-01");
  std::set<std::string> distinct;
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(draw_case(s, gate, 5, i), draw_case(s, gate, 5, i));
    distinct.insert(fake::key(encode(draw_case(s, gate, 5, i))));
  }
  EXPECT_EQ(distinct.size(), 200u);
  EXPECT_FALSE(draw_case(s, gate, 5, 0) == draw_case(s, gate, 6, 0));
  EXPECT_FALSE(draw_case(s, gate, 5, 0).seed == draw_case(s, *find_gate("ORD-01"), 5, 0).seed);
}

TEST(DrawCase, ReachesTheBoundaryLattice) {
  std::map<std::int64_t, int> seen;
  const Subject s = subject("softmax");
  for (std::uint64_t i = 0; i < 4000; ++i)
    for (std::int64_t n : draw_case(s, *find_gate("CMP-03"), 1, i).instance.dims) ++seen[n];
  for (std::int64_t n : {1,   2,   3,   31,  32,  33,  63,  64,   65,   127,  128, 129,
                         251, 255, 256, 257, 511, 512, 513, 1021, 1023, 1024, 1025})
    EXPECT_GE(seen[n], 3) << n;
  // softmax wants a column; rows may be none.
  EXPECT_GE(seen[0], 20);
}

TEST(DrawCase, FriendlySizesAreFriendly) {
  for (const char* contract : {"softmax", "matmul", "relu", "transpose"}) {
    const Subject s = subject(contract);
    for (std::uint64_t i = 0; i < 300; ++i)
      for (std::int64_t n : draw_case(s, *find_gate("CMP-01"), 1, i).instance.dims)
        EXPECT_TRUE(n % 8 == 0 || n <= 4) << contract << " " << n;  // few rows beside a long one
  }
}

TEST(DrawCase, PlantsEverySpecialAtBothEndsAndInsideRows) {
  const Subject s = subject("softmax");
  std::map<Special, int> nonfinite, zeros;
  int first = 0, last = 0, inside = 0, edge = 0, alone = 0, whole_row = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Case c = draw_case(s, *find_gate("EXC-01"), 1, i);
    ASSERT_FALSE(c.plants.empty());
    const std::int64_t cols = c.instance.dims[1];
    for (const Plant& plant : c.plants) {
      ++nonfinite[plant.value];
      const std::int64_t at = plant.column.in(cols);
      first += at == 0;
      last += at == cols - 1;
      inside += at > 0 && at < cols - 1;
      edge += cols > 32 && (at == 31 || at == 32);
    }
    alone += c.plants.size() == 1 && c.instance.dims[0] > 1;
    whole_row += cols > 1 && static_cast<std::int64_t>(c.plants.size()) == cols;
    for (const Plant& plant : draw_case(s, *find_gate("EXC-02"), 1, i).plants) ++zeros[plant.value];
  }
  for (Special special : {Special::nan, Special::negative_nan, Special::pos_inf, Special::neg_inf})
    EXPECT_GE(nonfinite[special], 50);
  for (Special special : {Special::neg_zero, Special::pos_zero, Special::least_subnormal,
                          Special::largest_subnormal, Special::least_normal})
    EXPECT_GE(zeros[special], 50);
  for (int n : {first, last, inside, alone}) EXPECT_GE(n, 100);
  EXPECT_GE(edge, 20);
  EXPECT_GE(whole_row, 10);
}

TEST(DrawCase, ReachesEveryFillAndOrderThatAGateNames) {
  for (const char* contract : {"softmax_backward", "matmul", "argmax"}) {
    const Subject s = subject(contract, {DType::f32, DType::f16});
    for (const Gate* gate : all_gates()) {
      if (gate->not_applicable(s)) continue;
      const Draw draw = gate->draw(s);
      std::set<Fill> fills;
      std::set<Order> orders;
      std::set<DType> dtypes;
      for (std::uint64_t i = 0; i < 400; ++i) {
        const Case c = draw_case(s, *gate, 1, i);
        for (const InputRecipe& recipe : c.inputs) {
          fills.insert(recipe.fill);
          orders.insert(recipe.order);
        }
        dtypes.insert(c.instance.dtype);
      }
      for (const Weighted& weighted : draw.fills) EXPECT_TRUE(fills.contains(weighted.fill)) << gate->id;
      for (Order order : draw.orders) EXPECT_TRUE(orders.contains(order)) << gate->id;
      EXPECT_EQ(dtypes.size(), draw.dtypes == Dtypes::all ? 2u : 1u) << gate->id;
      EXPECT_EQ(dtypes.contains(DType::f32), draw.dtypes != Dtypes::others) << gate->id;
    }
  }
}

TEST(DrawCase, MostCasesAreSmall) {
  const Subject s = subject("softmax");
  int small = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Case c = draw_case(s, *find_gate("CMP-01"), 1, i);
    small += elements(*shapes_of(s.contract, c.instance)) <= 1024;
  }
  EXPECT_GE(small, 360);  // one in 24 has a long row, one in 96 large extents, one in 128 more elements
  EXPECT_LT(small, 390);
}

RC_GTEST_PROP(Cases, AreInTheDomainAndSoAreTheirShrinks, ()) {
  static const Subject s = subject("softmax");
  const Gate& gate = **rc::gen::element(find_gate("EXC-01"), find_gate("CMP-03"), find_gate("RES-01"));
  const auto shrinkable = cases(s, gate)(rc::Random(*rc::gen::arbitrary<std::uint64_t>()));
  RC_ASSERT(in_domain(shrinkable.value(), s));
  auto shrinks = shrinkable.shrinks();
  for (int i = 0; i < 50; ++i) {
    auto next = shrinks.next();
    if (!next) break;
    RC_ASSERT(in_domain(next->value(), s));
  }
}

}  // namespace
}  // namespace assay
