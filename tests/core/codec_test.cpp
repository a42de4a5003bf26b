#include "core/codec.h"

#include <gtest/gtest.h>

#include "tests/core/sample.h"

namespace assay {
namespace {

TEST(Codec, EveryByteStringIsACaseThatSurvives) {
  const Signature signature = sample_signature();
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    const Case c = random_case(seed);
    ASSERT_EQ(c.inputs.size(), signature.inputs.size());
    ASSERT_EQ(c.instance.dims.size(), signature.dims.size());
    const std::vector<std::byte> bytes = encode(c);
    ASSERT_EQ(decode(bytes, signature), c) << describe(c, signature);
    ASSERT_EQ(encode(decode(bytes, signature)), bytes);
  }
}

TEST(Codec, CasesAreSmall) {
  Case c = random_case(7);
  c.instance.dims = {64, 1000};
  c.plants.clear();
  EXPECT_LE(encode(c).size(), 48u);
}

TEST(Codec, NothingIsACaseToo) {
  const Case c = decode({}, sample_signature());
  EXPECT_EQ(c.contract, "sample");
  EXPECT_EQ(c.instance.dims, (Dims{0, 0}));
  EXPECT_TRUE(c.plants.empty());
}

}  // namespace
}  // namespace assay
