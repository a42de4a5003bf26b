#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>

#include "properties/property.h"

namespace {

bool sandbox_works() {
  return std::system("bwrap --unshare-all --ro-bind / / true >/dev/null 2>&1") == 0;
}

assay::KeepsOptions options() {
  assay::KeepsOptions options;
  options.cases = 240;
  options.sandbox = sandbox_works();
  return options;
}

TEST(RowMax, KeepsItsContract) {
  const assay::Kept kept = assay::keeps_contract(KERNELS "/row_max.cu", "max", options());
  EXPECT_TRUE(kept) << kept;
}

TEST(RowMax, ThatForgetsNaNDoesNot) {
  const assay::Kept kept = assay::keeps_contract(KERNELS "/row_max_forgets_nan.cu", "max", options());
  EXPECT_FALSE(kept);
  EXPECT_NE(kept.text.find("EXC-01"), std::string::npos) << kept;
}

TEST(RowMax, IsAProperty) {
  assay::TargetOptions asked;
  asked.kernel = KERNELS "/row_max.cu";
  asked.contract = "max";
  asked.sandbox = sandbox_works();
  const auto plan = assay::plan(asked);
  ASSERT_TRUE(plan) << plan.error().message;
  const auto target = assay::build(*plan);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_TRUE(rc::check("row_max keeps CMP-01", assay::property(*target, *assay::find_gate("CMP-01"))));
}

TEST(Mistakes, AreExplained) {
  const assay::Kept kept = assay::keeps_contract(KERNELS "/row_max.cu", "maxx", options());
  EXPECT_FALSE(kept);
  EXPECT_NE(kept.text.find("max"), std::string::npos) << kept;
}

}  // namespace
