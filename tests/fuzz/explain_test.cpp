#include "fuzz/explain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fuzz/support.h"

namespace assay::fuzz {
namespace {

// The words for a fault that is a condition on the case.
Explanation explained(const Case& shrunk, const std::function<bool(const Case&)>& fails,
                      std::vector<DType> dtypes = {DType::f32}, int runs = 400) {
  EXPECT_TRUE(fails(shrunk));
  return explain(shrunk, fake::subject("softmax", std::move(dtypes)), {runs, std::chrono::minutes(1)}, fails);
}

bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string extents(const std::function<bool(std::int64_t)>& fails, std::int64_t own) {
  const Explanation e =
      explained(softmax_case(1, own), [&](const Case& c) { return fails(c.instance.dims[1]); });
  EXPECT_TRUE(has(e.do_not_matter, "rows"));
  EXPECT_TRUE(has(e.do_not_matter, "seed"));
  EXPECT_LE(e.must_hold.size(), 1u);
  return e.must_hold.empty() ? "" : e.must_hold[0];
}

TEST(Explain, FindsTheRuleOfAnExtent) {
  EXPECT_EQ(extents([](auto n) { return n >= 37; }, 37), "cols >= 37");
  EXPECT_EQ(extents([](auto n) { return n <= 21; }, 1), "cols <= 21");
  EXPECT_EQ(extents([](auto n) { return n % 8 == 3; }, 3), "cols = 3 mod 8");
  EXPECT_EQ(extents([](auto n) { return n % 4 != 0; }, 1), "cols is no multiple of 4");
  EXPECT_EQ(extents([](auto n) { return n % 16 == 0; }, 16), "cols is a multiple of 16");
  EXPECT_EQ(extents([](auto n) { return n % 2 == 1 && n >= 17; }, 17), "cols = 1 mod 2 and >= 17");
  EXPECT_EQ(extents([](auto n) { return n == 5; }, 5), "cols = 5");
}

TEST(Explain, ClaimsNothingOfAnExtentWithoutARule) {
  EXPECT_EQ(extents([](auto n) { return n * 2654435761 % 1000 < 400; }, 7), "");
}

TEST(Explain, TellsWhereAPlantMustBe) {
  Case shrunk = softmax_case(1, 21);
  shrunk.plants = {Plant{0, {}, {true, 1}, Special::pos_inf}};
  const Explanation e = explained(shrunk, [](const Case& c) {
    return !c.plants.empty() && c.instance.dims[1] >= 3 && c.plants[0].value == Special::pos_inf &&
           c.plants[0].column.in(c.instance.dims[1]) >= c.instance.dims[1] - 3;
  });
  EXPECT_TRUE(has(e.must_hold, "x holds inf within the last 3 of a row") ||
              has(e.must_hold, "x holds +inf within the last 3 of a row"))
      << to_string(e);
  EXPECT_TRUE(has(e.do_not_matter, "fill of x")) << to_string(e);
}

TEST(Explain, TellsWhichDtypesFillsAndAddressesFail) {
  const std::vector<DType> dtypes = {DType::f32, DType::f16, DType::bf16};
  Case shrunk = softmax_case(1, 2);
  shrunk.instance.dtype = DType::f16;
  shrunk.inputs[0].fill = Fill::large;
  shrunk.inputs[0].offset = 1;
  const Explanation e = explained(
      shrunk,
      [](const Case& c) {
        return c.instance.dtype != DType::f32 && c.inputs[0].fill == Fill::large && c.inputs[0].offset != 0;
      },
      dtypes);
  EXPECT_TRUE(has(e.must_hold, "dtype f16 or bf16")) << to_string(e);
  EXPECT_TRUE(has(e.must_hold, "x filled with large")) << to_string(e);
  EXPECT_TRUE(has(e.must_hold, "x off a 256-byte boundary")) << to_string(e);
  EXPECT_TRUE(has(e.do_not_matter, "address of y")) << to_string(e);
}

TEST(Explain, KeepsItsBudget) {
  int runs = 0;
  const auto fails = [&](const Case&) { return ++runs > 0; };
  const Explanation e =
      explain(softmax_case(3, 5), fake::subject("softmax"), {10, std::chrono::minutes(1)}, fails);
  EXPECT_EQ(runs, 10);
  EXPECT_EQ(e.runs, 10);
  EXPECT_FALSE(has(e.do_not_matter, "rows"));
  EXPECT_TRUE(e.must_hold.empty());
}

}  // namespace
}  // namespace assay::fuzz
