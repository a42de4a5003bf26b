// Runs in which host code cannot touch a tensor and no one can write to an input, and what a kernel may ask
// of its surroundings.

#include <gtest/gtest.h>

#include "kernels/kernel.h"
#include "tests/kernels/support.h"

namespace assay {
namespace {

using Status = RunResult::Status;
using namespace testing_support;

RunResult run(std::string_view source, bool guarded, int n = 100) {
  const Loaded k = load(source, relu_signature());
  auto worker = start(k.kernel, Build::fast);
  if (!worker) {
    ADD_FAILURE() << worker.error().message;
    return {};
  }
  const std::vector<Tensor> inputs = {ramp(n, 1)};
  const std::vector<TensorSpec> outputs = {{DType::f32, {n}, false, 0, {}}};
  Launch launch{{DType::f32, {n}, {}}, inputs, outputs, {}};
  launch.guarded = guarded;
  return (*worker)->run(launch);
}

constexpr std::string_view kCopy = R"(
__global__ void copy(const float* x, float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x]; }
)";

TEST(Guarded, ARightKernelUsesTheApi) {
  const RunResult r = run(std::string(kCopy) + R"(
void relu(const float* x, float* y, int n) {
  float* t;
  float* h = new float[n];
  cudaMalloc(&t, n * sizeof(float));
  cudaMemset(y, 0, n * sizeof(float));
  cudaMemcpy(t, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaMemcpy(h, t, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(t, h, n * sizeof(float), cudaMemcpyHostToDevice);
  copy<<<1, 128>>>(t, y, n);
  copy<<<1, 128>>>(x, y, n);
  delete[] h;
  cudaFree(t);
}
)",
                          true);
  ASSERT_EQ(r.status, Status::ok) << r.detail;
  EXPECT_TRUE(r.diagnostics.empty()) << r.diagnostics[0].text;
  EXPECT_EQ(r.outputs[0].value(99), 99);
}

TEST(Guarded, HostCodeCannotTouchDeviceMemory) {
  for (const char* touch : {"y[n - 1] = 3", "n += x[5] > 0"}) {
    const RunResult r = run(std::string(kCopy) + "void relu(const float* x, float* y, int n) { " + touch +
                                "; copy<<<1, 128>>>(x, y, n); }",
                            true);
    EXPECT_EQ(r.status, Status::crashed) << touch;
    ASSERT_FALSE(r.diagnostics.empty()) << r.detail;
    EXPECT_EQ(r.diagnostics.back().kind, "host access") << r.detail;
    EXPECT_NE(r.diagnostics.back().text.find(touch[0] == 'y' ? "host code writes output y"
                                                             : "host code reads input x, 20 bytes"),
              std::string::npos)
        << r.diagnostics.back().text;
  }
}

TEST(Guarded, AnInputThatIsRestoredWasWritten) {
  const std::string source = R"(
__global__ void relu_kernel(float* x, float* y, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  float kept = x[i];
  x[i] = 7;
  y[i] = kept;
  x[i] = kept;
}
void relu(float* x, float* y, int n) { relu_kernel<<<1, 128>>>(x, y, n); }
)";
  EXPECT_EQ(run(source, false).status, Status::ok);
  const RunResult r = run(source, true);
  EXPECT_EQ(r.status, Status::crashed);
  ASSERT_FALSE(r.diagnostics.empty()) << r.detail;
  EXPECT_EQ(r.diagnostics.back().kind, "input changed");
}

// As an H200 answers: what is said to be the device's must be, the other side may be anything.
TEST(Copies, TheKindIsHeldToWhatItSaysOfTheDevice) {
  for (const auto& [call, code] : {std::pair{"cudaMemcpy(h, x, 16, cudaMemcpyDeviceToDevice)", 1},
                                   {"cudaMemcpy(h, x, 16, cudaMemcpyHostToDevice)", 1},
                                   {"cudaMemcpy(h, x, 16, cudaMemcpyDeviceToHost)", 0},
                                   {"cudaMemcpy(h, h, 16, cudaMemcpyDeviceToHost)", 1},
                                   {"cudaMemcpy(y, x, 16, cudaMemcpyHostToDevice)", 0},
                                   {"cudaMemcpy(y, x, 16, cudaMemcpyDeviceToHost)", 0},
                                   {"cudaMemcpy(y, h, 16, cudaMemcpyDeviceToDevice)", 1},
                                   {"cudaMemcpy(y, h, 16, cudaMemcpyHostToHost)", 0},
                                   {"cudaMemcpyAsync(y + 1, h, 16, cudaMemcpyDeviceToHost, 0)", 1},
                                   {"cudaMemset(h, 0, 16)", 1},
                                   {"cudaMemset(y, 0, 16)", 0}}) {
    const RunResult r =
        run(std::string(kCopy) +
                "int relu(const float* x, float* y, int n) { float h[4] = {1, 2, 3, 4}; int code = " + call +
                "; copy<<<1, 128>>>(x, y, n); cudaGetLastError(); return code; }",
            true);
    EXPECT_EQ(r.status, code == 0 ? Status::ok : Status::refused) << call << r.detail;
    EXPECT_EQ(r.refusal, code) << call;
  }
}

TEST(Surroundings, AreNotTold) {
  const RunResult r = run(std::string(kCopy) + R"(
#include <fcntl.h>
#include <unistd.h>
int relu(const float* x, float* y, int n) {
  char name[64];
  copy<<<1, 128>>>(x, y, n);
#if defined(__clang__) || defined(ASSAY_CPU)
  return 1;
#endif
  if (open("/proc/self/comm", O_RDONLY) >= 0) return 2;
  if (readlink("/proc/self/exe", name, sizeof name) >= 0) return 3;
  return 0;
}
)",
                          false);
  EXPECT_EQ(r.status, Status::ok) << r.detail;
}

}  // namespace
}  // namespace assay
