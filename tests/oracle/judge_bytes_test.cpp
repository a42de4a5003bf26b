// What the judge accepts of quantised outputs: one rounding, the format's own overflow, ties to even.

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/judge.h"

namespace assay {
namespace {

Tensor tensor(DType dtype, Dims shape, const std::vector<double>& values) {
  Tensor t(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    t.set_bits(static_cast<std::int64_t>(i),
               is_float(dtype) ? encode(dtype, values[i])
                               : encode_integer(dtype, static_cast<std::int64_t>(values[i])));
  return t;
}

struct Asked {
  Contract contract;
  Instance instance;
  std::vector<Tensor> inputs;
  Judge judge;

  Asked(const char* name, Dims dims, std::vector<double> attributes, std::vector<Tensor> with)
      : contract(*load_contract(name)),
        instance{with[0].dtype() == DType::f16 ? DType::f16 : DType::f32, std::move(dims),
                 std::move(attributes)},
        inputs(std::move(with)),
        judge(contract, instance, inputs) {}

  // Every byte that is accepted for element i.
  std::vector<int> accepted(std::int64_t i) {
    std::vector<int> result;
    for (int bits = 0; bits < 256; ++bits)
      if (judge.element(0, i, static_cast<std::uint64_t>(bits)).ruling == Ruling::accepted)
        result.push_back(bits);
    return result;
  }
};

using Bytes = std::vector<int>;

TEST(JudgeBytes, ACastRoundsOnceAndOverflowsToNan) {
  const std::vector<double> x = {1, 1.0625, 1.0626, 464, 464.001, -1e9, NAN, HUGE_VAL, 0x1p-10, -0.0};
  Asked cast("cast_e4m3", {static_cast<std::int64_t>(x.size())}, {},
             {tensor(DType::f32, {static_cast<std::int64_t>(x.size())}, x)});
  const std::vector<Bytes> want = {{0x38},       {0x38},       {0x39},       {0x7e}, {0x7f, 0xff},
                                   {0x7f, 0xff}, {0x7f, 0xff}, {0x7f, 0xff}, {0},    {0x80}};
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(cast.accepted(static_cast<std::int64_t>(i)), want[i]) << x[i];
}

TEST(JudgeBytes, WhatSaturatesLacksANan) {
  Asked cast("cast_e4m3", {1}, {}, {tensor(DType::f32, {1}, {1000})});
  const ElementReport report = cast.judge.element(0, 0, 0x7e);
  EXPECT_EQ(report.reason, Reason::nan);
  EXPECT_TRUE(report.nan_allowed && !report.finite_allowed && !report.pos_inf_allowed);
  EXPECT_TRUE(std::isnan(report.low));
}

TEST(JudgeBytes, E5m2HasInfinities) {
  const std::vector<double> x = {1.125, 1.376, 61408, 61440, -HUGE_VAL, 0x1p-17};
  Asked cast("cast_e5m2", {6}, {}, {tensor(DType::f16, {6}, x)});
  const std::vector<Bytes> want = {{0x3c}, {0x3e}, {0x7b}, {0x7c}, {0xfc}, {0}};
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(cast.accepted(static_cast<std::int64_t>(i)), want[i]) << x[i];
}

TEST(JudgeBytes, QuantisingSaturates) {
  const std::vector<double> x = {1000, -HUGE_VAL, NAN, 3, 0};
  Asked quantize("quantize_e4m3", {5}, {}, {tensor(DType::f32, {5}, x), tensor(DType::f32, {}, {0.5})});
  const std::vector<Bytes> want = {{0x7e}, {0xfe}, {0x7f, 0xff}, {0x4c}, {0}};
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(quantize.accepted(static_cast<std::int64_t>(i)), want[i]) << x[i];
}

TEST(JudgeBytes, IntegersTieToEven) {
  const std::vector<double> x = {1.25, 1.75, -1.25, -0.25, 0.25, 1e30, -HUGE_VAL, 0.9, 200};
  Asked quantize("quantize_i8", {9}, {-3}, {tensor(DType::f32, {9}, x), tensor(DType::f32, {}, {0.5})});
  const std::vector<int> want = {-1, 1, -5, -3, -3, 127, -128, -1, 127};
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(quantize.accepted(static_cast<std::int64_t>(i)), Bytes{want[i] & 0xff}) << x[i];
}

TEST(JudgeBytes, AnyByteStandsForNan) {
  Asked quantize("quantize_i8", {1}, {0}, {tensor(DType::f32, {1}, {NAN}), tensor(DType::f32, {}, {1})});
  EXPECT_EQ(quantize.accepted(0).size(), 256u);
}

// A sum past 2^24, which no float keeps: one more or less is wrong.
TEST(JudgeBytes, SumsOfIntegersAreExact) {
  const std::int64_t k = 4001;
  Asked product("matmul_i8", {1, 1, k}, {},
                {tensor(DType::i8, {1, k}, std::vector<double>(k, 127)),
                 tensor(DType::i8, {k, 1}, std::vector<double>(k, -127))});
  const std::int64_t sum = -127 * 127 * k;
  for (const std::int64_t off : {-1, 0, 1})
    EXPECT_EQ(product.judge.element(0, 0, encode_integer(DType::i32, sum + off)).ruling,
              off == 0 ? Ruling::accepted : Ruling::refused);
}

}  // namespace
}  // namespace assay
