#include "kernels/cuda/placement.h"

#include <gtest/gtest.h>

#include "kernels/cuda/sampled.h"

namespace assay::cuda {
namespace {

constexpr std::uint64_t kBase = std::uint64_t{1} << 33;
constexpr std::size_t kGranule = 2 << 20;

// Every size and alignment that matters, in the least room and in a whole granule.
template <class F>
void each_placement(F f) {
  for (const std::size_t bytes : {0, 1, 4, 255, 256, 257, 4095, 4096, 100'000})
    for (std::uint32_t misalign = 0; misalign < 256; ++misalign)
      for (const std::size_t capacity : {(room_for(bytes) + 255) / 256 * 256, kGranule})
        for (const Side side : {Side::end, Side::start})
          f(bytes, capacity, misalign, side, place_in(kBase, capacity, bytes, misalign, side));
}

TEST(Placement, AddressHasTheAlignmentThatWasAskedFor) {
  each_placement([](std::size_t, std::size_t, std::uint32_t misalign, Side, const Placed& p) {
    ASSERT_EQ(p.at % 256, misalign);
  });
}

TEST(Placement, TensorAndPoisonLieWithinTheMappedMemory) {
  each_placement([](std::size_t bytes, std::size_t capacity, std::uint32_t, Side, const Placed& p) {
    ASSERT_GE(p.at - p.before, kBase);
    ASSERT_LE(p.at + bytes + p.after, kBase + capacity);
    ASSERT_LE(p.before, 4096U);
    ASSERT_LE(p.after, 4096U);
  });
}

TEST(Placement, OneSideIsNextToAnUnmappedPageAndTheOtherHasPoison) {
  each_placement([](std::size_t bytes, std::size_t capacity, std::uint32_t, Side side, const Placed& p) {
    if (side == Side::end) {
      ASSERT_LT(kBase + capacity - p.at - bytes, 256U);
      ASSERT_EQ(p.after, kBase + capacity - p.at - bytes);
      ASSERT_EQ(p.before, 4096U);
    } else {
      ASSERT_LT(p.at - kBase, 256U);
      ASSERT_EQ(p.before, p.at - kBase);
      ASSERT_EQ(p.after, 4096U);
    }
  });
}

TEST(SampledPages, AscendWithoutRepetitionWithinTheTensor) {
  for (const std::uint64_t bytes :
       {std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{50'000}, std::uint64_t{9} << 30}) {
    const auto pages = sampled_pages(bytes);
    ASSERT_FALSE(pages.empty());
    EXPECT_EQ(pages.front(), 0U);
    EXPECT_EQ(pages.back(), (bytes - 1) / kSampledPage);
    for (std::size_t i = 1; i < pages.size(); ++i) EXPECT_LT(pages[i - 1], pages[i]);
  }
  EXPECT_TRUE(sampled_pages(0).empty());
}

TEST(SampledPages, HaveBothSidesOfTheElementWhereAnIndexOverflows) {
  for (const std::uint64_t size : {1, 2, 4, 8}) {
    const std::uint64_t overflow = size << 31;
    const auto pages = sampled_pages(overflow + 1000);
    EXPECT_TRUE(std::binary_search(pages.begin(), pages.end(), overflow / kSampledPage));
    EXPECT_TRUE(std::binary_search(pages.begin(), pages.end(), overflow / kSampledPage - 1));
  }
}

}  // namespace
}  // namespace assay::cuda
