// The filter decides ordinary data of every dtype alone: MPFR is for what leaves its range.

#include <gtest/gtest.h>

#include "core/realise.h"
#include "oracle/judge.h"

namespace assay {
namespace {

constexpr Fill kOrdinary[] = {Fill::normal, Fill::uniform, Fill::negative, Fill::shifted,
                              Fill::offset, Fill::large,   Fill::small};

TEST(Judge, TheFilterDecidesOrdinaryData) {
  for (const char* name : {"sigmoid", "silu", "tanh", "gelu", "softmax", "layer_norm"}) {
    const auto contract = load_contract(name);
    ASSERT_TRUE(contract);
    const Signature& signature = contract->signature();
    for (const DType dtype : {DType::f64, DType::f32}) {
      for (const Fill fill : kOrdinary) {
        Case c;
        c.contract = name;
        c.instance = {dtype, Dims(signature.dims.size(), 16), {}};
        for (const Attribute& attribute : signature.attributes)
          c.instance.attributes.push_back(attribute.fallback.value_or(0));
        c.inputs.resize(signature.inputs.size());
        for (InputRecipe& recipe : c.inputs) recipe.fill = fill;
        c.output_offsets.resize(signature.outputs.size());
        c.seed = 7;
        const Shapes shapes = *shapes_of(*contract, c.instance);
        const std::vector<Tensor> inputs = realise(c, shapes);
        const std::vector<Tensor> outputs = simulate(*contract, c.instance, inputs, {dtype, false});
        Judge judge(*contract, c.instance, inputs);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
          const OutputReport report = judge.all(k, outputs[k]);
          EXPECT_EQ(report.refused, 0) << name << " " << assay::name(fill);
          EXPECT_EQ(report.by_mpfr, 0) << name << " " << assay::name(dtype) << " " << assay::name(fill);
        }
      }
    }
  }
}

// e^12000 is beyond a long double: the sigmoid there is nothing that the filter may judge.
TEST(Judge, MpfrDecidesWhatLeavesTheFiltersRange) {
  const auto contract = load_contract("sigmoid");
  std::vector<Tensor> inputs = {Tensor(DType::f64, {1})};
  inputs[0].set_bits(0, encode(DType::f64, -12000.0));
  Judge judge(*contract, {DType::f64, {1}, {}}, inputs);
  const ElementReport zero = judge.element(0, 0, 0);
  EXPECT_TRUE(zero.by_mpfr);
  EXPECT_EQ(zero.ruling, Ruling::accepted);
  EXPECT_EQ(judge.element(0, 0, encode(DType::f64, 1e-300)).ruling, Ruling::refused);
}

}  // namespace
}  // namespace assay
