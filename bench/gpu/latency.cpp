// What one call costs on a GPU, without and with its judgement, and how soon the next case runs after a
// kernel has died.
//
//   assay_gpu_latency KERNEL.cu CONTRACT DIM=N,...      one line: us a call, us of a judged call, ms of a
//   restart assay_gpu_latency --recovery KERNEL.cu CONTRACT DIM=N,... DIM=N,...
//       the first instance must crash the kernel, the second must not: ms from the crash's request to the
//       next result

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/text.h"
#include "gates/execute.h"
#include "properties/check.h"
#include "properties/target.h"

namespace {

using namespace assay;
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

int fail(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  return 1;
}

// "rows=64,cols=64", attributes at their defaults.
Expected<Case> case_of(const Subject& subject, std::string_view text, std::uint64_t seed) {
  const Signature& signature = subject.contract.signature();
  Case c;
  c.contract = signature.name;
  c.instance.dtype = subject.dtypes.front();
  c.instance.dims.resize(signature.dims.size());
  for (const std::string& part : split(std::string(text), ',')) {
    const std::vector<std::string> sides = split(part, '=');
    const auto dim = std::find(signature.dims.begin(), signature.dims.end(), sides[0]);
    if (sides.size() != 2 || dim == signature.dims.end())
      return usage_error("'{}': expected DIM=N, of {}", part, join(signature.dims, ", "));
    c.instance.dims[static_cast<std::size_t>(dim - signature.dims.begin())] = std::stoll(sides[1]);
  }
  for (const Attribute& attribute : signature.attributes)
    c.instance.attributes.push_back(attribute.fallback.value_or(0));
  c.inputs.resize(signature.inputs.size());
  c.output_offsets.resize(signature.outputs.size());
  c.seed = seed;
  if (!admits(subject.contract, c.instance)) return usage_error("'{}' is outside the domain", text);
  return c;
}

int measure(const Target& target, Runner& runner, const std::string& dims) {
  constexpr int kCalls = 2000;
  const auto first = case_of(target.subject, dims, 1);
  if (!first) return fail(first.error().message);
  const Realised tensors = realise(*first, target.subject);
  const Launch launch = launch_of(*first, tensors);
  std::vector<double> calls;
  for (int i = 0; i < kCalls; ++i) {
    const auto start = Clock::now();
    const RunResult result = runner.run(launch, Build::fast);
    calls.push_back(microseconds_since(start));
    if (result.status != RunResult::Status::ok) return fail(result.detail);
  }
  std::nth_element(calls.begin(), calls.begin() + kCalls / 2, calls.end());
  const double call = calls[kCalls / 2];

  double realised = 0, ran = 0, judged = 0;
  constexpr int kCases = 500;
  for (int i = 0; i < kCases; ++i) {
    const auto c = case_of(target.subject, dims, static_cast<std::uint64_t>(i));
    const auto start = Clock::now();
    const Realised inputs = realise(*c, target.subject);
    realised += microseconds_since(start);
    const auto begun = Clock::now();
    const RunResult result = runner.run(launch_of(*c, inputs), Build::fast);
    ran += microseconds_since(begun);
    const auto back = Clock::now();
    const Verdict verdict =
        judge_outputs(*c, target.subject, inputs, result.outputs, kValueReasons, runner.tally);
    judged += microseconds_since(back);
    if (is_finding(verdict.outcome)) return fail(describe(verdict.evidence));
  }
  std::vector<double> restarts;
  for (int i = 0; i < 21; ++i) {
    const auto start = Clock::now();
    runner.restart();
    runner.run(launch, Build::fast);
    restarts.push_back(microseconds_since(start) / 1000);
  }
  std::nth_element(restarts.begin(), restarts.begin() + 10, restarts.end());
  fmt::print(
      "{:<20} {:<16} {:>6.1f} us a call (median); of a judged case: realise {:.0f}, run {:.0f}, judge {:.0f} "
      "us; "
      "restart {:.1f} ms (median)\n",
      target.asked.kernel.stem().string(), dims, call, realised / kCases, ran / kCases, judged / kCases,
      restarts[10]);
  return 0;
}

int recover(const Target& target, Runner& runner, const std::string& deadly, const std::string& harmless) {
  const auto kill = case_of(target.subject, deadly, 1), live = case_of(target.subject, harmless, 1);
  if (!kill || !live) return fail(!kill ? kill.error().message : live.error().message);
  const Realised a = realise(*kill, target.subject), b = realise(*live, target.subject);
  runner.run(launch_of(*live, b), Build::fast);
  std::vector<double> times;
  std::string detail;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    const RunResult dead = runner.run(launch_of(*kill, a), Build::fast);
    if (dead.status == RunResult::Status::ok) return fail("the kernel did not die");
    const RunResult next = runner.run(launch_of(*live, b), Build::fast);
    if (next.status != RunResult::Status::ok) return fail(next.detail);
    times.push_back(microseconds_since(start) / 1000);
    detail = dead.detail;
  }
  std::sort(times.begin(), times.end());
  fmt::print(
      "{:<28} {:.0f} ms from the call that dies to the next result (median of 5, {:.0f} to {:.0f}): {}\n",
      target.asked.kernel.stem().string(), times[2], times.front(), times.back(), detail);
  return 0;
}

}  // namespace

int main(int count, char** values) {
  std::vector<std::string> words(values + 1, values + count);
  const bool recovery = !words.empty() && words[0] == "--recovery";
  if (recovery) words.erase(words.begin());
  if (words.size() != (recovery ? 4U : 3U)) return fail("usage: see the head of bench/gpu/latency.cpp");
  TargetOptions options;
  options.kernel = words[0];
  options.contract = words[1];
  options.sandbox = false;
  options.executor = Executor::cuda;
  const auto planned = plan(options);
  if (!planned) return fail(planned.error().message);
  const auto target = build(*planned);
  if (!target) return fail(target.error().message);
  const auto runner = runners(target->kernel)();
  if (!runner) return fail(runner.error().message);
  return recovery ? recover(*target, **runner, words[2], words[3]) : measure(*target, **runner, words[2]);
}
