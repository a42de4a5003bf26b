#include "core/realise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/sample.h"

namespace assay {
namespace {

Case plain(DType dtype, std::int64_t rows, std::int64_t columns, Fill fill) {
  Case c;
  c.contract = "sample";
  c.instance = {dtype, {rows, columns}, {1e-5, -100}};
  c.inputs.resize(3);
  for (InputRecipe& recipe : c.inputs) recipe.fill = fill;
  c.output_offsets.resize(2);
  c.seed = 5;
  return c;
}

Tensor first_input(const Case& c) {
  return realise(c, sample_shapes(c.instance))[0];
}

// The contents of a persisted case may never change: these bits were written down from the first version.
TEST(Realise, IsFrozen) {
  const Tensor x = first_input(plain(DType::f32, 1, 4, Fill::normal));
  const Tensor again = first_input(plain(DType::f32, 1, 4, Fill::normal));
  EXPECT_EQ(x, again);
  std::uint64_t hash = 0;
  for (Fill fill = Fill::normal; fill <= Fill::huge; fill = static_cast<Fill>(static_cast<int>(fill) + 1)) {
    for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
      const Tensor t = first_input(plain(dtype, 3, 7, fill));
      for (std::int64_t i = 0; i < t.size(); ++i) hash = mix(hash ^ t.bits(i));
    }
  }
  EXPECT_EQ(hash, 16790847972574564175u);
}

TEST(Realise, NormalIsNormal) {
  const Tensor x = first_input(plain(DType::f64, 100, 1000, Fill::normal));
  double sum = 0, squares = 0, fourth = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double v = x.value(i);
    sum += v, squares += v * v, fourth += v * v * v * v;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
  EXPECT_NEAR(fourth / 1e5, 2.9, 0.1);  // 3 less the 0.1 of twelve uniforms
}

TEST(Realise, FillsAreWhatTheirNamesSay) {
  for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    const Format format = format_of(dtype);
    const Tensor subnormals = first_input(plain(dtype, 4, 9, Fill::subnormal));
    const Tensor grid = first_input(plain(dtype, 4, 9, Fill::grid));
    const Tensor constant = first_input(plain(dtype, 4, 9, Fill::constant));
    const Tensor below = first_input(plain(dtype, 4, 9, Fill::below));
    const Tensor swamping = first_input(plain(dtype, 4, 9, Fill::swamping));
    const Tensor cancelling = first_input(plain(dtype, 4, 8, Fill::cancelling));
    for (std::int64_t i = 0; i < subnormals.size(); ++i) {
      EXPECT_LT(std::fabs(subnormals.value(i)), format.least_normal());
      EXPECT_NE(subnormals.value(i), 0);
      EXPECT_EQ(grid.value(i), std::round(grid.value(i)));
      EXPECT_LE(std::fabs(grid.value(i)), 8);
      EXPECT_EQ(constant.value(i), constant.value(i / 9 * 9));
      EXPECT_LT(below.value(i), dtype == DType::f16 ? -1e4 : -1e30);
    }
    for (int row = 0; row < 4; ++row) {
      double greatest = 0, sum = 0;
      for (int i = 0; i < 9; ++i) greatest = std::max(greatest, swamping.value(row * 9 + i));
      for (int i = 0; i < 8; ++i) sum += cancelling.value(row * 8 + i);
      EXPECT_GE(greatest, 256);
      EXPECT_NEAR(sum, 0, 1e-12);
    }
  }
}

TEST(Realise, OrdersSortRows) {
  Case c = plain(DType::f32, 2, 50, Fill::normal);
  c.inputs[0].order = Order::ascending;
  const Tensor up = first_input(c);
  c.inputs[0].order = Order::descending;
  const Tensor down = first_input(c);
  for (int row = 0; row < 2; ++row) {
    for (int i = 1; i < 50; ++i) {
      EXPECT_LE(up.value(row * 50 + i - 1), up.value(row * 50 + i));
      EXPECT_GE(down.value(row * 50 + i - 1), down.value(row * 50 + i));
    }
  }
}

TEST(Realise, PlantsKeepTheirDistanceFromTheEnd) {
  for (std::int64_t columns : {3, 7, 40}) {
    Case c = plain(DType::f16, 3, columns, Fill::normal);
    c.plants = {{0, {true, 0}, {true, 2}, Special::nan}, {2, {false, 0}, {true, 0}, Special::ignored}};
    const std::vector<Tensor> tensors = realise(c, sample_shapes(c.instance));
    for (std::int64_t i = 0; i < tensors[0].size(); ++i)
      EXPECT_EQ(std::isnan(tensors[0].value(i)), i == 2 * columns + columns - 3) << i;
    EXPECT_EQ(tensors[2].integer(2), -100);  // rank 1: its one row
  }
}

TEST(Realise, ANegativeNanKeepsItsSignAndPayload) {
  const std::pair<DType, std::uint64_t> expected[] = {{DType::f64, 0xfff8000000000015},
                                                      {DType::f32, 0xffc00015},
                                                      {DType::f16, 0xfe15},
                                                      {DType::bf16, 0xffd5}};
  for (const auto& [dtype, bits] : expected) {
    Case c = plain(dtype, 1, 4, Fill::normal);
    c.plants = {{0, {}, {false, 2}, Special::negative_nan}};
    EXPECT_EQ(first_input(c).bits(2), bits) << name(dtype);
    EXPECT_TRUE(std::isnan(first_input(c).value(2)));
  }
}

TEST(Realise, IndicesStayInRange) {
  const Case c = plain(DType::f32, 500, 6, Fill::normal);
  const Tensor t = realise(c, sample_shapes(c.instance))[2];
  std::array<int, 6> seen{};
  int ignored = 0;
  for (std::int64_t i = 0; i < t.size(); ++i) {
    if (t.integer(i) == -100) {
      ++ignored;
      continue;
    }
    ASSERT_TRUE(0 <= t.integer(i) && t.integer(i) < 6);
    ++seen[static_cast<std::size_t>(t.integer(i))];
  }
  EXPECT_GT(ignored, 0);
  for (int n : seen) EXPECT_GT(n, 0);
}

TEST(Realise, EmptyTensorsTakePlants) {
  Case c = plain(DType::f32, 0, 5, Fill::normal);
  c.plants = {{0, {}, {}, Special::nan}};
  EXPECT_EQ(first_input(c).size(), 0);
}

}  // namespace
}  // namespace assay
