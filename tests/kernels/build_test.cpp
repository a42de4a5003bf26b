#include <gtest/gtest.h>

#include <thread>

#include "kernels/kernel.h"
#include "tests/kernels/support.h"

namespace assay {
namespace {

using Status = RunResult::Status;
using namespace testing_support;

std::string build_error(std::string_view text) {
  const auto path = write_source(text);
  const auto source = read_source(path);
  if (!source) return source.error().message;
  auto bindings = assay::bind(*source, relu_signature(), "", std::nullopt);
  if (!bindings) return bindings.error().message;
  const auto kernel = build(*source, relu_signature(), std::move(*bindings), options());
  return kernel ? "" : kernel.error().message;
}

TEST(BuildKernel, compiler_errors_are_at_the_users_line) {
  const std::string text =
      "__global__ void k(const float* x, float* y, int n) {\n  y[0] = x[0]\n}\n"
      "void f(const float* x, float* y, int n) {\n  k<<<1,\n      1>>>(x, y, n);\n  undeclared(x);\n}\n";
  const std::string message = build_error(text);
  const std::string path = write_source(text).string();
  EXPECT_NE(message.find(path + " does not compile"), std::string::npos) << message;
  EXPECT_NE(message.find(path + ":2:14: error: expected ';'"), std::string::npos) << message;
  EXPECT_NE(message.find(path + ":7:3: error: use of undeclared identifier 'undeclared'"), std::string::npos)
      << message;
  EXPECT_EQ(message.find("adapter"), std::string::npos) << message;
}

TEST(BuildKernel, places_are_relative_where_the_users_path_is) {
  const std::string text =
      "__global__ void k(float* y, int n) {\n  y[n + 500] = 1;\n}\n"
      "void f(const float* x, float* y, int n) {\n  k<<<1, 1>>>(y, n);\n}\n";
  const auto path = std::filesystem::relative(write_source(text));
  ASSERT_TRUE(path.is_relative());
  const auto source = read_source(path);
  ASSERT_TRUE(source);
  const auto kernel =
      build(*source, relu_signature(), *assay::bind(*source, relu_signature(), "", std::nullopt), options());
  ASSERT_TRUE(kernel) << kernel.error().message;
  const std::vector<Tensor> inputs = {ramp(1, 1)};
  const std::vector<TensorSpec> outputs = {{DType::f32, {1}, false, 0, {}}};
  for (const Build b : {Build::fast, Build::checked}) {
    auto worker = start(*kernel, b);
    ASSERT_TRUE(worker) << worker.error().message;
    const RunResult r = (*worker)->run({{DType::f32, {1}, {}}, inputs, outputs, {}});
    ASSERT_EQ(r.status, Status::crashed);
    ASSERT_FALSE(r.diagnostics.empty());
    EXPECT_EQ(r.diagnostics.back().location, path.string() + ":2") << r.detail;
  }
}

TEST(BuildKernel, headers_beside_the_source_are_rewritten_too) {
  ASSERT_TRUE(write_file(
      folder() / "launch.cuh",
      "#pragma once\ntemplate <class T> __global__ void id(const T* x, T* y, int n) { extern __shared__ T "
      "s[]; "
      "s[threadIdx.x] = x[threadIdx.x]; y[threadIdx.x] = s[threadIdx.x]; }\n"
      "template <class T> void go(const T* x, T* y, int n) { id<T><<<1, n, n * sizeof(T)>>>(x, y, n); }\n"));
  const Loaded k = load("#include \"launch.cuh\"\nvoid f(const float* x, float* y, int n) { go(x, y, n); }\n",
                        relu_signature());
  auto worker = start(k.kernel, Build::checked);
  ASSERT_TRUE(worker) << worker.error().message;
  const std::vector<Tensor> inputs = {ramp(7, 3)};
  const std::vector<TensorSpec> outputs = {{DType::f32, {7}, false, 0, {}}};
  const RunResult r = (*worker)->run({{DType::f32, {7}, {}}, inputs, outputs, {}});
  ASSERT_EQ(r.status, Status::ok) << r.detail;
  EXPECT_EQ(r.outputs[0], inputs[0]);
}

TEST(BuildKernel, is_cached_by_content) {
  const std::string text =
      "void f(const float* x, float* y, int n) { cudaMemcpy(y, x, n * 4, cudaMemcpyDeviceToDevice); }\n";
  const Loaded a = load(text, relu_signature());
  const auto written = std::filesystem::last_write_time(a.kernel.fast);
  const Loaded b = load(text, relu_signature());
  EXPECT_EQ(a.kernel.content_hash, b.kernel.content_hash);
  EXPECT_EQ(a.kernel.fast, b.kernel.fast);
  EXPECT_EQ(std::filesystem::last_write_time(b.kernel.fast), written);
  EXPECT_NE(load(text + "// changed", relu_signature()).kernel.content_hash, a.kernel.content_hash);
}

TEST(BuildKernel, cannot_write_or_read_what_it_should_not) {
  // The compiler runs without a network and with a read-only root: an absolute #include of a secret is all
  // that is left, and its text goes nowhere but to the user's own terminal.
  const Loaded k = load(R"(
#include <cstdio>
void f(const float* x, float* y, int n) {
  FILE* home = fopen("/root/.bashrc", "r");
  FILE* net = fopen("/sys/class/net/eth0/address", "r");
  for (int i = 0; i < n; ++i) y[i] = (home != nullptr) + 2 * (net != nullptr);
}
)",
                        relu_signature());
  auto worker = start(k.kernel, Build::fast);
  ASSERT_TRUE(worker) << worker.error().message;
  const std::vector<Tensor> inputs = {ramp(1, 3)};
  const std::vector<TensorSpec> outputs = {{DType::f32, {1}, false, 0, {}}};
  const RunResult r = (*worker)->run({{DType::f32, {1}, {}}, inputs, outputs, {}});
  ASSERT_EQ(r.status, Status::ok) << r.detail;
  EXPECT_EQ(r.outputs[0].value(0), 0);
}

// Offsets, schedules, poison, and both widths of indices.
TEST(Run, places_tensors_as_asked) {
  const Loaded k =
      load(R"(
__global__ void where(const float* x, long long* y, int n) {
  if (threadIdx.x == 0) { y[0] = (unsigned long long)x % 256; y[1] = (unsigned long long)y % 256; }
}
void f(const float* x, long long* y, int n) { where<<<1, 1>>>(x, y, n); }
)",
           {"where", {"n"}, {}, {floats("x", 1)}, {{"y", 1, {ElementType::Kind::index, DType::i64}}}});
  for (const Build build : {Build::fast, Build::checked}) {
    auto worker = start(k.kernel, build);
    ASSERT_TRUE(worker) << worker.error().message;
    for (const int n : {3, 64, 1000, 5000}) {
      const std::vector<Tensor> inputs = {ramp(n, 1)};
      const std::vector<TensorSpec> outputs = {{DType::i64, {n}, true, n, {}}};
      Launch launch{{DType::f32, {n}, {}}, inputs, outputs, {4, 16}};
      launch.poison = 0x5A;
      const RunResult r = (*worker)->run(launch);
      ASSERT_EQ(r.status, Status::ok) << r.detail;
      EXPECT_EQ(r.outputs[0].integer(0), 4);
      EXPECT_EQ(r.outputs[0].integer(1), 16);
      EXPECT_EQ(r.outputs[0].bits(2), 0x5A5A5A5A5A5A5A5AULL);  // not written
      EXPECT_EQ(r.overrun, "");
    }
  }
}

TEST(Run, narrow_indices_are_widened) {
  const Loaded k = load(
      "__global__ void go(const float* x, int* y) { y[0] = -3; }\nvoid f(const float* x, int* y, int n) { "
      "go<<<1, 1>>>(x, y); }",
      {"narrow", {"n"}, {}, {floats("x", 1)}, {{"y", 1, {ElementType::Kind::index, DType::i64}}}});
  auto worker = start(k.kernel, Build::fast);
  ASSERT_TRUE(worker) << worker.error().message;
  const std::vector<Tensor> inputs = {ramp(2, 1)};
  const std::vector<TensorSpec> outputs = {{DType::i64, {2}, true, 2, {}}};
  const RunResult r = (*worker)->run({{DType::f32, {2}, {}}, inputs, outputs, {}});
  ASSERT_EQ(r.status, Status::ok) << r.detail;
  EXPECT_EQ(r.outputs[0].integer(0), -3);
  EXPECT_EQ(r.outputs[0].bits(1), 0xA5A5A5A5A5A5A5A5ULL);  // unwritten stays unwritten
}

TEST(Run, scalars_that_do_not_fit_are_refused) {
  const Loaded k = load("void f(const float* x, float* y, int8_t n) {}", relu_signature());
  auto worker = start(k.kernel, Build::fast);
  ASSERT_TRUE(worker) << worker.error().message;
  const std::vector<Tensor> inputs = {Tensor(DType::f32, {400})};
  const std::vector<TensorSpec> outputs = {{DType::f32, {400}, false, 0, {}}};
  const RunResult r = (*worker)->run({{DType::f32, {400}, {}}, inputs, outputs, {}});
  EXPECT_EQ(r.status, Status::refused);
  EXPECT_EQ(r.detail, "n = 400 does not fit in `int8_t n`");
}

TEST(Run, work_on_another_stream_is_reported) {
  const Loaded k = load(
      "__global__ void one(float* y) { y[0] = 1; }\n"
      "void f(const float* x, float* y, int n, cudaStream_t stream) {\n  if (n == 1)\n"
      "    one<<<1, 1, 0, stream>>>(y);\n  else\n    one<<<1, 1>>>(y);\n}",
      relu_signature());
  auto worker = start(k.kernel, Build::fast);
  ASSERT_TRUE(worker) << worker.error().message;
  for (const int n : {1, 2}) {
    const std::vector<Tensor> inputs = {ramp(n, 1)};
    const std::vector<TensorSpec> outputs = {{DType::f32, {n}, false, 0, {}}};
    const RunResult r = (*worker)->run({{DType::f32, {n}, {}}, inputs, outputs, {}});
    ASSERT_EQ(r.status, Status::ok) << r.detail;
    EXPECT_EQ(r.diagnostics.empty() ? "" : r.diagnostics[0].kind, n == 1 ? "" : "wrong stream");
  }
}

TEST(Run, the_schedule_orders_threads) {
  const Loaded k = load(
      "__global__ void last(float* y) { y[0] = threadIdx.x; }\n"
      "void f(const float* x, float* y, int n) { last<<<1, 64>>>(y); }",
      relu_signature());
  auto worker = start(k.kernel, Build::fast);
  ASSERT_TRUE(worker) << worker.error().message;
  const std::vector<Tensor> inputs = {ramp(1, 1)};
  const std::vector<TensorSpec> outputs = {{DType::f32, {1}, false, 0, {}}};
  Launch launch{{DType::f32, {1}, {}}, inputs, outputs, {}};
  EXPECT_EQ((*worker)->run(launch).outputs[0].value(0), 63);
  launch.schedule = 1;
  EXPECT_EQ((*worker)->run(launch).outputs[0].value(0), 0);
}

TEST(Run, statics_survive_calls_but_not_restarts) {
  const Loaded k = load("void f(const float* x, float* y, int n) { static int calls = 0; y[0] = ++calls; }",
                        relu_signature());
  auto worker = start(k.kernel, Build::fast);
  ASSERT_TRUE(worker) << worker.error().message;
  const std::vector<Tensor> inputs = {ramp(1, 1)};
  const std::vector<TensorSpec> outputs = {{DType::f32, {1}, false, 0, {}}};
  const Launch launch{{DType::f32, {1}, {}}, inputs, outputs, {}};
  EXPECT_EQ((*worker)->run(launch).outputs[0].value(0), 1);
  EXPECT_EQ((*worker)->run(launch).outputs[0].value(0), 2);
  (*worker)->restart();
  EXPECT_EQ((*worker)->run(launch).outputs[0].value(0), 1);
  EXPECT_EQ((*worker)->restarts(), 1);
}

TEST(Run, workers_are_independent_of_the_thread_that_started_them) {
  const Loaded k = load("void f(const float* x, float* y, int n) { y[0] = 1; }", relu_signature());
  std::unique_ptr<Worker> worker;
  std::thread([&] { worker = std::move(*start(k.kernel, Build::fast)); }).join();
  const std::vector<Tensor> inputs = {ramp(1, 1)};
  const std::vector<TensorSpec> outputs = {{DType::f32, {1}, false, 0, {}}};
  EXPECT_EQ(worker->run({{DType::f32, {1}, {}}, inputs, outputs, {}}).status, Status::ok);
  EXPECT_EQ(worker->restarts(), 0);
}

// --- what others refuse for no reason -------------------------------------------------------------------

TEST(Build, the_headers_of_cuda_std) {
  const Loaded k = load(R"(
#include <cuda/std/limits>
#include <cuda/std/cmath>
#include <cuda/std/type_traits>
#include <cuda_fp16.h>
template <class T>
__global__ void relu(const T* x, T* y, long long n) {
  static_assert(cuda::std::is_same_v<T, float>);
  float least = -cuda::std::numeric_limits<float>::infinity();
  float half_most = __half2float(cuda::std::numeric_limits<__half>::max());
  for (long long i = 0; i < n; ++i) y[i] = half_most == 65504 && cuda::std::isinf(least) ? x[i] : least;
}
template __global__ void relu<float>(const float*, float*, long long);
template <class T>
static inline void launch(const T* x, T* y, long long n) { relu<T><<<1, 1>>>(x, y, n); }
template static inline void launch<float>(const float*, float*, long long);
void f(const float* x, float* y, long long n) { launch<float>(x, y, n); }
)",
                        relu_signature());
  auto worker = start(k.kernel, Build::fast);
  ASSERT_TRUE(worker) << worker.error().message;
  const std::vector<Tensor> inputs = {ramp(5, 1)};
  const std::vector<TensorSpec> outputs = {{DType::f32, {5}, false, 0, {}}};
  const RunResult r = (*worker)->run({{DType::f32, {5}, {}}, inputs, outputs, {}});
  ASSERT_EQ(r.status, Status::ok) << r.detail;
  EXPECT_EQ(r.outputs[0].value(4), 4);
}

// On a machine with a CUDA toolkit and on one without, a kernel compiles against the same headers.
TEST(Build, no_header_of_a_toolkit_on_this_machine) {
  const auto source = read_source(write_source(R"(
#include <cublasLt.h>
void relu(const float* x, float* y, long long n) {}
)"));
  auto bindings = assay::bind(*source, relu_signature(), "", std::nullopt);
  ASSERT_TRUE(bindings);
  const auto kernel = build(*source, relu_signature(), std::move(*bindings), options());
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().message.find("'cublasLt.h' file not found"), std::string::npos)
      << kernel.error().message;
}

// --- past 2^31 elements ---------------------------------------------------------------------------------

SparseResult run_past_2_31(std::string_view index_type, Build build) {
  const Loaded k = load(fmt::format(R"(
__global__ void relu(const float* x, float* y, {0} n) {{
  {0} i = ({0})blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}}
void f(const float* x, float* y, long long n) {{ relu<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n); }}
)",
                                    index_type),
                        relu_signature());
  auto worker = start(k.kernel, build);
  if (!worker) {
    ADD_FAILURE() << worker.error().message;
    return {};
  }
  constexpr std::int64_t n = (std::int64_t{1} << 31) + 1000;
  const std::vector<Tensor> periods = {ramp(4096, 1)};
  const std::vector<TensorSpec> inputs = {{DType::f32, {n}, false, 0, {}}}, outputs = inputs;
  SparseLaunch launch{{DType::f32, {n}, {}}, periods, inputs, outputs};
  launch.deadline = std::chrono::seconds(60);
  return (*worker)->run_sparse(launch);
}

class RunSparse : public ::testing::TestWithParam<Build> {};

TEST_P(RunSparse, finds_what_was_written) {
  const SparseResult r = run_past_2_31("long long", GetParam());
  ASSERT_EQ(r.status, Status::ok) << r.detail;
  bool beyond = false, first = false;
  std::int64_t elements = 0;
  for (const auto& piece : r.pieces) {
    for (std::size_t j = 0; j < piece.bits.size(); ++j) {
      const std::int64_t i = piece.first + static_cast<std::int64_t>(j);
      ASSERT_EQ(decode(DType::f32, piece.bits[j]), static_cast<double>(i % 4096) + 1) << i;
      beyond = beyond || i >= std::int64_t{1} << 31;
      first = first || i == 0;
      ++elements;
    }
  }
  EXPECT_TRUE(beyond);
  EXPECT_TRUE(first);
  EXPECT_LE(elements, 4096);
  EXPECT_GT(elements, 500);
}

TEST_P(RunSparse, an_int32_index_fails) {
  const SparseResult r = run_past_2_31("int", GetParam());
  // Nothing is written past 2^31, or the process dies of a negative index.
  bool beyond = false;
  for (const auto& piece : r.pieces) beyond = beyond || piece.first >= std::int64_t{1} << 31;
  EXPECT_TRUE(r.status == Status::crashed || !beyond) << r.detail;
}

// The second kernel reads what left-out blocks of the first never wrote: a right kernel must not be blamed.
TEST_P(RunSparse, says_nothing_of_kernels_that_depend_on_each_other) {
  const Loaded k = load(R"(
__global__ void stage(const float* x, float* t, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t[n - 1 - i] = x[i];
}
__global__ void finish(const float* t, float* y, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = t[n - 1 - i] + 1;
}
void f(const float* x, float* y, long long n) {
  stage<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
  finish<<<(unsigned)((n + 255) / 256), 256>>>(y, y, n);
}
)",
                        relu_signature());
  auto worker = start(k.kernel, GetParam());
  ASSERT_TRUE(worker) << worker.error().message;
  constexpr std::int64_t n = (std::int64_t{1} << 31) + 1000;
  const std::vector<Tensor> periods = {ramp(4096, 1)};
  const std::vector<TensorSpec> inputs = {{DType::f32, {n}, false, 0, {}}}, outputs = inputs;
  SparseLaunch launch{{DType::f32, {n}, {}}, periods, inputs, outputs};
  launch.deadline = std::chrono::seconds(60);
  const SparseResult r = (*worker)->run_sparse(launch);
  EXPECT_EQ(r.status, Status::refused);
  EXPECT_NE(r.detail.find("several launches"), std::string::npos) << r.detail;
}

SparseResult run_past_2_31_of(const char* source, Build build) {
  const Loaded k = load(source, relu_signature());
  auto worker = start(k.kernel, build);
  if (!worker) {
    ADD_FAILURE() << worker.error().message;
    return {};
  }
  constexpr std::int64_t n = (std::int64_t{1} << 31) + 1000;
  const std::vector<Tensor> periods = {ramp(4096, 1)};
  const std::vector<TensorSpec> inputs = {{DType::f32, {n}, false, 0, {}}}, outputs = inputs;
  SparseLaunch launch{{DType::f32, {n}, {}}, periods, inputs, outputs};
  launch.deadline = std::chrono::seconds(60);
  return (*worker)->run_sparse(launch);
}

// The word says nothing: what counts is whether blocks share an atomic when they run.
TEST_P(RunSparse, judges_kernels_whose_atomics_stay_within_a_block) {
  const SparseResult r = run_past_2_31_of(R"(
// No cooperative_groups here.
__global__ void relu(const float* x, float* y, long long n) {
  __shared__ int arrived;
  if (threadIdx.x == 0) arrived = 0;
  __syncthreads();
  atomicAdd(&arrived, 1);
  __syncthreads();
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + (arrived == 256 ? 1 : 2);
}
void f(const float* x, float* y, long long n) { relu<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n); }
)",
                                          GetParam());
  EXPECT_EQ(r.status, Status::ok) << r.detail;
  EXPECT_FALSE(r.pieces.empty());
}

TEST_P(RunSparse, says_nothing_of_blocks_that_share_an_atomic) {
  for (const char* taken : {"atomicAdd(next, 1)", "take(next)"}) {
    const SparseResult r = run_past_2_31_of(fmt::format(R"(
__device__ int take(int* next) {{
  int seen = *next, now;
  while ((now = atomicCAS(next, seen, seen + 1)) != seen) seen = now;
  return seen;
}}
__global__ void relu(const float* x, float* y, long long n, int* next) {{
  __shared__ int block;
  if (threadIdx.x == 0) block = {};
  __syncthreads();
  long long i = (long long)block * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}}
void f(const float* x, float* y, long long n) {{
  int* next;
  cudaMalloc(&next, sizeof(int));
  cudaMemset(next, 0, sizeof(int));
  relu<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n, next);
  cudaFree(next);
}}
)",
                                                        taken)
                                                .c_str(),
                                            GetParam());
    EXPECT_EQ(r.status, Status::refused) << taken;
    EXPECT_NE(r.detail.find("share atomics"), std::string::npos) << r.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, RunSparse, ::testing::Values(Build::fast, Build::checked),
                         [](const auto& i) { return i.param == Build::fast ? "fast" : "checked"; });

}  // namespace
}  // namespace assay
