// The kernel's own branches, as a guide for a fuzzer.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernels/support.h"

namespace assay {
namespace {

using Status = RunResult::Status;
using namespace testing_support;

// Blocks of 256 threads, where counters of 8 bit would stand at 0 again.
constexpr std::string_view kSource = R"(
__global__ void branchy(const float* x, float* y, int n) {
  int i = threadIdx.x;
  if (n > 40) {
    if (i < n) y[i] = x[i] + 1.0f;
  } else if (n == 7) {
    __trap();
  } else if (i < n) {
    y[i] = x[i] * 2.0f;
  }
}
extern "C" void solve(const float* x, float* y, int n) { branchy<<<1, 256>>>(x, y, n); }
)";

Kernel built(bool branches) {
  const auto source = read_source(write_source(kSource));
  auto bindings = assay::bind(*source, relu_signature(), "", std::nullopt);
  BuildOptions o = options();
  o.branches = branches;
  auto kernel = build(*source, relu_signature(), std::move(*bindings), o);
  EXPECT_TRUE(kernel) << kernel.error().message;
  return std::move(*kernel);
}

std::vector<std::uint8_t> taken(Worker& worker, int n, Status expected = Status::ok) {
  const std::vector<Tensor> inputs = {ramp(n, 1)};
  const std::vector<TensorSpec> outputs = {{DType::f32, {n}, false, 0, {}}};
  const RunResult r = worker.run({{DType::f32, {n}, {}}, inputs, outputs, {}});
  EXPECT_EQ(r.status, expected) << r.detail;
  return {worker.branches().begin(), worker.branches().end()};
}

TEST(Branches, tell_the_ways_through_a_kernel_apart) {
  const Kernel kernel = built(true);
  for (const Build build : {Build::fast, Build::checked}) {
    auto worker = start(kernel, build);
    ASSERT_TRUE(worker) << worker.error().message;
    const auto large = taken(**worker, 200), small = taken(**worker, 20);
    ASSERT_FALSE(large.empty());
    EXPECT_LT(large.size(), 40U) << "more than the kernel's own";
    EXPECT_EQ(large.size(), small.size());
    EXPECT_NE(large, small);
    EXPECT_EQ(large, taken(**worker, 200)) << "flags of one call must not stay for the next";
    EXPECT_EQ(small, taken(**worker, 20));
    const auto crashed = taken(**worker, 7, Status::crashed);
    EXPECT_EQ(crashed.size(), large.size()) << "a crash tells its way, too";
    EXPECT_TRUE(std::find(crashed.begin(), crashed.end(), 1) != crashed.end());
    EXPECT_NE(crashed, small);
  }
}

TEST(Branches, are_not_there_unless_asked_for) {
  auto worker = start(built(false), Build::fast);
  ASSERT_TRUE(worker) << worker.error().message;
  EXPECT_TRUE(taken(**worker, 200).empty());
}

}  // namespace
}  // namespace assay
