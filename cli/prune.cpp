// assay prune: a smaller corpus with the same features.

#include "fuzz/prune.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "fuzz/state.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr std::string_view kUsageLine =
    "prune STATE|CORPUS [FLAGS]\n\n"
    "Runs every entry of a corpus again and keeps the fewest, the smallest cases first, that have every\n"
    "feature which the entries have. STATE is the folder of a campaign, which must not be running; of a\n"
    "corpus by itself the kernel has to be named.";

constexpr std::string_view kExamples =
    "prune .assay/fuzz/softmax\n"
    "prune seeds --kernel softmax.cu --contract softmax\n";

po::options_description flags() {
  po::options_description flags("Flags", 110);
  flags.add_options()("kernel", value("FILE"), "the source, of a corpus that belongs to no campaign")(
      "contract", value("NAME|FILE"), "its contract")("bind", value("CALL"), "how to call it")(
      "where", value("CONDITIONS"), "the domain that it claims")("allow", value("CLAUSES"),
                                                                 "relaxed clauses")(
      "no-sandbox", on_off(), "run compiler and kernel without bubblewrap")("help,h", on_off(), "print this");
  return flags;
}

// Prunes one corpus and says what came of it.
Expected<bool> one(const fs::path& corpus, TargetOptions kernel, bool sandbox) {
  kernel.sandbox = sandbox;
  kernel.branches = true;
  const Expected<Plan> planned = plan(kernel);
  if (!planned) return tl::unexpected(planned.error());
  const Expected<Target> target = build(*planned);
  if (!target) return tl::unexpected(target.error());
  ProgressLine progress;
  const auto pruned = fuzz::prune(corpus, *target, runners(target->kernel), &interrupted(),
                                  [&](std::int64_t done, std::int64_t of) {
                                    progress.activity(fmt::format("entry {} of {}", done, of));
                                  });
  progress.clear();
  if (!pruned) return tl::unexpected(pruned.error());
  if (pruned->interrupted) return false;
  print("{}: {} -> {} entries, {} before and after\n", corpus.string(), pruned->entries_before,
        pruned->entries_after, counted(pruned->features, "feature"));
  return true;
}

Expected<bool> of_campaign(const fs::path& state, const fs::path& only, bool sandbox) {
  const auto known = fuzz::StateFolder::kernels_of(state);
  if (!known) return tl::unexpected(known.error());
  std::vector<TargetOptions> kernels;
  for (const auto& [kernel, folders] : *known) kernels.push_back(kernel);
  const auto held = fuzz::StateFolder::open(state, kernels);
  if (!held) return tl::unexpected(held.error());
  std::error_code ignored;
  for (const TargetOptions& kernel : kernels) {
    const fs::path corpus = held->of(kernel).corpus;
    if (!only.empty() && !fs::equivalent(corpus, only, ignored)) continue;
    const Expected<bool> done = one(corpus, kernel, sandbox);
    if (!done || !*done) return done;
  }
  return true;
}

Expected<bool> run(const Options& options) {
  const fs::path folder = options.arguments()[0];
  const bool sandbox = !options.has("no-sandbox");
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return usage_error("{}: no such folder", folder.string());
  if (fs::exists(folder / "campaign.json", ignored)) return of_campaign(folder, {}, sandbox);
  // STATE/<kernel>/corpus
  const fs::path above = fs::weakly_canonical(folder, ignored).parent_path().parent_path();
  if (fs::exists(above / "campaign.json", ignored)) return of_campaign(above, folder, sandbox);
  if (!options.has("kernel") || !options.has("contract"))
    return usage_error(
        "{} belongs to no campaign (there is no campaign.json): --kernel FILE.cu and --contract NAME say "
        "whose "
        "corpus it is",
        folder.string());
  TargetOptions kernel;
  kernel.kernel = options.text("kernel");
  kernel.contract = options.text("contract");
  kernel.bind = options.text("bind");
  kernel.where = options.text("where");
  kernel.allow = options.text("allow");
  return one(folder, kernel, sandbox);
}

}  // namespace

int prune(const Invocation& invocation) {
  const auto parsed = parse(invocation, flags());
  if (!parsed) return fail("prune", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  if (parsed->arguments().size() != 1)
    return fail("prune", usage_error("expected one folder, {} given: {} prune STATE",
                                     parsed->arguments().size(), invocation.program)
                             .value());
  watch_interrupts();
  const Expected<bool> done = run(*parsed);
  if (interrupted()) {
    print_error("assay prune: interrupted\n");
    return kInterrupted;
  }
  return done ? kClean : fail("prune", done.error());
}

}  // namespace assay::cli
