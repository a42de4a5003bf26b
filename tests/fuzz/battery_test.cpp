#include "fuzz/battery.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "properties/generate.h"
#include "tests/fuzz/support.h"

namespace assay::fuzz {
namespace {

using fake::FakeRunner;
using fake::stateless;

// Every gate's own draws, `n` of each.
std::vector<Case> drawn(const Menu& menu, std::uint64_t n) {
  std::vector<Case> result;
  for (const Menu::Entry& entry : menu.gates())
    for (std::uint64_t i = 0; i < n; ++i) result.push_back(draw_case(menu.subject(), *entry.gate, 3, i));
  return result;
}

TEST(Menu, whatever_a_gate_draws_it_may_judge) {
  for (const char* contract : {"softmax", "argmax", "softmax_backward", "cross_entropy", "relu"}) {
    const Subject subject = fake::subject(contract, {DType::f32, DType::f16});
    const Menu menu(subject);
    for (const Menu::Entry& entry : menu.gates())
      for (std::uint64_t i = 0; i < 200; ++i) {
        const Case c = draw_case(subject, *entry.gate, 1, i);
        EXPECT_TRUE(!in_domain(c, subject) || may_judge(entry, c, menu))
            << entry.gate->id << ": " << describe(c, subject.contract.signature());
      }
  }
}

TEST(Menu, a_huge_case_is_not_affordable) {
  const Subject subject = fake::subject("softmax");
  const Menu menu(subject);
  EXPECT_TRUE(menu.affordable(softmax_case(64, 64)));
  EXPECT_FALSE(menu.affordable(softmax_case(1 << 20, 1 << 12)));
  EXPECT_FALSE(menu.affordable(softmax_case(64, 64), 100));
  EXPECT_FALSE(menu.affordable(softmax_case(-1, 64)));
}

// Rows cost where they have results: a short and wide softmax is cheaper than a tall one, and the rows of a
// product's second operand are no work of their own.
TEST(Menu, rows_count_where_they_have_results) {
  const Subject softmax = fake::subject("softmax");
  EXPECT_TRUE(Menu(softmax).affordable(softmax_case(2, 2000)));
  EXPECT_FALSE(Menu(softmax).affordable(softmax_case(2000, 2)));

  const Subject matmul = fake::subject("matmul");
  const Menu menu(matmul);
  const Gate& accumulator = *find_gate("PRC-02");
  int affordable = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Case c = draw_case(matmul, accumulator, 1, i);
    affordable +=
        *std::max_element(c.instance.dims.begin(), c.instance.dims.end()) >= 2048 && menu.affordable(c);
  }
  EXPECT_GE(affordable, 5);
}

TEST(Battery, a_right_kernel_has_no_finding) {
  const Subject subject = fake::subject("softmax");
  const Menu menu(subject);
  FakeRunner runner(stateless(fake::softmax_times(1)));
  Battery battery(menu, runner);
  std::int64_t ran = 0;
  for (const Case& c : drawn(menu, 30)) {
    const Observation seen = battery.observe(c);
    EXPECT_EQ(seen.gate, nullptr) << describe(c, subject.contract.signature()) << ": "
                                  << describe(seen.verdict.evidence);
    EXPECT_EQ(seen.in_domain, menu.affordable(c));
    ran += seen.in_domain;
  }
  EXPECT_GT(ran, 100);
  EXPECT_GE(battery.runs(), 2 * ran);
}

TEST(Battery, a_finding_is_one_of_the_gate_itself) {
  const Subject subject = fake::subject("softmax");
  const Menu menu(subject);
  FakeRunner runner(stateless(wrong_at_three));
  Battery battery(menu, runner);
  const Observation wrong = battery.observe(softmax_case(2, 11));
  ASSERT_NE(wrong.gate, nullptr);
  EXPECT_EQ(wrong.gate->id, "CMP-01");
  EXPECT_TRUE(is_finding(wrong.gate->judge(softmax_case(2, 11), subject, runner).outcome));
  EXPECT_EQ(battery.observe(softmax_case(2, 12)).gate, nullptr);
}

// Once, but for one in four and for what a gate asks; a wrong value is seen all the same.
TEST(Battery, what_shows_nothing_new_runs_once) {
  const Subject subject = fake::subject("softmax");
  const Menu menu(subject);
  const auto runs_of = [&](bool is_new) {
    FakeRunner runner(stateless(fake::softmax_times(1)));
    Battery battery(menu, runner);
    for (const Case& c : drawn(menu, 30)) battery.observe(c, [&](const Observation&) { return is_new; });
    return battery.runs();
  };
  EXPECT_LT(4 * runs_of(false), 3 * runs_of(true));
  FakeRunner wrong(stateless(wrong_at_three));
  Battery battery(menu, wrong);
  EXPECT_NE(battery.observe(softmax_case(2, 11), [](const Observation&) { return false; }).gate, nullptr);
}

TEST(Battery, outside_of_the_domain_nothing_runs) {
  const Subject subject = fake::subject("softmax");
  const Menu menu(subject);
  FakeRunner runner(stateless(wrong_at_three));
  Battery battery(menu, runner);
  EXPECT_FALSE(battery.observe(softmax_case(1 << 20, 1 << 12)).in_domain);
  EXPECT_EQ(runner.calls, 0);
}

// The owner of what is seen by the second run alone.
TEST(Battery, a_schedule_and_a_poison_that_show_are_found) {
  const Subject subject = fake::subject("softmax");
  const Menu menu(subject);
  FakeRunner order(stateless([](const Launch& launch, RunResult& result) {
    fake::softmax_times(1)(launch, result);
    Tensor& y = result.outputs[0];
    if (launch.schedule != 0) y.set_bits(0, y.bits(0) ^ 1);  // one ulp, within every budget
  }));
  Battery by_order(menu, order);
  const Observation raced = by_order.observe(softmax_case(4, 64));
  ASSERT_NE(raced.gate, nullptr);
  EXPECT_EQ(raced.gate->id, "ORD-02");

  FakeRunner lazy(stateless([](const Launch& launch, RunResult& result) {
    Tensor& y = result.outputs[0];
    const Tensor poison = y;
    fake::softmax_times(1)(launch, result);
    y.set_bits(y.size() - 1, poison.bits(y.size() - 1));
  }));
  Battery by_poison(menu, lazy);
  const Observation unwritten = by_poison.observe(softmax_case(4, 64));
  ASSERT_NE(unwritten.gate, nullptr);
  EXPECT_EQ(unwritten.gate->id, "RES-01");
}

// More elements than are judged: what stands out is, wherever it lies.
TEST(Battery, of_many_elements_the_unusual_ones_are_judged) {
  const Subject subject = fake::subject("softmax");
  const Menu menu(subject);
  const Case c = softmax_case(100, 64);
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), 0.9, 0.0}) {
    FakeRunner runner(stateless([wrong](const Launch& launch, RunResult& result) {
      fake::softmax_times(1)(launch, result);
      if (result.outputs[0].size() > 3333) fake::store(result.outputs[0], 3333, wrong);
    }));
    Battery battery(menu, runner);
    EXPECT_NE(battery.observe(c).gate, nullptr) << wrong;
  }
  FakeRunner right(stateless(fake::softmax_times(1)));
  Battery battery(menu, right);
  const Observation seen = battery.observe(c);
  EXPECT_EQ(seen.gate, nullptr);
  EXPECT_LE(seen.outputs.at(0).judged, 2 * kJudged);
  EXPECT_GE(seen.outputs.at(0).judged, kJudged / 2);
}

}  // namespace
}  // namespace assay::fuzz
