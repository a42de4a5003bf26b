// Build::race: what the runtime says of accesses, in the names of the kernel's own file and tensors.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernels/support.h"

namespace assay {
namespace {

using namespace testing_support;

// Up to 32 elements: an update that may be lost, of y[0]; up to 64: y[1] is read by nobody's leave; else each
// thread waits for a flag that another one raises after a fence, and all is well.
constexpr std::string_view kSource = R"(
__global__ void accesses(const float* x, float* y, int n, volatile int* flag) {
  int i = threadIdx.x;
  if (n <= 32) {
    y[0] = y[0] + x[1];
  } else if (n <= 64) {
    if (i == 0) y[0] = y[1];
  } else if (i == 32) {
    y[0] = 5.0f;
    __threadfence();
    *flag = 1;
  } else if (i == 0) {
    while (*flag == 0) {
    }
    y[1] = y[0];
  }
}
extern "C" void solve(const float* x, float* y, int n) {
  if (n <= 32) cudaMemset(y, 0, n * sizeof(float));
  int* flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  accesses<<<1, 64>>>(x, y, n, flag);
  cudaFree(flag);
}
)";

class Accesses : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto source = read_source(write_source(kSource));
    auto bindings = assay::bind(*source, relu_signature(), "", std::nullopt);
    auto kernel = build(*source, relu_signature(), std::move(*bindings), options());
    ASSERT_TRUE(kernel) << kernel.error().message;
    auto worker = start(*kernel, Build::race);
    ASSERT_TRUE(worker) << worker.error().message;
    worker_ = std::move(*worker);
  }
  static void TearDownTestSuite() { worker_.reset(); }

  static RunResult run(int n) {
    const std::vector<Tensor> inputs = {ramp(n, 1)};
    const std::vector<TensorSpec> outputs = {{DType::f32, {n}, false, 0, {}}};
    Launch launch{{DType::f32, {n}, {}}, inputs, outputs, {}};
    launch.deadline = std::chrono::seconds(60);
    return worker_->run(launch);
  }

  static inline std::unique_ptr<Worker> worker_;
};

TEST_F(Accesses, of_two_threads_without_an_order_are_a_race_with_both_lines) {
  const RunResult r = run(32);
  ASSERT_EQ(r.status, RunResult::Status::ok) << r.detail;
  ASSERT_FALSE(r.diagnostics.empty());
  const Diagnostic& d = r.diagnostics.front();
  EXPECT_EQ(d.kind, "race");
  EXPECT_TRUE(d.location.ends_with(".cu:5")) << d.location;
  EXPECT_NE(d.text.find("output y, element 0, and nothing orders them"), std::string::npos) << d.text;
  EXPECT_NE(d.text.find("thread (1,0,0) at " + d.location), std::string::npos) << d.text;
  EXPECT_NE(d.text.find("thread (0,0,0) at " + d.location), std::string::npos) << d.text;
  EXPECT_EQ(std::count(d.text.begin(), d.text.end(), '\n'), 2) << d.text;
}

TEST_F(Accesses, to_what_nobody_has_written_show_once_a_line) {
  for (int turn = 0; turn < 2; ++turn) {  // also where the memory was written in the call before
    const RunResult r = run(64);
    ASSERT_EQ(r.diagnostics.size(), 1U);
    EXPECT_EQ(r.diagnostics[0].kind, "uninitialised read");
    EXPECT_TRUE(r.diagnostics[0].location.ends_with(".cu:7")) << r.diagnostics[0].location;
    EXPECT_NE(r.diagnostics[0].text.find("output y, element 1"), std::string::npos) << r.diagnostics[0].text;
  }
}

TEST_F(Accesses, that_a_fence_and_a_flag_order_are_right) {
  const RunResult r = run(65);
  ASSERT_EQ(r.status, RunResult::Status::ok) << r.detail;
  EXPECT_TRUE(r.diagnostics.empty()) << r.diagnostics[0].text;
  EXPECT_EQ(r.outputs[0].value(1), 5);
}

}  // namespace
}  // namespace assay
