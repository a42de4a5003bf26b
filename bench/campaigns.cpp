// How many executions, and how long, until a fault is found that ordinary inputs seldom meet: `assay fuzz`
// against what else one might do.
//
//   assay_bench_campaigns [--faults a,b] [--strategies x,y] [--seeds N] [--cap SECONDS] [--executions N]
//                         [--no-sandbox]
//
// One line a fault and strategy: how many of the seeds found it, the medians of executions and seconds over
// all seeds, and the executions of each seed; a seed that found nothing counts with what it had done at the
// cap. "unguided" is the mutator without any feature, "branches" libFuzzer without
// the numeric ones; families of features are joined as in branches+excess, and left out as in no-excess. The
// clock starts when the kernel is built and the engine runs.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "core/file.h"
#include "core/random.h"
#include "core/realise.h"
#include "core/text.h"
#include "fuzz/engine.h"
#include "gates/execute.h"
#include "properties/check.h"
#include "properties/generate.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// What it takes to meet each stands at the head of its file.
constexpr std::string_view kFaults[] = {
    "bench/faults/argmax_tie_across_chunks",
    "bench/faults/cumsum_negative_zero_restarts",
    "bench/faults/layer_norm_remainder_of_wide_rows",
    "bench/faults/log_softmax_spread_row",
    "bench/faults/matmul_corner_tile",
    "bench/faults/max_nan_in_tail",
    "bench/faults/relu_addresses_apart",
    "bench/faults/softmax_masked_at_both_ends",
    "bench/faults/sum_window_of_lengths",
    "bench/faults/transpose_thin_corner",
    "kernels/controls/negative/add_infinity_wrong_sign",
    "kernels/controls/negative/argmax_negative_infinity_row",
    "kernels/controls/negative/cumsum_lost_carry",
    "kernels/controls/negative/matmul_tf32_long_k",
    "kernels/controls/negative/max_sentinel",
    "kernels/controls/negative/relu_flushes_subnormals",
    "kernels/controls/negative/softmax_backward_one_hot_sign",
    "kernels/controls/negative/sum_empty_rows_unwritten",
    "kernels/controls/negative/sum_running_mean",
    "kernels/controls/negative/sum_sorted_row_drops_last",
};

struct Result {
  bool found = false;
  std::int64_t executions = 0;
  double seconds = 0;
};

struct Limits {
  std::chrono::milliseconds cap{60000};
  std::int64_t executions = 0;  // no more than these; 0: any number
  std::uint64_t seed = 1;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Result fail(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(3);
}

// Five random normal inputs at one shape, |y - truth| <= 1e-4 + 1e-4 |truth|.
Result standard_test(const Target& target, const Limits& limits) {
  auto runner = runners(target.kernel)();
  if (!runner) return fail(runner.error().message);
  const Signature& signature = target.subject.contract.signature();
  Case c;
  c.contract = signature.name;
  c.instance = {target.subject.dtypes.front(), Dims(signature.dims.size(), 64), {}};
  if (!c.instance.dims.empty()) c.instance.dims.back() = 128;
  for (const Attribute& a : signature.attributes) c.instance.attributes.push_back(a.fallback.value_or(1));
  c.inputs.resize(signature.inputs.size());
  c.output_offsets.resize(signature.outputs.size());
  const auto start = Clock::now();
  Result result;
  for (std::uint64_t i = 0; i < 5 && !result.found; ++i, ++result.executions) {
    c.seed = mix(limits.seed) + i;
    const Realised tensors = realise(c, target.subject);
    const RunResult run = (*runner)->run(launch_of(c, tensors), Build::fast);
    result.found = run.status != RunResult::Status::ok;
    Judge judge(target.subject.contract, c.instance, tensors.inputs, target.subject.allow);
    for (std::size_t o = 0; o < run.outputs.size(); ++o)
      for (std::int64_t k = 0; k < run.outputs[o].size() && !result.found; ++k) {
        const ElementReport element = judge.element(o, k, run.outputs[o].bits(k));
        result.found |= !(std::fabs(element.got - element.truth) <= 1e-4 + 1e-4 * std::fabs(element.truth));
      }
  }
  result.seconds = seconds_since(start);
  return result;
}

// Cases that the gates draw, the gates in turns. `next` judges one and says whether it was a finding.
Result until_found(const Target& target, const Limits& limits,
                   const std::function<bool(const Gate&, std::uint64_t, Runner&)>& next) {
  auto runner = runners(target.kernel)();
  if (!runner) return fail(runner.error().message);
  std::vector<const Gate*> turns;
  for (const Gate* gate : all_gates())
    if (!gate->not_applicable(target.subject))
      for (int k = 0; k < gate->weight; ++k) turns.push_back(gate);
  const auto start = Clock::now();
  Result result;
  const auto over = [&] {
    return Clock::now() - start >= limits.cap ||
           (limits.executions > 0 && result.executions >= limits.executions);
  };
  for (std::uint64_t i = 0; !result.found && !over(); ++i, ++result.executions)
    result.found = next(*turns[i % turns.size()], i, **runner);
  result.seconds = seconds_since(start);
  return result;
}

// The fuzzer's own executions, on random Cases.
Result random_cases(const Target& target, const Limits& limits) {
  const fuzz::Menu menu(target.subject);
  std::unique_ptr<fuzz::Battery> battery;
  return until_found(target, limits, [&](const Gate& gate, std::uint64_t i, Runner& runner) {
    if (!battery) battery = std::make_unique<fuzz::Battery>(menu, runner);
    const auto nothing_is = [](const fuzz::Observation&) { return false; };
    return battery->observe(draw_case(target.subject, gate, limits.seed, i), nothing_is).gate != nullptr;
  });
}

// The gates as RapidCheck's properties.
Result rapidcheck(const Target& target, const Limits& limits) {
  std::map<const Gate*, rc::Gen<Case>> generators;
  for (const Gate* gate : all_gates()) generators.emplace(gate, cases(target.subject, *gate));
  return until_found(target, limits, [&](const Gate& gate, std::uint64_t i, Runner& runner) {
    const Case c = generators.at(&gate)(rc::Random(mix(limits.seed ^ mix(i))), 100).value();
    return in_domain(c, target.subject) && is_finding(gate.judge(c, target.subject, runner).outcome);
  });
}

Result engine(const Target& target, const Limits& limits, fuzz::Families families) {
  const auto program = fuzz::engine_program();
  if (!program) return fail(program.error().message);
  auto numbers = fuzz::Numbers::create();
  if (!numbers) return fail(numbers.error().message);
  std::string name = (fs::temp_directory_path() / "assay-bench-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  fuzz::EngineOptions options;
  options.target = target.asked;
  options.corpus = folder / "corpus";
  options.inbox = folder / "inbox";
  options.seed = limits.seed;
  if (limits.executions > 0) options.runs = limits.executions;
  options.families = families;
  fs::create_directories(options.corpus);
  fs::create_directories(options.inbox);
  if (const auto written = write_file(folder / "options.json", to_json(options)); !written)
    return fail(written.error().message);
  Command command;
  command.arguments = {program->string(), (folder / "options.json").string()};
  command.fds = {{numbers->fd(), fuzz::kNumbersFd}, {STDERR_FILENO, 2}};
  command.environment = {"ASSAY_CACHE", "ASSAY_LIBEXEC", "XDG_CACHE_HOME", "HOME"};
  auto process = Process::start(command);
  if (!process) return fail(process.error().message);
  fuzz::EngineNumbers& n = **numbers;
  auto start = Clock::now();
  while (n.first_finding == 0 && Clock::now() - start < limits.cap) {
    if (n.executions == 0) start = Clock::now();  // it still starts
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(process->pid()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0) {
      if (info.si_code == CLD_EXITED && info.si_status == 0) break;  // all its executions are done
      return fail(fmt::format("an engine ended on {}", target.asked.kernel.string()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  process->stop();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  if (n.first_finding == 0)
    return {false, static_cast<std::int64_t>(n.executions.load()), seconds_since(start)};
  return {true, static_cast<std::int64_t>(n.first_finding.load()),
          static_cast<double>(n.first_finding_ns) * 1e-9};
}

struct Strategy {
  std::string name;
  std::function<Result(const Target&, const Limits&)> run;
};

// "whole", "no-NAME", "unguided", or the names of families joined with '+'.
std::optional<fuzz::Families> families_of(std::string_view strategy) {
  fuzz::Families families;
  if (strategy == "whole") return families;
  const auto find = [](std::string_view wanted) -> std::optional<fuzz::Family> {
    for (int f = 0; f < fuzz::kFamilies; ++f)
      if (name(static_cast<fuzz::Family>(f)) == wanted) return static_cast<fuzz::Family>(f);
    return std::nullopt;
  };
  if (strategy.starts_with("no-")) {
    const auto family = find(strategy.substr(3));
    if (family) families.remove(*family);
    return family ? std::optional(families) : std::nullopt;
  }
  families.mask = 0;
  if (strategy == "unguided") return families;
  for (const std::string& part : split(strategy, '+')) {
    const auto family = find(part);
    if (!family) return std::nullopt;
    families.mask |= 1u << static_cast<unsigned>(*family);
  }
  return families;
}

std::vector<Strategy> strategies_of(const std::string& names) {
  std::vector<Strategy> result;
  for (const std::string& name : split(names, ',')) {
    const auto families = families_of(name);
    if (name == "standard") {
      result.push_back({name, standard_test});
    } else if (name == "random") {
      result.push_back({name, random_cases});
    } else if (name == "rapidcheck") {
      result.push_back({name, rapidcheck});
    } else if (families) {
      result.push_back({name, [families](const Target& target, const Limits& limits) {
                          return engine(target, limits, *families);
                        }});
    } else {
      fail(fmt::format(
          "--strategies: '{}' is none of standard, random, rapidcheck, unguided, whole, no-FAMILY, "
          "FAMILY+FAMILY...",
          name));
    }
  }
  return result;
}

// The contract, and the flags that a control states at its head.
Expected<Target> load(const fs::path& file, bool sandbox) {
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  TargetOptions options;
  options.kernel = file;
  options.sandbox = sandbox;
  for (const std::string& line : split(*text, '\n')) {
    if (!line.starts_with("// ")) break;
    for (const auto& [key, field] :
         {std::pair{"// contract:", &options.contract}, std::pair{"// bind:", &options.bind},
          std::pair{"// where:", &options.where}, std::pair{"// dtype:", &options.dtype},
          std::pair{"// allow:", &options.allow}})
      if (line.starts_with(key)) *field = trim(std::string_view(line).substr(std::string_view(key).size()));
  }
  auto planned = plan(options);
  if (!planned) return tl::unexpected(planned.error());
  planned->asked.branches = true;  // that of the engine, so that it does not wait for a compiler
  return build(*planned);
}

template <class T>
T median(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool wanted(std::string_view name, const std::string& list) {
  if (list.empty()) return true;
  for (const std::string& part : split(list, ','))
    if (name == part || name.ends_with("/" + part)) return true;
  return false;
}

int run(const std::map<std::string, std::string>& flags, bool sandbox) {
  const auto flag = [&](const char* name, const char* fallback) {
    const auto found = flags.find(name);
    return found == flags.end() ? std::string(fallback) : found->second;
  };
  const auto seeds = std::strtoull(flag("--seeds", "10").c_str(), nullptr, 10);
  const Limits limits{std::chrono::seconds(std::strtol(flag("--cap", "60").c_str(), nullptr, 10)),
                      std::strtoll(flag("--executions", "0").c_str(), nullptr, 10), 1};
  const std::vector<Strategy> strategies =
      strategies_of(flag("--strategies", "standard,random,rapidcheck,branches,whole"));
  fmt::print("fault,strategy,found,seeds,median_executions,median_seconds,executions\n");
  for (const std::string_view fault : kFaults) {
    if (!wanted(fault, flag("--faults", ""))) continue;
    const auto target = load(fs::path(ASSAY_SOURCE_DIR) / fmt::format("{}.cu", fault), sandbox);
    if (!target) fail(target.error().message);
    for (const Strategy& strategy : strategies) {
      std::vector<std::int64_t> executions;
      std::vector<double> seconds;
      int found = 0;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Result result = strategy.run(*target, {limits.cap, limits.executions, seed});
        found += result.found;
        executions.push_back(result.executions);
        seconds.push_back(result.seconds);
      }
      fmt::print("{},{},{},{},{},{:.3f},{}\n", fs::path(fault).filename().string(), strategy.name, found,
                 seeds, median(executions), median(seconds), fmt::join(executions, " "));
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace assay

int main(int count, char** values) {
  std::map<std::string, std::string> flags;
  bool sandbox = true;
  for (int i = 1; i < count; ++i) {
    const std::string flag = values[i];
    if (flag == "--no-sandbox") {
      sandbox = false;
    } else if (i + 1 < count && (flag == "--faults" || flag == "--strategies" || flag == "--seeds" ||
                                 flag == "--executions" || flag == "--cap")) {
      flags[flag] = values[++i];
    } else {
      fmt::print(stderr,
                 "usage: {} [--faults a,b] [--strategies x,y] [--seeds N] [--cap SECONDS] "
                 "[--executions N] [--no-sandbox]\n",
                 values[0]);
      return 2;
    }
  }
  return assay::run(flags, sandbox);
}
