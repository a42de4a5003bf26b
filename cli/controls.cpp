// assay controls: every gate on kernels of which it is known what they are.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.h"
#include "cli/control.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "core/text.h"
#include "fuzz/budget.h"
#include "properties/check.h"
#include "properties/saved_case.h"

namespace assay::cli {
namespace {

namespace po = boost::program_options;
using nlohmann::ordered_json;

constexpr std::string_view kUsageLine =
    "controls [NAME...] [FLAGS]\n\n"
    "Checks the right kernels, which no gate may refuse, and the seeded faults, which the gate that each\n"
    "names must see, and prints the matrix control x gate. Exit code 1 if a fault is missed, a right kernel\n"
    "is refused, or a gate has no fault that it alone sees.";

constexpr std::string_view kExamples =
    "controls\n"
    "controls --right --cases 20000\n"
    "controls --cases 1000 --fuzz 100\n"
    "controls softmax_no_max softmax_online --json matrix.json\n";

po::options_description flags() {
  po::options_description flags("Flags", 110);
  flags.add_options()("right", on_off(), "only the right kernels")(
      "faulty", on_off(), "only the seeded faults")("cases", value("N"),
                                                    "cases for each control, over all gates (default 2000)")(
      "fuzz", value("N"), "besides, N executions of the fuzzer on each right kernel (default 0)")(
      "seed", value("S"), "of the cases (default 1)")("gates", value("IDS"), "only these gates")(
      "dir", value("FOLDER"), "where the controls are (default: those that come with Assay)")(
      "jobs", value("N"), "controls at a time (default one a core)")(
      "out", value("FOLDER"), "where cases of false alarms go (default .assay/controls)")(
      "json", value("FILE"), "write the matrix as JSON")(
      "no-sandbox", on_off(), "run compiler and kernels without bubblewrap")("help,h", on_off(),
                                                                             "print this");
  add_machine(flags);
  return flags;
}

// What came of one control.
struct Row {
  const Control* control = nullptr;
  std::string problem;  // it could not be checked
  CheckReport report;
  std::int64_t fuzzed = 0;         // executions of the fuzzer
  std::vector<std::string> saved;  // cases of false alarms

  std::vector<std::string> caught_by() const {
    std::vector<std::string> gates;
    for (const GateReport& gate : report.gates)
      if (is_finding(gate.outcome)) gates.emplace_back(gate.gate->id);
    return gates;
  }
  bool caught_by(const Gate* gate) const {
    return std::any_of(report.gates.begin(), report.gates.end(),
                       [&](const GateReport& g) { return g.gate == gate && is_finding(g.outcome); });
  }
};

struct Settings {
  CheckOptions check;
  std::int64_t fuzz = 0;  // executions on each right kernel
  bool sandbox = true;
  Machine machine;
  std::string out, json;
  int jobs = 1;
  bool complete = true;  // all controls and all gates: the law about single gates can be decided
};

// The fuzzer's executions on a right kernel. What is found is confirmed and shrunk as by the check.
void fuzz_one(Row& row, const Target& target, const CheckOptions& check, std::int64_t executions) {
  const auto runner = runners(target.kernel)();
  if (!runner) {
    row.problem = runner.error().message;
    return;
  }
  const fuzz::Menu menu(target.subject);
  const fuzz::Spent spent = fuzz::spend(menu, **runner, executions, check.seed, check.stop);
  row.fuzzed = spent.executions;
  if (spent.broken) row.problem = spent.verdict.evidence.detail;
  if (spent.broken || !spent.found) return;
  const Finding finding = investigate(*spent.found, *spent.gate, spent.verdict, target.subject, **runner,
                                      {check.shrink, check.stop, {}});
  if (interrupted()) return;
  row.report.findings.push_back(finding);
  check.on_finding(finding);
}

Row check_one(const Control& control, const Settings& settings) {
  Row row;
  row.control = &control;
  TargetOptions asked = control.target;
  asked.sandbox = settings.sandbox;
  asked.executor = settings.machine.executor;
  asked.gpu_arch = settings.machine.gpu_arch;
  asked.sanitizer = settings.machine.sanitizer;
  const Expected<Plan> planned = plan(asked);
  if (!planned) {
    row.problem = planned.error().message;
    return row;
  }
  const Expected<Target> target = build(*planned);
  if (!target) {
    row.problem = target.error().message;
    return row;
  }
  CheckOptions options = settings.check;
  options.jobs = 1;
  options.stop = &interrupted();
  options.findings_per_gate = 1;
  // The matrix says who sees a fault, not how small it can be; a false alarm is worth its smallest case.
  if (control.faulty) options.shrink.steps = options.shrink.runs = 0;
  options.on_finding = [&](const Finding& finding) {
    if (control.faulty) return;
    const auto saved = save_case(settings.out, *target, *finding.gate, finding.signature.text,
                                 finding.verdict, finding.shrunk);
    row.saved.push_back(saved ? saved->string() : saved.error().message);
  };
  std::unique_lock<std::mutex> turn;
  if (settings.machine.executor == Executor::cuda) {
    // Builds go on side by side; a GPU is for one control at a time, and the cores judge what it computes.
    static std::mutex gpu;
    turn = std::unique_lock(gpu);
    options.jobs = 0;
  }
  row.report = assay::check(target->subject, runners(target->kernel), options);
  row.problem = row.report.infrastructure;
  if (!control.faulty && settings.fuzz > 0 && row.problem.empty() && !interrupted())
    fuzz_one(row, *target, options, settings.fuzz);
  return row;
}

std::vector<Row> check_all(const std::vector<Control>& controls, const Settings& settings) {
  std::vector<Row> rows(controls.size());
  std::atomic<std::size_t> next{0}, done{0};
  ProgressLine progress;
  std::vector<std::jthread> threads;
  for (int i = 0; i < settings.jobs; ++i)
    threads.emplace_back([&] {
      for (std::size_t k = next++; k < controls.size() && !interrupted(); k = next++) {
        rows[k] = check_one(controls[k], settings);
        progress.activity(
            fmt::format("{} of {} controls, last {}", ++done, controls.size(), controls[k].name));
      }
    });
  threads.clear();
  std::erase_if(rows, [](const Row& row) { return row.control == nullptr; });
  return rows;
}

// One letter a gate: what came of it.
std::string cell(const Row& row, const GateReport& gate) {
  const bool named = row.control->gate == gate.gate;
  if (is_finding(gate.outcome)) return row.control->faulty ? (named ? "[X]" : " X ") : " ! ";
  if (gate.outcome == Outcome::undecidable) return " ? ";
  if (named) return "[ ]";
  return gate.outcome == Outcome::not_applicable ? " - " : " . ";
}

std::string matrix(const std::vector<Row>& rows, const std::vector<const Gate*>& gates) {
  std::string text = fmt::format("{:<34}", "");
  for (const Gate* gate : gates) text += fmt::format(" {}", gate->id);
  text += "\n";
  for (const Row& row : rows) {
    text += fmt::format("{:<34}", row.control->name);
    if (row.report.gates.empty()) text += " not checked";
    for (const GateReport& gate : row.report.gates) text += fmt::format("  {}  ", cell(row, gate));
    text += "\n";
  }
  return text +
         "X caught, [X] by the gate that it names, [ ] missed by it, . passed, - not applicable, ? "
         "undecidable,\n"
         "! false alarm\n";
}

// What is required and is not so, a line each.
std::vector<std::string> failures(const std::vector<Row>& rows, const std::vector<const Gate*>& gates,
                                  bool complete) {
  std::vector<std::string> lines;
  std::map<const Gate*, int> alone;
  for (const Row& row : rows) {
    const Control& control = *row.control;
    if (!row.problem.empty()) lines.push_back(fmt::format("{}: not checked: {}", control.name, row.problem));
    if (!row.problem.empty() || row.report.interrupted) continue;
    const std::vector<std::string> caught = row.caught_by();
    if (!control.faulty) {
      for (const Finding& finding : row.report.findings)
        lines.push_back(fmt::format("{}: false alarm: {}: {}", control.name, finding.signature.text,
                                    describe(finding.verdict.evidence)));
      continue;
    }
    if (caught.size() == 1) ++alone[find_gate(caught.front())];
    const bool asked = std::find(gates.begin(), gates.end(), control.gate) != gates.end();
    if (asked && !row.caught_by(control.gate))
      lines.push_back(fmt::format("{}: missed by {}, caught by {}: {}", control.name, control.gate->id,
                                  caught.empty() ? "none" : join(caught, ", "), control.fault));
    if (complete && control.only && caught.size() > 1)
      lines.push_back(fmt::format("{}: claims that only {} sees it, caught by {}", control.name,
                                  control.gate->id, join(caught, ", ")));
  }
  if (complete)
    for (const Gate* gate : gates)
      if (alone[gate] == 0) lines.push_back(fmt::format("{}: has no fault that it alone sees", gate->id));
  return lines;
}

std::string totals(const std::vector<Row>& rows, std::uint64_t seed) {
  int right = 0, refused = 0, faulty = 0, caught = 0, by_named = 0;
  std::int64_t fuzzed = 0;
  for (const Row& row : rows) {
    if (row.control->faulty) {
      ++faulty;
      caught += !row.caught_by().empty();
      by_named += row.caught_by(row.control->gate);
    } else {
      ++right;
      refused += !row.report.findings.empty();
      fuzzed += row.fuzzed;
    }
  }
  const std::string executions =
      fuzzed > 0 ? fmt::format(" ({} executions of the fuzzer, seed {})", fuzzed, seed) : "";
  return fmt::format("{} right kernels, {} refused{}; {} faults, {} caught, {} by the gate that they name",
                     right, refused, executions, faulty, caught, by_named);
}

std::string to_json(const std::vector<Row>& rows, const std::vector<std::string>& failed) {
  ordered_json all = ordered_json::array();
  for (const Row& row : rows) {
    ordered_json cells = ordered_json::object();
    for (const GateReport& gate : row.report.gates)
      cells[std::string(gate.gate->id)] = {{"verdict", name(gate.outcome)}, {"cases", gate.cases}};
    ordered_json signatures = ordered_json::array();
    for (const Finding& finding : row.report.findings) signatures.push_back(finding.signature.text);
    all.push_back(
        {{"name", row.control->name},
         {"faulty", row.control->faulty},
         {"contract", row.control->target.contract},
         {"gate", row.control->gate != nullptr ? ordered_json(row.control->gate->id) : ordered_json()},
         {"fault", row.control->fault},
         {"caught_by", row.caught_by()},
         {"gates", cells},
         {"findings", signatures},
         {"fuzzed", row.fuzzed},
         {"saved", row.saved},
         {"problem", row.problem},
         {"seconds", row.report.seconds}});
  }
  return ordered_json{{"controls", all}, {"failures", failed}}.dump(2, ' ', false,
                                                                    ordered_json::error_handler_t::replace) +
         "\n";
}

Expected<Settings> read(const Options& options) {
  Settings settings;
  settings.sandbox = !options.has("no-sandbox");
  const auto machine = parse_machine(options);
  if (!machine) return tl::unexpected(machine.error());
  settings.machine = *machine;
  settings.json = options.text("json");
  settings.out = options.has("out") ? options.text("out") : ".assay/controls";
  settings.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  settings.complete =
      options.arguments().empty() && !options.has("gates") && !options.has("right") && !options.has("faulty");
  if (options.has("right") && options.has("faulty"))
    return usage_error("--right and --faulty exclude each other; without both all controls are checked");
  if (options.has("cases")) {
    const auto cases = parse_integer("--cases", options.text("cases"), 1, 1'000'000'000);
    if (!cases) return tl::unexpected(cases.error());
    settings.check.cases = *cases;
  }
  if (options.has("fuzz")) {
    const auto executions = parse_integer("--fuzz", options.text("fuzz"), 0, 1'000'000'000);
    if (!executions) return tl::unexpected(executions.error());
    settings.fuzz = *executions;
  }
  if (options.has("seed")) {
    const auto seed = parse_seed(options.text("seed"));
    if (!seed) return tl::unexpected(seed.error());
    settings.check.seed = *seed;
  }
  if (options.has("jobs")) {
    const auto jobs = parse_integer("--jobs", options.text("jobs"), 1, 1024);
    if (!jobs) return tl::unexpected(jobs.error());
    settings.jobs = static_cast<int>(*jobs);
  }
  if (options.has("gates")) {
    auto gates = parse_gates(options.text("gates"));
    if (!gates) return tl::unexpected(gates.error());
    settings.check.gates = std::move(*gates);
  } else {
    settings.check.gates.assign(all_gates().begin(), all_gates().end());
  }
  const auto folder =
      check_folder(options.has("out") ? "--out" : "no --out is given, and this is the default", settings.out);
  if (!folder) return tl::unexpected(folder.error());
  if (!settings.json.empty())
    if (const auto writable = check_report("--json", settings.json, {}); !writable)
      return tl::unexpected(writable.error());
  return settings;
}

Expected<std::vector<Control>> select(const Options& options) {
  Expected<std::vector<Control>> all = find_controls(options.text("dir"));
  if (!all) return all;
  std::vector<std::string> known;
  for (const Control& control : *all) known.push_back(control.name);
  const std::vector<std::string>& wanted = options.arguments();
  for (const std::string& name : wanted)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      if (nearest(name, known).empty())
        return usage_error("no control '{}'; 'list controls' lists them", name);
      return usage_error("no control '{}'{}", name, suggestion(name, known));
    }
  std::erase_if(*all, [&](const Control& control) {
    return (!wanted.empty() && std::find(wanted.begin(), wanted.end(), control.name) == wanted.end()) ||
           (options.has("right") && control.faulty) || (options.has("faulty") && !control.faulty);
  });
  return all;
}

}  // namespace

int controls(const Invocation& invocation) {
  const auto parsed = parse(invocation, flags());
  if (!parsed) return fail("controls", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  const auto settings = read(*parsed);
  if (!settings) return fail("controls", settings.error());
  const auto selected = select(*parsed);
  if (!selected) return fail("controls", selected.error());

  watch_interrupts();
  const std::vector<Row> rows = check_all(*selected, *settings);
  const std::vector<std::string> failed =
      failures(rows, settings->check.gates, settings->complete && !interrupted());
  std::FILE* const stream = is_standard_output(settings->json) ? stderr : stdout;
  write(stream, matrix(rows, settings->check.gates) + "\n");
  for (const std::string& line : failed) write(stream, line + "\n");
  write(stream, fmt::format("{}; {} failed\n", totals(rows, settings->check.seed), failed.size()));
  if (!settings->json.empty())
    if (const auto written = write_report(settings->json, to_json(rows, failed)); !written)
      return fail("controls", written.error());
  if (interrupted()) {
    print_error("assay controls: interrupted\n");
    return kInterrupted;
  }
  return failed.empty() ? kClean : kFindings;
}

}  // namespace assay::cli
