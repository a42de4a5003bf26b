// Findings as programs, built as their first lines say and run, on the fault and on its repair.

#include "fuzz/standalone.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/file.h"
#include "kernels/libexec.h"
#include "kernels/process.h"
#include "kernels/sandbox.h"
#include "tests/fuzz/support.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

// A relu whose one thread an element does `body`.
std::string relu(std::string_view body) {
  return fmt::format(R"(
__global__ void relu(const float* x, float* y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {}
}}
extern "C" void solve(const float* x, float* y, int n) {{
  relu<<<(n + 127) / 128, 128>>>(x, y, n);
}}
)",
                     body);
}
const std::string kRight = relu("if (i < n) y[i] = x[i] < 0 ? 0 : x[i];");

struct Program {
  int code = -1;
  std::string output;
};

class Standalone : public testing::Test {
 protected:
  // What was compiled once is found beside the test program.
  Standalone() {
    const fs::path cache = fs::read_symlink("/proc/self/exe").parent_path() / "assay_fuzz_tests_cache";
    ::setenv("ASSAY_CACHE", cache.c_str(), 0);
  }

  // The first finding of the kernel under a gate, as a campaign would file it.
  Record find(const std::string& source, std::string_view gate) {
    EXPECT_TRUE(write_file(folder_ / "relu.cu", source));
    TargetOptions asked;
    asked.kernel = folder_ / "relu.cu";
    asked.contract = "relu";
    asked.sandbox = probe_sandbox().has_value();
    const Expected<Plan> planned = plan(asked);
    EXPECT_TRUE(planned) << planned.error().message;
    Expected<Target> built = build(*planned);
    EXPECT_TRUE(built) << built.error().message;
    target_.emplace(std::move(*built));
    const CheckReport report = check(target_->subject, runners(target_->kernel),
                                     {.gates = {find_gate(gate)}, .cases = 60, .jobs = 2});
    if (report.findings.empty()) throw std::runtime_error("nothing was found");
    const Finding& finding = report.findings.front();
    Record record;
    record.name = "found";
    record.state = State::confirmed;
    record.signature = finding.signature.text;
    record.gate = gate;
    record.original = finding.original;
    record.shrunk = finding.shrunk;
    record.verdict = finding.verdict;
    return record;
  }

  void write_program(const Record& record) {
    const auto text = standalone(record, *target_, runners(target_->kernel), folder_.path());
    ASSERT_TRUE(text) << text.error().message;
    ASSERT_TRUE(write_file(folder_ / "found.cu", *text));
    command_ = line_after(*text, "// on a CPU:  ");
    ASSERT_FALSE(command_.empty());
  }

  // As the comment at its head says, in the folder of the program.
  Program build_and_run() {
    Command command;
    command.arguments = {"sh", "-c", "cd " + folder_.path().string() + " && " + command_};
    const auto finished = run_to_end(command, std::chrono::minutes(2));
    EXPECT_TRUE(finished);
    return {WIFEXITED(finished->status) ? WEXITSTATUS(finished->status) : -1, finished->output};
  }

  void repair() { ASSERT_TRUE(write_file(folder_ / "relu.cu", kRight)); }

  // Both verdicts of the program of a finding: 1 on the fault, 0 on its repair.
  std::string tells_the_fault_from_its_repair(const std::string& source, std::string_view gate) {
    write_program(find(source, gate));
    const Program faulty = build_and_run();
    EXPECT_EQ(faulty.code, 1) << faulty.output;
    EXPECT_NE(faulty.output.find("the fault is there"), std::string::npos) << faulty.output;
    repair();
    const Program right = build_and_run();
    EXPECT_EQ(right.code, 0) << right.output;
    EXPECT_NE(right.output.find("the fault is gone"), std::string::npos) << right.output;
    return faulty.output;
  }

  static std::string line_after(const std::string& text, const std::string& start) {
    const std::size_t at = text.find(start);
    if (at == std::string::npos) return "";
    return text.substr(at + start.size(), text.find('\n', at) - at - start.size());
  }

  Folder folder_;
  std::optional<Target> target_;
  std::string command_;
};

TEST_F(Standalone, AWrongValue) {
  const std::string output = tells_the_fault_from_its_repair(
      relu("if (i < n) y[i] = x[i] < 0 ? 0 : (n % 4 == 3 && i == n - 1 ? 1.5f : 1.0f) * x[i];"), "CMP-03");
  EXPECT_NE(output.find("true value"), std::string::npos) << output;
}

TEST_F(Standalone, ANanThatIsLost) {
  const std::string output =
      tells_the_fault_from_its_repair(relu("if (i < n) y[i] = fmaxf(x[i], 0);"), "EXC-01");
  EXPECT_NE(output.find("got 0, true value nan"), std::string::npos) << output;
}

TEST_F(Standalone, AnOutputThatIsNeverWritten) {
  const std::string output =
      tells_the_fault_from_its_repair(relu("if (i < n / 4 * 4) y[i] = x[i] < 0 ? 0 : x[i];"), "RES-01");
  EXPECT_NE(output.find("never written"), std::string::npos) << output;
}

TEST_F(Standalone, AReadPastTheEnd) {
  const std::string output = tells_the_fault_from_its_repair(
      relu("float next = x[i + 1], r = i < n && x[i] > 0 ? x[i] : 0;"
           "if (i < n) y[i] = isnan(x[i]) ? x[i] : next == 12345.678f ? 1 : r;"),
      "RES-01");
  EXPECT_NE(output.find("AddressSanitizer"), std::string::npos) << output;
}

TEST_F(Standalone, AWriteIntoAnInput) {
  tells_the_fault_from_its_repair(
      relu("if (i < n) { y[i] = x[i] < 0 ? 0 : x[i]; if (i == 0) const_cast<float*>(x)[0] = 7; }"), "RES-01");
}

TEST_F(Standalone, BitsThatDependOnTheBuffersBefore) {
  const std::string output = tells_the_fault_from_its_repair(
      relu("if (i < n) { float r = x[i] < 0 ? 0 : x[i]; y[i] = i == n - 1 && y[i] > 0.5f ? r + 1 : r; }"),
      "ORD-02");
  EXPECT_NE(output.find(", then "), std::string::npos) << output;
}

TEST_F(Standalone, ACrash) {
  tells_the_fault_from_its_repair(relu("if (i == 0) __trap(); if (i < n) y[i] = x[i] < 0 ? 0 : x[i];"),
                                  "RES-02");
}

TEST_F(Standalone, RefusesACaseThatIsTooLarge) {
  Record record = find(relu("if (i < n) y[i] = 1;"), "CMP-01");
  record.shrunk.instance.dims = {std::int64_t{1} << 31};
  const auto text = standalone(record, *target_, runners(target_->kernel), folder_.path());
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("too large"), std::string::npos) << text.error().message;
}

}  // namespace
}  // namespace assay::fuzz
