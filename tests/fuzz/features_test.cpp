#include "fuzz/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/fuzz/support.h"

namespace assay::fuzz {
namespace {

Observation plain() {
  Observation seen;
  seen.in_domain = true;
  seen.branches = {1, 0, 1};
  return seen;
}

std::set<std::uint32_t> of(const Case& c, const Observation& seen, Families families = {}) {
  const auto found = features(c, seen, families);
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  for (const std::uint32_t index : found) EXPECT_LT(index, kCounters);
  return {found.begin(), found.end()};
}

TEST(Features, every_family_has_its_own) {
  const Case c = softmax_case(4, 33);
  const Observation seen = plain();
  const auto all = of(c, seen);
  std::set<Family> families;
  for (const std::uint32_t index : all) families.insert(family_of(index));
  EXPECT_EQ(families.size(), static_cast<std::size_t>(kFamilies));
  // Switched off one by one, exactly its own go.
  for (int f = 0; f < kFamilies; ++f) {
    Families without;
    without.remove(static_cast<Family>(f));
    std::set<std::uint32_t> expected;
    for (const std::uint32_t index : all)
      if (family_of(index) != static_cast<Family>(f)) expected.insert(index);
    EXPECT_EQ(of(c, seen, without), expected) << name(static_cast<Family>(f));
  }
}

TEST(Features, tell_apart_what_a_campaign_should_keep) {
  const Case c = softmax_case(4, 33);
  const auto base = of(c, plain());
  const auto differs = [&](const Case& other, const Observation& seen) { EXPECT_NE(of(other, seen), base); };

  Observation seen = plain();
  seen.branches = {1, 1, 1};
  differs(c, seen);
  differs(softmax_case(4, 34), plain());
  differs(softmax_case(4, 33 + 128), plain());
  // What the case holds is no behaviour.
  Case other = c;
  other.seed = 99;
  other.inputs[0] = {Fill::wide, 0, Order::drawn, 3};
  other.plants = {{0, {}, {false, 0}, Special::nan}};
  EXPECT_EQ(of(other, plain()), base);
}

TEST(Features, none_of_a_case_that_did_not_run) {
  EXPECT_TRUE(of(softmax_case(4, 33), Observation{}).empty());
}

}  // namespace
}  // namespace assay::fuzz
