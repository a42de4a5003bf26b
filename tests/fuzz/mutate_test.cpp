#include "fuzz/mutate.h"

#include <gtest/gtest.h>

#include <set>

#include "core/codec.h"
#include "fuzz/engine.h"
#include "tests/fuzz/support.h"

namespace assay::fuzz {
namespace {

class MutateContract : public ::testing::TestWithParam<const char*> {};

TEST_P(MutateContract, keeps_its_laws) {
  const Subject subject = fake::subject(GetParam(), {DType::f32, DType::f16});
  const Menu menu(subject);
  const std::vector<Case> starts = seeds(menu, 1);
  ASSERT_FALSE(starts.empty());
  std::vector<std::uint8_t> used, again;
  std::set<std::uint8_t> useful;
  int unchanged = 0, steps = 0;
  Case parent = starts.front();
  for (std::uint64_t seed = 0; seed < 2000; ++seed, ++steps) {
    if (seed % 16 == 0) parent = starts[seed / 16 % starts.size()];
    const Case child = mutate(parent, menu, seed, used);
    EXPECT_EQ(mutate(parent, menu, seed, again), child);
    EXPECT_EQ(used, again);
    EXPECT_EQ(decode(encode(child), subject.contract.signature()), child);
    if (child == parent) {
      ++unchanged;
      EXPECT_TRUE(used.empty());
    } else {
      EXPECT_TRUE(menu.affordable(child)) << describe(child, subject.contract.signature());
      useful.insert(used.begin(), used.end());
    }
    const Case crossed = cross(parent, starts[seed % starts.size()], menu, seed);
    EXPECT_EQ(cross(parent, starts[seed % starts.size()], menu, seed), crossed);
    EXPECT_TRUE(crossed == parent || menu.affordable(crossed));
    parent = child;
  }
  EXPECT_LT(unchanged, steps / 20);
  // All but those that the contract leaves nothing to change.
  EXPECT_GE(useful.size(), mutators().size() - 2);
}

INSTANTIATE_TEST_SUITE_P(Contracts, MutateContract,
                         ::testing::Values("softmax", "matmul", "relu", "cross_entropy", "layer_norm"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Mutators, have_a_place_in_the_statistics) {
  EXPECT_LE(mutators().size(), kMostMutators);
  std::set<std::string_view> names;
  for (const Mutator& m : mutators()) EXPECT_TRUE(names.insert(m.name).second) << m.name;
}

TEST(Mutate, stays_in_a_narrow_domain) {
  Subject subject = fake::subject("softmax");
  const auto where = Where::parse(subject.contract, "cols % 16 == 5, cols <= 512");
  ASSERT_TRUE(where);
  subject.where = *where;
  const Menu menu(subject);
  Case c = softmax_case(2, 21);
  std::vector<std::uint8_t> used;
  std::set<std::int64_t> columns;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    c = mutate(c, menu, seed, used);
    ASSERT_EQ(c.instance.dims[1] % 16, 5);
    columns.insert(c.instance.dims[1]);
  }
  EXPECT_GT(columns.size(), 4U);
}

TEST(EngineOptions, come_back_from_their_file) {
  EngineOptions o;
  o.target.kernel = "a \"b\".cu";
  o.target.contract = "softmax";
  o.target.where = "cols <= 4";
  o.target.sandbox = false;
  o.corpus = "corpus";
  o.inbox = "inbox";
  o.seed = ~std::uint64_t{0};
  o.runs = 12;
  o.families.remove(Family::residues);
  o.raw = {"-only_ascii=1"};
  const auto read = engine_options(to_json(o), "file");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(o));
  EXPECT_FALSE(engine_options("{}", "file"));
  EXPECT_FALSE(engine_options("", "file"));
}

}  // namespace
}  // namespace assay::fuzz
