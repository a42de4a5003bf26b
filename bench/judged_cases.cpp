// Judged small cases a second on one core after the build, over all gates and for CMP-01 alone, and the share
// of elements that MPFR decides.

#include <benchmark/benchmark.h>

#include "properties/check.h"
#include "properties/target.h"

namespace assay {
namespace {

Expected<Target> target_of(const std::string& control, const std::string& contract, bool sandbox) {
  TargetOptions options;
  options.kernel = ASSAY_CONTROLS "/positive/" + control;
  options.contract = contract;
  options.sandbox = sandbox;
  const Expected<Plan> planned = plan(options);
  if (!planned) return tl::unexpected(planned.error());
  return build(*planned);
}

void judged(benchmark::State& state, const std::string& control, const std::string& contract,
            const Gate* gate) {
  Expected<Target> target = target_of(control, contract, true);
  if (!target && target.error().kind == ErrorKind::infrastructure)
    target = target_of(control, contract, false);
  if (!target) {
    state.SkipWithError(target.error().message.c_str());
    return;
  }
  CheckOptions options;
  options.jobs = 1;
  options.cases = 500;
  if (gate != nullptr) options.gates = {gate};
  std::int64_t cases = 0, elements = 0, by_mpfr = 0;
  for (auto _ : state) {
    const CheckReport report = check(target->subject, runners(target->kernel), options);
    ++options.seed;
    for (const GateReport& one : report.gates) cases += one.cases;
    elements += report.elements;
    by_mpfr += report.elements_by_mpfr;
  }
  state.SetItemsProcessed(cases);
  state.counters["mpfr_percent"] =
      elements > 0 ? 100.0 * static_cast<double>(by_mpfr) / static_cast<double>(elements) : 0.0;
}

}  // namespace
}  // namespace assay

int main(int count, char** values) {
  benchmark::Initialize(&count, values);
  for (const auto& [control, contract] :
       {std::pair{"softmax_three_pass.cu", "softmax"}, std::pair{"layer_norm_two_pass.cu", "layer_norm"},
        std::pair{"matmul_tiled.cu", "matmul"}}) {
    for (const assay::Gate* gate : {static_cast<const assay::Gate*>(nullptr), assay::find_gate("CMP-01")})
      benchmark::RegisterBenchmark(
          (std::string(contract) + (gate != nullptr ? "/CMP-01" : "/all gates")).c_str(),
          [=](benchmark::State& state) { assay::judged(state, control, contract, gate); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
