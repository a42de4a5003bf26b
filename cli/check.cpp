// assay check: looks for an input on which a kernel breaks its contract.

#include "properties/check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/text.h"
#include "oracle/contract.h"
#include "properties/generate.h"
#include "properties/saved_case.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr std::string_view kUsageLine =
    "check KERNEL.cu --contract NAME [FLAGS]\n\n"
    "Compiles the kernel for the CPU, runs it in worker processes on cases drawn for each gate, and shrinks\n"
    "and saves every violation of the contract as a case that 'replay' runs again.";

constexpr std::string_view kExamples =
    "check softmax.cu --contract softmax\n"
    "check mine.cu --contract softmax --bind \"launch(y, x, rows, cols)\" --where \"cols % 4 == 0\"\n"
    "check gemm.cu --contract matmul --allow tf32 --dtype f32 --for 5m --json report.json\n"
    "check mine.cu --contract mine.contract --gates CMP-01,EXC-01 --cases 20000 --seed 7\n";

po::options_description flags() {
  po::options_description flags("Flags", 110);
  flags.add_options()("contract", value("NAME|FILE"),
                      "library contract ('list contracts'), or a .contract file")(
      "bind", value("CALL"),
      "how to call the kernel: \"solve(x, y, rows*cols)\"; inferred where that is clear")(
      "where", value("CONDITION"),
      "narrow the domain to what the kernel claims: \"cols % 4 == 0, cols <= 4096\"")(
      "gates", value("IDS"), "only these gates, comma-separated ('list gates'); default all")(
      "cases", value("N"), "cases over all gates (default 2000)")(
      "for", value("TIME"), "check until the time is over instead: 30s, 5m, 2h")(
      "seed", value("S"), "of the cases (default 1): same seed, same cases")(
      "allow", value("CLAUSES"),
      "relax clauses of the contract: tf32, fast-math, nondeterminism, subnormals, zero-sign, ties")(
      "dtype", value("D"), "element type of a kernel that takes void*: f64, f32, f16, bf16, e4m3, e5m2")(
      "jobs", value("N"), "workers (default one a core)")(
      "certificate", on_off(), "say what the pass is worth: which wrong kernels these cases refuse")(
      "json", value("FILE"), "write the report as JSON")("junit", value("FILE"),
                                                         "write the report as JUnit XML")(
      "out", value("FOLDER"), "where cases of findings go (default .assay/cases)")(
      "no-sandbox", on_off(), "run compiler and kernel without bubblewrap")(
      "no-color", on_off(), "plain text, also on a terminal")("help,h", on_off(), "print this");
  add_machine(flags);
  return flags;
}

struct Request {
  TargetOptions target;
  CheckOptions check;
  std::string json, junit, out;
  bool certificate = false;
  bool color = false;
};

Expected<void> read_numbers(const Options& options, CheckOptions& check) {
  if (options.has("cases") && options.has("for"))
    return usage_error("--cases and --for exclude each other: one of them says when to stop");
  if (options.has("cases")) {
    const auto cases = parse_integer("--cases", options.text("cases"), 1, 1'000'000'000);
    if (!cases) return tl::unexpected(cases.error());
    check.cases = *cases;
  }
  if (options.has("for")) {
    const auto time = parse_duration("--for", options.text("for"));
    if (!time) return tl::unexpected(time.error());
    check.time = *time;
  }
  if (options.has("seed")) {
    const auto seed = parse_seed(options.text("seed"));
    if (!seed) return tl::unexpected(seed.error());
    check.seed = *seed;
  }
  if (options.has("jobs")) {
    const auto jobs = parse_integer("--jobs", options.text("jobs"), 1, 1024);
    if (!jobs) return tl::unexpected(jobs.error());
    check.jobs = static_cast<int>(*jobs);
  }
  return {};
}

Expected<Request> read(const Invocation& invocation, const Options& options) {
  Request request;
  const std::vector<std::string>& files = options.arguments();
  if (files.empty())
    return usage_error("the kernel is missing: {} check KERNEL.cu --contract NAME", invocation.program);
  if (files.size() > 1)
    return usage_error("one kernel at a time: '{}' and '{}' are given", files[0], files[1]);
  if (!options.has("contract"))
    return usage_error("--contract is missing: a .contract file, or one of {}",
                       join(library_contracts(), ", "));
  const auto machine = parse_machine(options);
  if (!machine) return tl::unexpected(machine.error());
  request.target = {files[0],
                    options.text("contract"),
                    options.text("bind"),
                    options.text("where"),
                    options.text("allow"),
                    options.text("dtype"),
                    !options.has("no-sandbox"),
                    machine->executor,
                    machine->gpu_arch,
                    machine->sanitizer};
  if (const auto numbers = read_numbers(options, request.check); !numbers)
    return tl::unexpected(numbers.error());
  if (options.has("gates")) {
    auto gates = parse_gates(options.text("gates"));
    if (!gates) return tl::unexpected(gates.error());
    request.check.gates = std::move(*gates);
  }
  request.certificate = options.has("certificate");
  request.json = options.text("json");
  request.junit = options.text("junit");
  for (const auto& [flag, path] : {std::pair{"--json", request.json}, std::pair{"--junit", request.junit}}) {
    if (path.empty()) continue;
    if (const auto writable = check_report(flag, path, {files[0], options.text("contract")}); !writable)
      return tl::unexpected(writable.error());
  }
  std::error_code ignored;
  if (!request.json.empty() && !request.junit.empty() &&
      fs::weakly_canonical(fs::absolute(request.json), ignored) ==
          fs::weakly_canonical(fs::absolute(request.junit), ignored))
    return usage_error("--json and --junit: {} cannot hold both reports", request.json);
  request.out = options.has("out") ? options.text("out") : ".assay/cases";
  const auto folder =
      check_folder(options.has("out") ? "--out" : "no --out is given, and this is the default", request.out);
  if (!folder) return tl::unexpected(folder.error());
  request.color =
      !options.has("no-color") && std::getenv("NO_COLOR") == nullptr && ::isatty(STDOUT_FILENO) != 0;
  return request;
}

// A condition that leaves nothing to draw is a mistake of the command line, not of the kernel.
Expected<void> check_domain(const Subject& subject, const CheckOptions& options) {
  constexpr std::uint64_t kDraws = 64;
  if (subject.where.text().empty()) return {};
  std::vector<const Gate*> gates = options.gates;
  if (gates.empty()) gates.assign(all_gates().begin(), all_gates().end());
  bool applicable = false;
  for (const Gate* gate : gates) {
    if (gate->not_applicable(subject)) continue;
    applicable = true;
    for (std::uint64_t i = 0; i < kDraws; ++i)
      if (in_domain(draw_case(subject, *gate, options.seed, i), subject)) return {};
  }
  if (!applicable) return {};
  return usage_error(
      "--where \"{}\": the domain is empty: no gate could draw a case of contract {} on which it holds",
      subject.where.text(), subject.contract.signature().name);
}

// Builds and checks; findings are saved the moment they are shrunk.
Expected<Report> execute(const Invocation& invocation, Request& request) {
  ProgressLine progress;
  const Expected<Plan> planned = plan(request.target);
  if (!planned) return tl::unexpected(planned.error());
  if (const auto domain = check_domain(planned->subject, request.check); !domain)
    return tl::unexpected(domain.error());
  const auto start = std::chrono::steady_clock::now();
  progress.activity(fmt::format("building {}", request.target.kernel.string()));
  Expected<Target> target = build(*planned);
  if (!target) return tl::unexpected(target.error());

  Report report{invocation.program, std::move(*target), {}, {}, {}, 0};
  report.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  request.check.stop = &interrupted();
  request.check.on_progress = [&](const Progress& now) { progress.show(now); };
  request.check.on_finding = [&](const Finding& finding) {
    const auto saved = save_case(request.out, report.target, *finding.gate, finding.signature.text,
                                 finding.verdict, finding.shrunk);
    report.saved[finding.signature.text] =
        saved ? Saved{saved->string(), ""} : Saved{"", saved.error().message};
    progress.note(fmt::format("found {} {}: {}", finding.gate->id, finding.gate->title,
                              saved ? saved->string() : saved.error().message));
  };
  report.check = assay::check(report.target.subject, runners(report.target.kernel), request.check);
  if (request.certificate && !interrupted()) {
    progress.activity("trying imposters");
    CertificateOptions certificate;
    certificate.jobs = request.check.jobs;
    certificate.stop = &interrupted();
    report.certificate = certify(report.target.subject, report.check, certificate);
  }
  // In the order of the battery: which worker was first is of no interest.
  std::stable_sort(report.check.findings.begin(), report.check.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return std::pair(a.gate->id, a.signature.text) < std::pair(b.gate->id, b.signature.text);
                   });
  return report;
}

}  // namespace

int check(const Invocation& invocation) {
  const auto parsed = parse(invocation, flags());
  if (!parsed) return fail("check", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  auto request = read(invocation, *parsed);
  if (!request) return fail("check", request.error());
  watch_interrupts();
  const auto report = execute(invocation, *request);
  if (interrupted() && !report) {
    print_error("assay check: interrupted before the first case\n");
    return kInterrupted;
  }
  if (!report) return fail("check", report.error());

  // A report for programs on standard output is alone there.
  const bool piped = is_standard_output(request->json) || is_standard_output(request->junit);
  write(piped ? stderr : stdout, text_report(*report, request->color && !piped));
  flush();
  int code = exit_code(report->check);
  for (const auto& [path, text] :
       {std::pair{request->json, json_report(*report)}, std::pair{request->junit, junit_report(*report)}}) {
    if (path.empty()) continue;
    if (const auto written = write_report(path, text); !written) code = fail("check", written.error());
  }
  return code;
}

}  // namespace assay::cli
