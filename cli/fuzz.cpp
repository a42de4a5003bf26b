// assay fuzz: a coverage-guided campaign against kernels, for seconds in CI or for weeks.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "cli/builtin.h"
#include "cli/command.h"
#include "cli/fuzz_report.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/screen.h"
#include "core/text.h"
#include "oracle/contract.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using fuzz::Record;
using fuzz::State;

constexpr std::string_view kUsageLine =
    "fuzz KERNEL.cu... --contract NAME [FLAGS] [-- LIBFUZZER FLAGS]\n\n"
    "Looks for violations of the contract for as long as it is let, guided by the branches that the kernel "
    "takes.\n"
    "What it finds is confirmed, shrunk, explained and filed below the state folder, as a case, as JSON and "
    "as a\n"
    "program of its own. The same command goes on where it was stopped. 'builtin:NAME' is a kernel of "
    "Assay's.";

constexpr std::string_view kExamples =
    "fuzz softmax.cu --contract softmax --for 10m\n"
    "fuzz a.cu b.cu --contract softmax --state campaign --until-plateau 5m\n"
    "fuzz softmax.cu --contract softmax --ci --for 60s --baseline known --sarif out.sarif\n"
    "fuzz builtin:softmax_online_warp --runs 100000 --jobs 1 --seed 7\n";

po::options_description flags() {
  po::options_description flags("Flags", 110);
  flags.add_options()("contract", value("NAME|FILE"),
                      "library contract ('list contracts'), or a .contract file; of a builtin: its own")(
      "state", value("FOLDER"), "where the campaign lives (default .assay/fuzz/NAME): run again, it goes on")(
      "for", value("TIME"), "end when the time is over: 60s, 10m, 2h")(
      "runs", value("N"), "end after so many executions")("until-plateau", value("TIME"),
                                                          "end when nothing new was found for so long")(
      "keep-going", value("N"), "end after N new findings (default: a finding ends nothing)")(
      "forever", on_off(), "end at a signal alone, which is also the default")(
      "jobs", value("N"), "fuzzers that share one corpus (default one a core)")(
      "seed", value("S"), "of the mutations (default 1)")(
      "bind", value("CALL"),
      "how to call the kernel: \"solve(x, y, rows*cols)\"; inferred where that is clear")(
      "where", value("CONDITION"),
      "narrow the domain to what the kernel claims: \"cols % 4 == 0, cols <= 4096\"")(
      "allow", value("CLAUSES"),
      "relax clauses of the contract: tf32, fast-math, nondeterminism, subnormals, zero-sign, ties")(
      "dtype", value("D"), "element type of a kernel that takes void*: f64, f32, f16, bf16, e4m3, e5m2")(
      "ci", on_off(), "first the regressions of the baseline; fail only on what the baseline does not have")(
      "baseline", value("FOLDER"), "known findings, and regressions/ with cases that must pass")(
      "json", value("FILE"), "write the report as JSON")("junit", value("FILE"), "as JUnit XML")(
      "sarif", value("FILE"), "as SARIF 2.1.0")(
      "no-sandbox", on_off(), "run compiler and kernel without bubblewrap")("help,h", on_off(), "print this");
  add_machine(flags);
  return flags;
}

struct Request {
  fuzz::CampaignOptions campaign;
  std::string baseline, json, junit, sarif;
  bool ci = false;
};

Expected<TargetOptions> target_of(const std::string& kernel, const Options& options, const Machine& machine) {
  TargetOptions target;
  if (kernel.starts_with(kBuiltin)) {
    auto found = find_builtin(std::string_view(kernel).substr(kBuiltin.size()));
    if (!found) return tl::unexpected(found.error());
    target = std::move(*found);
  } else {
    target.kernel = kernel;
  }
  for (const auto& [flag, field] : {std::pair{"contract", &target.contract}, std::pair{"bind", &target.bind},
                                    std::pair{"where", &target.where}, std::pair{"allow", &target.allow},
                                    std::pair{"dtype", &target.dtype}})
    if (options.has(flag)) *field = options.text(flag);
  if (target.contract.empty())
    return usage_error("--contract is missing: a .contract file, or one of {}",
                       join(library_contracts(), ", "));
  target.sandbox = !options.has("no-sandbox");
  target.executor = machine.executor;
  target.gpu_arch = machine.gpu_arch;
  target.sanitizer = machine.sanitizer;
  return target;
}

Expected<void> read_numbers(const Options& options, fuzz::CampaignOptions& campaign) {
  const auto duration = [&](const char* flag, auto& into) -> Expected<void> {
    if (!options.has(flag)) return {};
    const auto time = parse_duration(fmt::format("--{}", flag), options.text(flag));
    if (!time) return tl::unexpected(time.error());
    into = *time;
    return {};
  };
  const auto number = [&](const char* flag, std::int64_t most, auto& into) -> Expected<void> {
    if (!options.has(flag)) return {};
    const auto n = parse_integer(fmt::format("--{}", flag), options.text(flag), 1, most);
    if (!n) return tl::unexpected(n.error());
    into = static_cast<int>(*n);
    if constexpr (std::is_same_v<std::decay_t<decltype(into)>, std::optional<std::int64_t>>) into = *n;
    return {};
  };
  if (options.has("forever"))
    for (const char* other : {"for", "runs", "until-plateau"})
      if (options.has(other)) return usage_error("--forever and --{} exclude each other", other);
  if (auto read = duration("for", campaign.time); !read) return read;
  if (auto read = duration("until-plateau", campaign.plateau); !read) return read;
  if (auto read = number("runs", 1'000'000'000'000, campaign.runs); !read) return read;
  if (auto read = number("keep-going", 1'000'000, campaign.findings); !read) return read;
  if (auto read = number("jobs", 256, campaign.jobs); !read) return read;
  if (options.has("seed")) {
    const auto seed = parse_seed(options.text("seed"));
    if (!seed) return tl::unexpected(seed.error());
    campaign.seed = *seed;
  }
  return {};
}

// libFuzzer's flags; those that would take the campaign's place are refused.
Expected<void> check_raw(const std::vector<std::string>& raw) {
  constexpr std::string_view kOurs[] = {"jobs", "workers", "fork", "merge", "runs", "seed", "minimize_crash"};
  for (const std::string& flag : raw) {
    if (!flag.starts_with('-') || flag.find('=') == std::string::npos)
      return usage_error("-- {}: a flag of libFuzzer reads -name=value", flag);
    const std::string name = flag.substr(1, flag.find('=') - 1);
    if (std::find(std::begin(kOurs), std::end(kOurs), name) != std::end(kOurs))
      return usage_error("-- {}: the campaign does that itself; see 'fuzz --help'", flag);
  }
  return {};
}

Expected<Request> read(const Invocation& invocation, const Options& options, std::vector<std::string> raw) {
  Request request;
  const std::vector<std::string>& kernels = options.arguments();
  if (kernels.empty())
    return usage_error("the kernel is missing: {} fuzz KERNEL.cu --contract NAME", invocation.program);
  const auto machine = parse_machine(options);
  if (!machine) return tl::unexpected(machine.error());
  for (const std::string& kernel : kernels) {
    auto target = target_of(kernel, options, *machine);
    if (!target) return tl::unexpected(target.error());
    request.campaign.kernels.push_back(std::move(*target));
  }
  const TargetOptions& first = request.campaign.kernels.front();
  const fs::path name = kernels.size() == 1 ? first.kernel.stem() : fs::path(first.contract).stem();
  request.campaign.state = options.has("state") ? fs::path(options.text("state")) : ".assay/fuzz" / name;
  request.campaign.cases = ".assay/cases";                  // where `check` saves what it finds
  const bool on_gpu = machine->executor == Executor::cuda;  // processes on one GPU slow each other down
  request.campaign.jobs = on_gpu ? 1 : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (const auto numbers = read_numbers(options, request.campaign); !numbers)
    return tl::unexpected(numbers.error());
  if (const auto checked = check_raw(raw); !checked) return tl::unexpected(checked.error());
  request.campaign.raw = std::move(raw);

  request.ci = options.has("ci");
  request.baseline = options.text("baseline");
  if (request.ci && !request.campaign.time && !request.campaign.runs)
    return usage_error("--ci needs an end: --for 60s, or --runs N");
  if (!request.ci && !request.baseline.empty()) return usage_error("--baseline is for --ci");
  request.json = options.text("json");
  request.junit = options.text("junit");
  request.sarif = options.text("sarif");
  for (const auto& [flag, path] : {std::pair{"--json", request.json}, std::pair{"--junit", request.junit},
                                   std::pair{"--sarif", request.sarif}}) {
    if (path.empty()) continue;
    std::vector<fs::path> inputs(kernels.begin(), kernels.end());
    inputs.emplace_back(first.contract);
    if (const auto writable = check_report(flag, path, inputs); !writable)
      return tl::unexpected(writable.error());
  }
  return request;
}

std::string finding_line(const Record& record, const Target& target, const fs::path& state) {
  std::string text = fmt::format("{} {}: {}", fuzz::name(record.state), record.signature,
                                 describe(record.shrunk, target.subject.contract.signature()));
  if (const std::string why = to_string(record.explanation); !why.empty())
    text += fmt::format("\n    {}", why);
  text += fmt::format("\n    {}", describe(record.verdict.evidence));
  text += fmt::format("\n    saved below {}: {}.case", state.string(), record.name);
  return text;
}

// The regressions of the baseline, before anything else.
Expected<void> replay(Request& request, FuzzReport& report, Screen& screen) {
  if (request.baseline.empty()) return {};
  auto baseline = Baseline::read(request.baseline);
  if (!baseline) return tl::unexpected(baseline.error());
  report.baseline = std::move(*baseline);
  for (const TargetOptions& asked : request.campaign.kernels) {
    if (report.baseline.regressions().empty()) break;
    const auto planned = plan(asked);
    if (!planned) return tl::unexpected(planned.error());
    const auto target = build(*planned);
    if (!target) return tl::unexpected(target.error());
    auto replayed = replay_regressions(report.baseline.regressions(), *target, [&](const Replayed& r) {
      if (is_finding(r.verdict.outcome)) screen.note(fmt::format("fails again: {}", r.file.string()));
    });
    if (!replayed) return tl::unexpected(replayed.error());
    std::move(replayed->begin(), replayed->end(), std::back_inserter(report.regressions));
  }
  return {};
}

Expected<FuzzReport> execute(const Invocation& invocation, Request& request) {
  FuzzReport report;
  report.program = invocation.program;
  report.state = request.campaign.state;
  std::vector<std::string> names;
  for (const TargetOptions& kernel : request.campaign.kernels)
    names.push_back(kernel.kernel.filename().string());
  Screen screen(fmt::format("assay fuzz {} against {}, {} job{}, in {}", join(names, " "),
                            request.campaign.kernels.front().contract, request.campaign.jobs,
                            request.campaign.jobs == 1 ? "" : "s", request.campaign.state.string()));
  if (const auto replayed = replay(request, report, screen); !replayed)
    return tl::unexpected(replayed.error());
  request.campaign.stop = &interrupted();
  fuzz::CampaignEvents events;
  events.on_statistics = [&](const fuzz::Statistics& now) { screen.show(now); };
  events.on_finding = [&](const Record& record, const Target& target) {
    screen.note(finding_line(record, target, request.campaign.state));
  };
  auto campaign = fuzz::run(request.campaign, events);
  if (!campaign) return tl::unexpected(campaign.error());
  report.campaign = std::move(*campaign);
  return report;
}

void print_summary(const FuzzReport& report) {
  const fuzz::CampaignReport& campaign = report.campaign;
  print("{}\n", line_of(campaign.statistics));
  for (const auto& [target, records] : campaign.findings)
    for (const Record& record : records)
      print("  {} {} {}{}\n", target.asked.kernel.filename().string(), fuzz::name(record.state),
            record.signature, report.is_new(target, record) ? "" : ", known");
  print("ended by: {}; the state is in {}\n", campaign.ended_by, report.state.string());
}

}  // namespace

int fuzz(const Invocation& invocation) {
  Invocation ours = invocation;
  const auto dashes = std::find(ours.arguments.begin(), ours.arguments.end(), "--");
  std::vector<std::string> raw;
  if (dashes != ours.arguments.end()) {
    raw.assign(dashes + 1, ours.arguments.end());
    ours.arguments.erase(dashes, ours.arguments.end());
  }
  const auto parsed = parse(ours, flags());
  if (!parsed) return fail("fuzz", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  auto request = read(invocation, *parsed, std::move(raw));
  if (!request) return fail("fuzz", request.error());
  watch_interrupts();
  const auto report = execute(invocation, *request);
  if (interrupted() && !report) {
    print_error("assay fuzz: interrupted before the first execution\n");
    return kInterrupted;
  }
  if (!report) return fail("fuzz", report.error());
  const bool piped = is_standard_output(request->json) || is_standard_output(request->junit) ||
                     is_standard_output(request->sarif);
  if (!piped) print_summary(*report);
  if (request->ci && on_github()) print("{}", github_lines(*report));
  flush();
  int code = exit_code(*report);
  if (report->campaign.failed) print_error("assay fuzz: {}\n", report->campaign.ended_by);
  for (const auto& [path, text] :
       {std::pair{request->json, &fuzz_json}, std::pair{request->junit, &fuzz_junit},
        std::pair{request->sarif, &fuzz_sarif}}) {
    if (path.empty()) continue;
    if (const auto written = write_report(path, text(*report)); !written)
      code = fail("fuzz", written.error());
  }
  return code;
}

}  // namespace assay::cli
