#include "fuzz/budget.h"

#include <gtest/gtest.h>

#include "tests/fuzz/support.h"

namespace assay::fuzz {
namespace {

Spent spend_on(fake::MakeKernel kernel, std::int64_t executions, std::uint64_t seed = 1) {
  const Subject subject = fake::subject("softmax");
  const Menu menu(subject);
  const auto runner = factory(kernel)();
  return spend(menu, **runner, executions, seed);
}

TEST(Budget, is_spent_on_a_right_kernel) {
  const Spent spent = spend_on(fake::stateless(fake::softmax_times(1)), 120);
  EXPECT_EQ(spent.executions, 120);
  EXPECT_FALSE(spent.found) << spent.gate->id;
  EXPECT_FALSE(spent.broken);
}

TEST(Budget, ends_at_what_a_gate_calls_a_finding) {
  const Spent spent = spend_on(fake::stateless(wrong_at_three), 2000);
  ASSERT_TRUE(spent.found);
  EXPECT_LT(spent.executions, 2000);
  const Subject subject = fake::subject("softmax");
  const auto runner = factory(fake::stateless(wrong_at_three))();
  EXPECT_TRUE(is_finding(spent.gate->judge(*spent.found, subject, **runner).outcome));
  // The seed decides.
  EXPECT_EQ(spend_on(fake::stateless(wrong_at_three), 2000).found, spent.found);
  EXPECT_NE(spend_on(fake::stateless(wrong_at_three), 2000, 2).found, spent.found);
}

}  // namespace
}  // namespace assay::fuzz
