#include "core/realise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

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

TEST(Realise, NoRowsNeedNoMemory) {
  for (const Fill fill : {Fill::normal, Fill::cancelling, Fill::swamping}) {
    Case c;
    c.inputs.resize(1);
    c.inputs[0].fill = fill;
    EXPECT_EQ(realise(c, {{{DType::f32, {0, std::int64_t{1} << 39}}}, {}})[0].size(), 0);
  }
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

TEST(Realise, SettledPlantsFallWhereTheyFell) {
  Case c = plain(DType::f32, 2, 3, Fill::normal);
  c.plants = {{0, {false, 9}, {true, 7}, Special::nan}, {0, {true, 0}, {false, 2}, Special::one}};
  const Case settled = assay::settled(c, sample_shapes(c.instance));
  EXPECT_EQ(settled.plants[0].row, (Place{false, 1}));
  EXPECT_EQ(settled.plants[0].column, (Place{true, 2}));
  EXPECT_EQ(settled.plants[1], c.plants[1]);
  EXPECT_EQ(first_input(settled), first_input(c));
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

TEST(Realise, OffsetsAscendFromZero) {
  std::int64_t empty = 0, single = 0, partial = 0, tails = 0, cases = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Shapes shapes;
    TensorSpec& spec = shapes.inputs.emplace_back();
    spec.dtype = DType::i32;
    spec.shape = {static_cast<std::int64_t>(1 + seed % 6)};
    spec.is_offsets = true;
    spec.bound = static_cast<std::int64_t>(seed * 7 % 300);
    Case c;
    c.inputs.resize(1);
    c.plants = {{0, {}, {}, Special::last}};  // nothing to plant a value in
    c.seed = seed;
    const Tensor cu = realise(c, shapes)[0];
    EXPECT_EQ(cu.integer(0), 0);
    for (std::int64_t i = 1; i < cu.size(); ++i) {
      const std::int64_t length = cu.integer(i) - cu.integer(i - 1);
      EXPECT_GE(length, 0);
      empty += length == 0;
      single += length == 1;
      partial += length % 64 != 0;
      ++cases;
    }
    EXPECT_LE(cu.integer(cu.size() - 1), spec.bound);
    tails += cu.size() > 1 && cu.integer(cu.size() - 1) < spec.bound;
  }
  EXPECT_GT(empty, cases / 20);
  EXPECT_GT(single, cases / 50);
  EXPECT_GT(partial, cases / 3);
  EXPECT_GT(tails, 40);
}

TEST(Realise, LimitedInputsKeepToTheirValues) {
  const double inf = std::numeric_limits<double>::infinity();
  std::int64_t resets = 0, zeros = 0, ones = 0;
  for (int fill = 0; fill < kFills; ++fill) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Shapes shapes;
      shapes.inputs = std::vector<TensorSpec>(3, TensorSpec{DType::f32, {40, 9}, false, 0, {}, false, {}});
      shapes.inputs[0].range = {-inf, 0, inf};
      shapes.inputs[1].range = {0, 1, inf};
      shapes.inputs[2].range.ball = 1;
      Case c;
      c.inputs.assign(3, {static_cast<Fill>(fill)});
      for (std::uint8_t input : {0, 1, 2})
        for (Special special : {Special::largest, Special::spike, Special::pos_inf, Special::nan})
          c.plants.push_back({input, {false, 3}, {false, static_cast<std::uint16_t>(special)}, special});
      c.seed = seed;
      const std::vector<Tensor> x = realise(c, shapes);
      for (std::int64_t i = 0; i < x[0].size(); ++i) {
        EXPECT_FALSE(x[0].value(i) > 0);
        EXPECT_FALSE(x[1].value(i) < 0 || x[1].value(i) > 1);
        resets += x[0].value(i) == -inf;
        zeros += x[0].value(i) == 0;
        ones += x[1].value(i) == 1;
      }
      for (std::int64_t r = 0; r < 40; ++r) {
        double squares = 0;
        for (std::int64_t j = 0; j < 9; ++j) {
          const double v = x[2].value(r * 9 + j);
          if (std::isfinite(v)) squares += v * v;
        }
        EXPECT_LE(squares, 1 + 1e-6);
      }
      EXPECT_TRUE(std::isnan(x[0].value(27)));
    }
  }
  EXPECT_GT(resets, 100);
  EXPECT_GT(zeros, 100);
  EXPECT_GT(ones, 100);
}

// Bytes are so few that all of them occur, and nothing is drawn beyond their range.
TEST(Realise, BytesOfEveryValue) {
  for (const DType dtype : {DType::e4m3, DType::e5m2}) {
    std::set<std::uint64_t> seen;
    const Tensor wide = first_input(plain(dtype, 40, 100, Fill::wide));
    for (std::int64_t i = 0; i < wide.size(); ++i) seen.insert(wide.bits(i));
    EXPECT_EQ(seen.size(), dtype == DType::e4m3 ? 254u : 248u);  // all but NaN and infinities
    for (int fill = 0; fill < kFills; ++fill) {
      const Tensor t = first_input(plain(dtype, 3, 33, static_cast<Fill>(fill)));
      for (std::int64_t i = 0; i < t.size(); ++i)
        ASSERT_TRUE(std::isfinite(t.value(i))) << name(dtype) << " " << name(static_cast<Fill>(fill));
    }
  }
  const auto bytes = [](Fill fill) {
    Case c;
    c.inputs.resize(1);
    c.inputs[0].fill = fill;
    c.seed = 3;
    const Tensor t = realise(c, {{{DType::i8, {40, 100}}}, {}})[0];
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < t.size(); ++i) seen.insert(t.integer(i));
    return seen;
  };
  EXPECT_EQ(bytes(Fill::normal).size(), 256u);
  EXPECT_EQ(bytes(Fill::ties), (std::set<std::int64_t>{-1, 0, 1}));
  EXPECT_TRUE(bytes(Fill::swamping).contains(-128) && bytes(Fill::swamping).contains(127));
  EXPECT_LE(bytes(Fill::swamping).size(), 3u);
}

}  // namespace
}  // namespace assay
