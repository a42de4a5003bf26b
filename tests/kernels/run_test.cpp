#include <gtest/gtest.h>

#include "kernels/kernel.h"
#include "tests/kernels/support.h"

namespace assay {
namespace {

using Status = RunResult::Status;
using namespace testing_support;

TEST(Run, vector_addition) {
  const Loaded k = load(R"(
__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  add_kernel<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
)",
                        add_signature());
  for (const Build build : {Build::fast, Build::checked}) {
    auto worker = start(k.kernel, build);
    ASSERT_TRUE(worker) << worker.error().message;
    for (const int n : {1, 33, 1000}) {
      const Tensor a = ramp(n, 0.5), b = ramp(n, 2);
      const std::vector<Tensor> inputs = {a, b};
      const std::vector<TensorSpec> outputs = {{DType::f32, {n}, false, 0, {}}};
      Launch launch{{DType::f32, {n}, {}}, inputs, outputs, {}};
      const RunResult r = (*worker)->run(launch);
      ASSERT_EQ(r.status, Status::ok) << r.detail;
      ASSERT_EQ(r.outputs.size(), 1U);
      for (int i = 0; i < n; ++i) ASSERT_EQ(r.outputs[0].value(i), a.value(i) + b.value(i));
      EXPECT_TRUE(r.changed_inputs.empty());
      EXPECT_EQ(r.overrun, "");
      EXPECT_TRUE(r.diagnostics.empty()) << r.diagnostics[0].text;
    }
    EXPECT_EQ((*worker)->restarts(), 0);
  }
}

TEST(Run, a_bool_says_whether_it_went_well) {
  const Loaded k = load(R"(
__global__ void copy(const float* x, float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x]; }
bool relu(const float* x, float* y, int n) {
  copy<<<1, 64>>>(x, y, n);
  return n != 3 && cudaGetLastError() == cudaSuccess;
}
)",
                        relu_signature());
  auto worker = start(k.kernel, Build::fast);
  ASSERT_TRUE(worker) << worker.error().message;
  for (const int n : {2, 3}) {
    const std::vector<Tensor> inputs = {ramp(n, 1)};
    const std::vector<TensorSpec> outputs = {{DType::f32, {n}, false, 0, {}}};
    const RunResult r = (*worker)->run({{DType::f32, {n}, {}}, inputs, outputs, {}});
    EXPECT_EQ(r.status, n == 3 ? Status::refused : Status::ok) << r.detail;
  }
}

TEST(Run, softmax_with_barriers_and_half) {
  const Loaded k = load(R"(
#include <cuda_fp16.h>
__global__ void softmax_kernel(const half* x, half* y, int cols) {
  extern __shared__ float buf[];
  const half* row = x + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int j = threadIdx.x; j < cols; j += blockDim.x) m = fmaxf(m, __half2float(row[j]));
  buf[threadIdx.x] = m;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) buf[threadIdx.x] = fmaxf(buf[threadIdx.x], buf[threadIdx.x + s]);
    __syncthreads();
  }
  m = buf[0];
  __syncthreads();
  float t = 0;
  for (int j = threadIdx.x; j < cols; j += blockDim.x) t += expf(__half2float(row[j]) - m);
  buf[threadIdx.x] = t;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
    __syncthreads();
  }
  for (int j = threadIdx.x; j < cols; j += blockDim.x)
    y[(size_t)blockIdx.x * cols + j] = __float2half(expf(__half2float(row[j]) - m) / buf[0]);
}
void launch(void* out, void* in, int64_t batch, int64_t dim) {
  softmax_kernel<<<batch, 128, 128 * sizeof(float)>>>((const half*)in, static_cast<half*>(out), dim);
}
)",
                        softmax_signature());
  ASSERT_EQ(k.kernel.dtypes(), std::vector{DType::f16});
  EXPECT_EQ(to_string(k.kernel.bindings[0], k.kernel.signature), "launch(y, x, rows, cols)");
  for (const Build build : {Build::fast, Build::checked}) {
    auto worker = start(k.kernel, build);
    ASSERT_TRUE(worker) << worker.error().message;
    Tensor x(DType::f16, {3, 40});
    for (int i = 0; i < x.size(); ++i) x.set_bits(i, encode(DType::f16, i % 7 * 0.25));
    const std::vector<Tensor> inputs = {x};
    const std::vector<TensorSpec> outputs = {{DType::f16, {3, 40}, false, 0, {}}};
    const RunResult r = (*worker)->run({{DType::f16, {3, 40}, {}}, inputs, outputs, {}});
    ASSERT_EQ(r.status, Status::ok) << r.detail;
    for (int row = 0; row < 3; ++row) {
      double sum = 0;
      for (int j = 0; j < 40; ++j) sum += r.outputs[0].value(row * 40 + j);
      EXPECT_NEAR(sum, 1, 0.01);
    }
  }
}

}  // namespace
}  // namespace assay
