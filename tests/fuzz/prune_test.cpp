#include "fuzz/prune.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "core/codec.h"
#include "core/file.h"
#include "fuzz/corpus.h"
#include "tests/fuzz/support.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;
using fake::stateless;

std::set<std::uint32_t> all_of(const std::vector<Weighed>& entries, const std::vector<std::size_t>& which) {
  std::set<std::uint32_t> all;
  for (std::size_t i : which) all.insert(entries[i].features.begin(), entries[i].features.end());
  return all;
}

RC_GTEST_PROP(Cover, KeepsEveryFeatureAndNothingNeedless, ()) {
  std::vector<Weighed> entries;
  const auto sets = *rc::gen::container<std::vector<std::vector<std::uint8_t>>>(
      rc::gen::container<std::vector<std::uint8_t>>(rc::gen::inRange<std::uint8_t>(0, 30)));
  std::vector<std::size_t> every;
  for (const auto& features : sets) {
    every.push_back(entries.size());
    entries.push_back({{features.begin(), features.end()}, static_cast<double>(features.size() % 3)});
  }
  const std::vector<std::size_t> kept = cover(entries);
  RC_ASSERT(all_of(entries, kept) == all_of(entries, every));
  for (std::size_t left_out : kept) {
    std::vector<std::size_t> fewer;
    for (std::size_t i : kept)
      if (i != left_out) fewer.push_back(i);
    RC_ASSERT(all_of(entries, fewer) != all_of(entries, every));
  }
  std::vector<Weighed> again;
  for (std::size_t i : kept) again.push_back(entries[i]);
  RC_ASSERT(cover(again).size() == kept.size());
}

TEST(Cover, TakesTheCheaperOfTwoThatSayTheSame) {
  EXPECT_EQ(cover(std::vector<Weighed>{{{1, 2}, 9}, {{1, 2}, 3}, {{1, 2}, 5}}), std::vector<std::size_t>{1});
}

void add(const fs::path& corpus, const std::string& name, const Case& c) {
  const std::vector<std::byte> bytes = encode(c);
  ASSERT_TRUE(write_file(corpus / name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

TEST(Prune, RemovesWhatSaysNothingNew) {
  const Folder folder;
  Case big = softmax_case(1, 4), other = softmax_case(2, 33);
  add(folder.path(), "a", softmax_case(1, 4));
  big.seed = 8;  // the same features
  add(folder.path(), "b", big);
  add(folder.path(), "c", other);
  const auto pruned = prune(folder.path(), target("softmax"), factory(stateless(fake::softmax)));
  ASSERT_TRUE(pruned) << pruned.error().message;
  EXPECT_EQ(pruned->entries_before, 3);
  EXPECT_LT(pruned->entries_after, 3);
  EXPECT_GT(pruned->features, 5);
  EXPECT_EQ(entries_of(folder.path())->size(), static_cast<std::size_t>(pruned->entries_after));
  EXPECT_TRUE(fs::exists(folder / "c"));
  const auto again = prune(folder.path(), target("softmax"), factory(stateless(fake::softmax)));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->entries_after, pruned->entries_after);
  EXPECT_EQ(again->features, pruned->features);
}

TEST(Prune, LeavesAllWhereItIsInterrupted) {
  const Folder folder;
  add(folder.path(), "a", softmax_case(1, 4));
  add(folder.path(), "b", softmax_case(1, 4));
  const std::atomic<bool> stop{true};
  const auto pruned = prune(folder.path(), target("softmax"), factory(stateless(fake::softmax)), &stop);
  ASSERT_TRUE(pruned);
  EXPECT_TRUE(pruned->interrupted);
  EXPECT_EQ(entries_of(folder.path())->size(), 2u);
}

TEST(Corpus, TakesInWhatACheckHasSaved) {
  const Folder folder;
  const Target softmax = target("softmax");
  Target other = target("softmax");
  other.asked.kernel = "kernels/other.cu";
  const Gate& gate = *find_gate("CMP-01");
  ASSERT_TRUE(report(folder / "cases", softmax, gate, "CMP-01/value/f32", Verdict{}, softmax_case(3, 5)));
  ASSERT_TRUE(report(folder / "cases", other, gate, "CMP-01/value/f32", Verdict{}, softmax_case(4, 6)));
  EXPECT_EQ(import_cases(folder / "cases", softmax, folder / "corpus").value_or(-1), 1);
  EXPECT_EQ(import_cases(folder / "cases", softmax, folder / "corpus").value_or(-1), 0);
  const auto entries = entries_of(folder / "corpus");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(*read_entry(entries->front(), softmax.subject.contract.signature()), softmax_case(3, 5));
}

}  // namespace
}  // namespace assay::fuzz
