#include "core/verdict.h"

#include <gtest/gtest.h>

#include "core/dtype.h"

namespace assay {
namespace {

TEST(Evidence, ThePoisonIsNoNumber) {
  Evidence e;
  e.kind = "value";
  for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    e.got = decode(dtype, 0xA5A5A5A5A5A5A5A5u >> (64 - 8 * size_of(dtype)));
    EXPECT_TRUE(describe(e).ends_with("(the poison: never written)")) << describe(e);
  }
  e.got = -1515870811;  // as an i32
  EXPECT_TRUE(describe(e).ends_with("(the poison: never written)")) << describe(e);
  e.got = -1.25;
  EXPECT_EQ(describe(e), "value: got -1.25");
}

}  // namespace
}  // namespace assay
