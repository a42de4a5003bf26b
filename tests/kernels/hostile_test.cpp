// Kernels that attack the process that runs them. Each ends as a status, within its deadline, and the next
// call of the same worker runs.

#include <gtest/gtest.h>

#include "kernels/kernel.h"
#include "tests/kernels/support.h"

namespace assay {
namespace {

using Status = RunResult::Status;
using namespace testing_support;

// What n selects: 1 runs right, others misbehave.
constexpr std::string_view kHostile = R"(
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>
#include <fcntl.h>

__global__ void copy(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void write_null(float* y) { y = nullptr; *(volatile float*)y = 1; }
__global__ void write_past(float* y, int n) { y[n + 100] = 1; }
__global__ void read_past(const float* x, float* y, int n) { y[0] = x[n + 1000]; }
__global__ void one_past(float* y, int n) { y[n] = 1; }
__global__ void before(float* y) { y[-1] = 1; }
__global__ void overwrite(const float* x) { ((float*)x)[0] = 7; }
__global__ void forever(float* y) { while (true) *(volatile float*)y = 1; }
__global__ void deadlock(float* y) {
  if (threadIdx.x < 8) __syncthreads();
  else if (threadIdx.x < 16) __shfl_sync(0xffffffffu, 1, 0);
  y[0] = 1;
}
__global__ void random_writes() {
  unsigned long s = 88172645463325252ul;
  while (true) {
    s ^= s << 13; s ^= s >> 7; s ^= s << 17;
    *(volatile char*)(s & 0x7fffffffffff) = 1;
  }
}

extern "C" int solve(const float* x, float* y, int n) {
  switch (n) {
    case 2: write_null<<<1, 1>>>(y); break;
    case 3: exit(0);
    case 4: abort();
    case 5: forever<<<1, 1>>>(y); break;
    case 6: {
      std::vector<char> page(1 << 20, 'x');
      for (int i = 0; i < 1024; ++i) fwrite(page.data(), 1, page.size(), stdout);
      break;
    }
    case 7: for (std::vector<char*> all;;) { char* p = (char*)malloc(16 << 20); if (!p) abort(); for (int i = 0; i < 16 << 20; i += 4096) ((volatile char*)p)[i] = 1; }
    case 8: while (true) fork();
    case 9: random_writes<<<1, 1>>>(); break;
    case 10: for (int fd = 0; fd < 1000; ++fd) close(fd); break;
    case 11: raise(SIGSTOP); break;
    case 12: {
      pthread_t t;
      pthread_create(&t, nullptr, [](void*) -> void* { _exit(3); }, nullptr);
      pthread_join(t, nullptr);
      break;
    }
    case 13: deadlock<<<1, 64>>>(y); break;
    case 14: kill(getppid(), SIGKILL); break;
    case 15: socket(AF_INET, SOCK_STREAM, 0); break;
    case 16: system("true"); break;
    case 17: write_past<<<1, 1>>>(y, n); return 0;
    case 18: read_past<<<1, 1>>>(x, y, n); return 0;
    case 19: one_past<<<1, 1>>>(y, n); break;
    case 20: before<<<1, 1>>>(y); break;
    case 21: overwrite<<<1, 1>>>(x); break;
    case 22: return 5;
    case 23: copy<<<1, 2048>>>(x, y, n); return 0;
    case 24: return open("/tmp/assay-escaped", O_CREAT | O_WRONLY, 0600) >= 0 ? 1 : 0;
    case 25: for (;;) { kill(-1, SIGKILL); pause(); }
  }
  copy<<<1, 64>>>(x, y, n);
  return 0;
}
)";

class Calls : public ::testing::Test {
 protected:
  void begin(Build build, bool sandbox) {
    const Loaded k = load(kHostile, relu_signature(), "", sandbox);
    auto worker = start(k.kernel, build);
    ASSERT_TRUE(worker) << worker.error().message;
    worker_ = std::move(*worker);
  }

  RunResult run(int n, std::chrono::milliseconds deadline = std::chrono::seconds(20)) {
    const std::vector<Tensor> inputs = {ramp(n, 1)};
    const std::vector<TensorSpec> outputs = {{DType::f32, {n}, false, 0, {}}};
    Launch launch{{DType::f32, {n}, {}}, inputs, outputs, {}};
    launch.deadline = deadline;
    return worker_->run(launch);
  }

  // The next call is right.
  void expect_alive() {
    const RunResult r = run(1);
    EXPECT_EQ(r.status, Status::ok) << r.detail;
    ASSERT_EQ(r.outputs.size(), 1U);
    EXPECT_EQ(r.outputs[0].value(0), 0);
    EXPECT_EQ(r.overrun, "");
  }
  void expect_crash(int n, std::string_view detail) {
    const RunResult r = run(n);
    EXPECT_EQ(r.status, Status::crashed) << r.detail;
    EXPECT_NE(r.detail.find(detail), std::string::npos) << r.detail;
    expect_alive();
    EXPECT_EQ(worker_->restarts(), 1);
  }

  std::unique_ptr<Worker> worker_;
};

class Hostile : public Calls, public ::testing::WithParamInterface<Build> {
 protected:
  void SetUp() override { begin(GetParam(), true); }
};

TEST_P(Hostile, segfault) {
  expect_crash(2, GetParam() == Build::fast ? "died by SIGSEGV: write at address 0x0" : "null");
}
TEST_P(Hostile, exit) {
  expect_crash(3, "exit(0)");
}
TEST_P(Hostile, abort) {
  expect_crash(4, "SIGABRT");
}
TEST_P(Hostile, exit_in_a_thread) {
  expect_crash(12, "exit(3)");
}
TEST_P(Hostile, allocates_without_end) {
  expect_crash(7, "memory");
}
TEST_P(Hostile, fork_bomb) {
  expect_crash(8, "fork");
}
TEST_P(Hostile, starts_a_program) {
  expect_crash(16, "system call");
}
TEST_P(Hostile, opens_a_socket) {
  expect_crash(15, "socket");
}
TEST_P(Hostile, kills_its_parent) {
  expect_crash(14, "kill");
}
TEST_P(Hostile, kills_everybody) {
  expect_crash(25, "kill");
}
TEST_P(Hostile, writes_to_random_addresses) {
  expect_crash(9, "SEGV");
}
TEST_P(Hostile, closes_all_files) {
  expect_crash(10, "closed file descriptors");
}
TEST_P(Hostile, deadlock) {
  const RunResult r = run(13);
  EXPECT_EQ(r.status, Status::crashed) << r.detail;
  ASSERT_FALSE(r.diagnostics.empty());
  EXPECT_NE(r.diagnostics.back().text.find("no thread of the block can go on"), std::string::npos)
      << r.detail;
  expect_alive();
}

TEST_P(Hostile, loops_without_end) {
  const auto start = std::chrono::steady_clock::now();
  const RunResult r = run(5, std::chrono::milliseconds(300));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(r.status, Status::hung);
  EXPECT_NE(r.detail.find("300 ms"), std::string::npos) << r.detail;
  expect_alive();
}

TEST_P(Hostile, stops_itself) {
  const RunResult r = run(11, std::chrono::milliseconds(300));
  EXPECT_EQ(r.status, Status::hung) << r.detail;
  expect_alive();
}

TEST_P(Hostile, prints_a_gigabyte) {
  const RunResult r = run(6);
  ASSERT_EQ(r.status, Status::ok) << r.detail;
  EXPECT_EQ(r.outputs[0].value(5), 5);
  expect_alive();
  EXPECT_EQ(worker_->restarts(), 0);
}

TEST_P(Hostile, far_past_the_end) {
  const RunResult r = run(17);
  EXPECT_EQ(r.status, Status::crashed) << r.detail;
  ASSERT_FALSE(r.diagnostics.empty());
  EXPECT_EQ(r.diagnostics.back().kind, "out of bounds");
  EXPECT_NE(r.detail.find("400 bytes past the end of output y"), std::string::npos) << r.detail;
  EXPECT_NE(r.diagnostics.back().location.find(".cu:17"), std::string::npos) << r.diagnostics.back().location;
  expect_alive();
}

TEST_P(Hostile, reads_past_the_end) {
  const RunResult r = run(18);
  EXPECT_EQ(r.status, Status::crashed) << r.detail;
  EXPECT_NE(r.detail.find("read"), std::string::npos) << r.detail;
  EXPECT_NE(r.detail.find("4000 bytes past the end of input x"), std::string::npos) << r.detail;
}

TEST_P(Hostile, writes_one_past_the_end) {
  const RunResult r = run(19);
  if (GetParam() == Build::fast) {  // in the slack that the alignment leaves
    EXPECT_EQ(r.status, Status::ok) << r.detail;
    EXPECT_EQ(r.overrun, "output y: 0 bytes past its end");
  } else {
    EXPECT_EQ(r.status, Status::crashed);
    EXPECT_NE(r.detail.find("write of 4 bytes, 0 bytes past the end of output y"), std::string::npos)
        << r.detail;
  }
  expect_alive();
}

TEST_P(Hostile, writes_before_the_start) {
  const RunResult r = run(20);
  if (GetParam() == Build::fast) {
    EXPECT_EQ(r.overrun, "output y: 4 bytes before its start");
  } else {
    EXPECT_EQ(r.status, Status::crashed);
    EXPECT_NE(r.detail.find("4 bytes before the start of output y"), std::string::npos) << r.detail;
  }
}

TEST_P(Hostile, writes_to_an_input) {
  const RunResult r = run(21);
  EXPECT_EQ(r.status, Status::ok);
  EXPECT_EQ(r.changed_inputs, std::vector<std::string>{"x"});
}

TEST_P(Hostile, returns_a_code) {
  const RunResult r = run(22);
  EXPECT_EQ(r.status, Status::refused);
  EXPECT_EQ(r.refusal, 5);
}

TEST_P(Hostile, fails_to_launch) {
  const RunResult r = run(23);
  ASSERT_EQ(r.status, Status::ok) << r.detail;
  ASSERT_FALSE(r.diagnostics.empty());
  std::uint32_t poison = 0;
  std::memset(&poison, 0xA5, sizeof poison);
  EXPECT_EQ(r.outputs[0].bits(0), poison);
}

TEST_P(Hostile, cannot_write_files) {
  const RunResult r = run(24);
  EXPECT_EQ(r.status, Status::ok) << r.refusal;
  EXPECT_FALSE(std::filesystem::exists("/tmp/assay-escaped"));
}

TEST_P(Hostile, refuses_other_dtypes) {
  const std::vector<Tensor> inputs = {Tensor(DType::f16, {4})};
  const std::vector<TensorSpec> outputs = {{DType::f16, {4}, false, 0, {}}};
  const RunResult r = worker_->run({{DType::f16, {4}, {}}, inputs, outputs, {}});
  EXPECT_EQ(r.status, Status::refused);
  EXPECT_NE(r.detail.find("f32, not f16"), std::string::npos) << r.detail;
}

// What must hold without bubblewrap, too.
// Code that runs while the plug-in is loaded is the kernel's too.
TEST(LoadingHostile, static_initialisers_that_crash_are_the_kernels_fault) {
  const std::string source = R"(
#include <cstdlib>
static int bad = (abort(), 1);
__global__ void copy(const float* x, float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x]; }
extern "C" void relu(const float* x, float* y, int n) { copy<<<1, 64>>>(x, y, n + bad - 1); }
)";
  const Loaded k = load(source, relu_signature(), "", true);
  for (const Build build : {Build::fast, Build::checked}) {
    auto worker = start(k.kernel, build);
    ASSERT_TRUE(worker) << worker.error().message;
    const std::vector<Tensor> inputs = {ramp(4, 1)};
    const std::vector<TensorSpec> outputs = {{DType::f32, {4}, false, 0, {}}};
    for (int i = 0; i < 2; ++i) {
      const RunResult r = (*worker)->run({{DType::f32, {4}, {}}, inputs, outputs, {}});
      EXPECT_EQ(r.status, Status::crashed);
      EXPECT_NE(r.detail.find("static initialisers"), std::string::npos) << r.detail;
    }
  }
}

class Unboxed : public Calls {
 protected:
  void SetUp() override { begin(Build::fast, false); }
};

TEST_F(Unboxed, exit) {
  expect_crash(3, "exit(0)");
}
TEST_F(Unboxed, allocates_without_end) {
  expect_crash(7, "memory");
}
TEST_F(Unboxed, starts_a_program) {
  expect_crash(16, "system call");
}
TEST_F(Unboxed, kills_its_parent) {
  expect_crash(14, "kill");
}
TEST_F(Unboxed, loops_without_end) {
  EXPECT_EQ(run(5, std::chrono::milliseconds(300)).status, Status::hung);
  expect_alive();
}

INSTANTIATE_TEST_SUITE_P(Builds, Hostile, ::testing::Values(Build::fast, Build::checked),
                         [](const auto& i) { return i.param == Build::fast ? "fast" : "checked"; });

}  // namespace
}  // namespace assay
