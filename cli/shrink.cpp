// assay shrink: makes the case of a saved finding smaller.

#include "properties/shrink.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/report.h"
#include "properties/check.h"
#include "properties/saved_case.h"

namespace assay::cli {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kUsageLine =
    "shrink CASE [FLAGS]\n\n"
    "Looks for a simpler case that ends in the same finding, and saves it beside the old one.";

constexpr std::string_view kExamples =
    "shrink .assay/cases/softmax-CMP-01-1a2b3c4d.case\n"
    "shrink big.case --for 5m --out smaller\n";

po::options_description flags() {
  po::options_description flags("Flags", 110);
  add_machine(flags);
  flags.add_options()("for", value("TIME"), "stop after this time (default 30s)")(
      "kernel", value("FILE"), "this source instead of the one that the case names")(
      "bind", value("CALL"), "how to call it: \"solve(x, y, rows*cols)\"")(
      "out", value("FOLDER"), "where the smaller case goes (default: the folder of the case)")(
      "no-sandbox", on_off(), "run compiler and kernel without bubblewrap")("help,h", on_off(), "print this");
  return flags;
}

std::string_view why(std::string_view stopped_by) {
  if (stopped_by == "minimal") return "no simpler case fails in the same way";
  if (stopped_by == "time") return "the time is over; --for gives more";
  if (stopped_by == "interrupted") return "interrupted";
  return "the limit of tries is reached; shrink the new case to go on";
}

int stopped() {
  print_error("assay shrink: interrupted\n");
  return kInterrupted;
}

int run(const SavedCase& saved, const std::filesystem::path& folder, const ShrinkBudget& budget) {
  watch_interrupts();
  const Expected<Target> target = build(saved.plan);
  if (!target) return interrupted() ? stopped() : fail("shrink", target.error());
  const Signature& signature = target->subject.contract.signature();
  const RunnerFactory factory = runners(target->kernel);
  const Case& from = saved.reproducer.test;
  const auto judge = [&](const Case& c) { return judge_once(c, *saved.gate, target->subject, factory); };

  const Verdict before = judge(from);
  if (interrupted()) return stopped();
  if (!is_finding(before.outcome)) {
    print("nothing to shrink: the case ends in '{}'\n", name(before.outcome));
    return before.outcome == Outcome::pass ? kClean : kInfrastructure;
  }
  Verdict found = before;  // of the smallest case so far
  const FindingSignature wanted = signature_of(from, *saved.gate, before, signature);
  const Shrunk shrunk = minimise(from, target->subject, budget, [&](const Case& c) {
    if (interrupted()) return false;
    Verdict verdict = judge(c);
    const bool same =
        is_finding(verdict.outcome) && signature_of(c, *saved.gate, verdict, signature) == wanted;
    if (same) found = std::move(verdict);
    return same;
  });
  const std::string_view stopped_by = interrupted() ? "interrupted" : std::string_view(shrunk.stopped_by);
  print("  {:<10} {}\n  {:<10} {}\n  {:<10} {} steps, {} tries; {}\n", "before",
        describe(from, target->subject), "after", describe(shrunk.smallest, target->subject), "shrunk in",
        shrunk.steps, shrunk.runs, why(stopped_by));
  if (shrunk.steps > 0) {
    const auto path = save_case(folder, *target, *saved.gate, wanted.text, found, shrunk.smallest);
    if (!path) return fail("shrink", path.error());
    print("  {:<10} {}\n", "saved", path->string());
  }
  return interrupted() ? kInterrupted : kFindings;
}

}  // namespace

int shrink(const Invocation& invocation) {
  const auto parsed = parse(invocation, flags());
  if (!parsed) return fail("shrink", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  const std::vector<std::string>& files = parsed->arguments();
  if (files.size() != 1)
    return fail("shrink", usage_error("expected one case file, {} given: {} shrink FILE.case", files.size(),
                                      invocation.program)
                              .value());
  ShrinkBudget budget;
  budget.steps = budget.runs = 1'000'000;
  if (parsed->has("for")) {
    const auto time = parse_duration("--for", parsed->text("for"));
    if (!time) return fail("shrink", time.error());
    budget.time = *time;
  }
  const auto machine = parse_machine(*parsed);
  if (!machine) return fail("shrink", machine.error());
  const auto saved =
      load_case(files[0], {parsed->text("kernel"), parsed->text("bind"), !parsed->has("no-sandbox"),
                           machine->executor, machine->gpu_arch, machine->sanitizer});
  if (!saved) return fail("shrink", saved.error());
  const std::filesystem::path beside = std::filesystem::path(files[0]).parent_path();
  const std::filesystem::path folder = parsed->has("out") ? std::filesystem::path(parsed->text("out"))
                                       : beside.empty()   ? "."
                                                          : beside;
  if (const auto writable =
          check_folder(parsed->has("out") ? "--out" : "no --out is given, and this is the default", folder);
      !writable)
    return fail("shrink", writable.error());
  return run(*saved, folder, budget);
}

}  // namespace assay::cli
