#include "kernels/cuda/sanitizer.h"

#include <gtest/gtest.h>

namespace assay::cuda {
namespace {

TEST(ToolReport, MemcheckNamesKindPlaceAndThread) {
  const auto found = parse_tool_report(
      "========= COMPUTE-SANITIZER\n"
      "========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to \"invalid argument\" on CUDA API call "
      "to x.\n"
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     at transpose_kernel(const float *, float *, int)+0x3e0 in transpose.cu:20\n"
      "=========     by thread (8,15,0) in block (0,0,0)\n"
      "=========     Access to 0x7fa809600000 is out of bounds\n"
      "=========     and is 1 bytes after the nearest allocation at 0x7fa809400000 of size 2097152 bytes\n"
      "========= \n"
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     at transpose_kernel(const float *, float *, int)+0x3e0 in transpose.cu:20\n"
      "=========     by thread (9,15,0) in block (0,0,0)\n"
      "=========     Access to 0x7fa809600004 is out of bounds\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "out of bounds");
  EXPECT_EQ(found[0].location, "transpose.cu:20");
  EXPECT_NE(found[0].text.find("thread (8,15,0)"), std::string::npos) << found[0].text;
}

TEST(ToolReport, AMisalignedAccessIsNoneOutOfBounds) {
  const auto found = parse_tool_report(
      "========= Invalid __global__ read of size 16 bytes\n"
      "=========     at k(const float *)+0x30 in k.cu:9\n"
      "=========     Access to 0x7fa809600004 is misaligned\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "misaligned");
}

TEST(ToolReport, RacecheckCountsErrorsAndNoWarnings) {
  const auto found = parse_tool_report(
      "========= Warning: Race reported between Write access at k(float *)+0x570 in m.cu:20\n"
      "=========     and Read access at k(float *)+0x5b0 in m.cu:23 [256 hazards]\n"
      "========= \n"
      "========= Error: Race reported between Write access at k(float *)+0x580 in m.cu:21\n"
      "=========     and Read access at k(float *)+0x5a0 in m.cu:23 [64 hazards]\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "race");
  EXPECT_EQ(found[0].location, "m.cu:21");
}

TEST(ToolReport, SynccheckNamesTheBarrier) {
  const auto found = parse_tool_report(
      "========= Barrier error detected. Divergent thread(s) in block.\n"
      "=========     at k(float *)+0x90 in s.cu:12\n"
      "=========     by thread (32,0,0) in block (0,0,0)\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "barrier in divergent code");
}

TEST(ToolReport, ACleanRunSaysNothing) {
  EXPECT_TRUE(parse_tool_report("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n").empty());
  EXPECT_TRUE(parse_tool_report("").empty());
}

}  // namespace
}  // namespace assay::cuda
