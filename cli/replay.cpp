// assay replay: runs the case of a saved finding again.

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "properties/saved_case.h"

namespace assay::cli {
namespace {

namespace po = boost::program_options;

constexpr int kRuns = 5;

constexpr std::string_view kUsageLine =
    "replay CASE [FLAGS]\n\n"
    "Builds the kernel that the case names and judges it on the case, 5 times in fresh workers. Exit code 1\n"
    "if the violation is there, 0 if it is gone.";

constexpr std::string_view kExamples =
    "replay .assay/cases/softmax-CMP-01-1a2b3c4d.case\n"
    "replay softmax-CMP-01-1a2b3c4d.case --kernel softmax_repaired.cu\n";

po::options_description flags() {
  po::options_description flags("Flags", 110);
  add_machine(flags);
  flags.add_options()("kernel", value("FILE"), "this source instead of the one that the case names")(
      "bind", value("CALL"), "how to call it: \"solve(x, y, rows*cols)\"")(
      "no-sandbox", on_off(), "run compiler and kernel without bubblewrap")("help,h", on_off(), "print this");
  return flags;
}

int run(const SavedCase& saved) {
  // A large case takes long, and nothing is written here: the first signal ends it.
  watch_interrupts();
  const std::jthread watch([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (interrupted()) {
        print_error("assay replay: interrupted\n");
        std::_Exit(kInterrupted);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  const Expected<Target> target = build(saved.plan);
  if (!target) return fail("replay", target.error());
  const Case& test = saved.reproducer.test;
  print("  {:<10} {}\n  {:<10} {} {}: {}\n  {:<10} {}\n", "kernel", target->asked.kernel.string(), "gate",
        saved.gate->id, saved.gate->title, saved.gate->law, "case", describe(test, target->subject));
  flush();
  ProgressLine progress;
  int findings = 0, passes = 0;
  Verdict shown;
  for (int i = 0; i < kRuns; ++i) {
    progress.activity(fmt::format("run {} of {}", i + 1, kRuns));
    const Verdict verdict = judge_once(test, *saved.gate, target->subject, runners(target->kernel));
    progress.clear();
    print("  run {:<6} {}\n", i + 1, name(verdict.outcome));
    flush();
    if (is_finding(verdict.outcome)) ++findings;
    if (verdict.outcome == Outcome::pass) ++passes;
    if (is_finding(verdict.outcome) || (findings == 0 && verdict.outcome != Outcome::pass)) shown = verdict;
  }
  if (findings > 0 || passes < kRuns)
    for (const auto& [key, text] : evidence_lines(shown.evidence, test.instance.dtype))
      print("  {:<10} {}\n", key, text);
  if (findings > 0) {
    print("still fails: {} of {} runs\n", findings, kRuns);
    return kFindings;
  }
  if (passes == kRuns) {
    print("no longer fails: {} of {} runs pass\n", passes, kRuns);
    return kClean;
  }
  print("cannot tell: {} of {} runs pass\n", passes, kRuns);
  return kInfrastructure;
}

}  // namespace

int replay(const Invocation& invocation) {
  const auto parsed = parse(invocation, flags());
  if (!parsed) return fail("replay", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  const std::vector<std::string>& files = parsed->arguments();
  if (files.size() != 1)
    return fail("replay", usage_error("expected one case file, {} given: {} replay FILE.case", files.size(),
                                      invocation.program)
                              .value());
  const auto machine = parse_machine(*parsed);
  if (!machine) return fail("replay", machine.error());
  const auto saved =
      load_case(files[0], {parsed->text("kernel"), parsed->text("bind"), !parsed->has("no-sandbox"),
                           machine->executor, machine->gpu_arch, machine->sanitizer});
  return saved ? run(*saved) : fail("replay", saved.error());
}

}  // namespace assay::cli
