// assay coverage: which lines of a kernel the corpus of a campaign reaches.

#include "fuzz/coverage.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/text.h"
#include "fuzz/corpus.h"
#include "fuzz/state.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using nlohmann::ordered_json;

constexpr std::string_view kUsageLine =
    "coverage KERNEL.cu --state DIR [FLAGS]\n\n"
    "Makes every call of the corpus that a campaign has gathered in DIR, and prints the kernel with the "
    "number\n"
    "of times that each line was reached. Lines that no input has reached are marked.";

constexpr std::string_view kExamples =
    "coverage softmax.cu --state .assay/fuzz/softmax\n"
    "coverage softmax.cu --contract softmax --corpus seeds --json lines.json\n";

po::options_description flags() {
  po::options_description flags("Flags", 110);
  flags.add_options()("state", value("DIR"), "the folder of a campaign, which may be running")(
      "corpus", value("DIR"), "instead: a folder of entries; needs --contract")(
      "contract", value("NAME|FILE"), "the kernel's contract (default: that of the campaign)")(
      "bind", value("CALL"), "how to call it")("where", value("CONDITIONS"), "the domain that it claims")(
      "dtype", value("DTYPE"), "of a kernel that takes void*")("json", value("FILE"),
                                                               "write the lines there, too")(
      "no-sandbox", on_off(), "run compiler and kernel without bubblewrap")("help,h", on_off(), "print this");
  return flags;
}

struct Asked {
  TargetOptions kernel;
  fs::path corpus;
};

// The campaign's own kernel of that path and, where it is given, that contract.
Expected<Asked> in_state(const fs::path& state, const fs::path& kernel, const std::string& contract) {
  const auto known = fuzz::StateFolder::kernels_of(state);
  if (!known) return tl::unexpected(known.error());
  std::error_code ignored;
  std::vector<std::string> names;
  for (const auto& [options, folders] : *known) {
    names.push_back(options.kernel.string());
    if (fs::weakly_canonical(options.kernel, ignored) != fs::weakly_canonical(kernel, ignored)) continue;
    if (!contract.empty() && contract != options.contract) continue;
    Asked asked{options, folders.corpus};
    asked.kernel.kernel = kernel;
    return asked;
  }
  return usage_error("--state: {} is no campaign of {}{}; it is one of {}", state.string(), kernel.string(),
                     contract.empty() ? "" : " with contract " + contract, join(names, ", "));
}

Expected<Asked> asked_for(const Options& options) {
  const fs::path kernel = options.arguments()[0];
  if (options.has("state") == options.has("corpus"))
    return usage_error("one of --state DIR and --corpus DIR says whose inputs are meant");
  if (options.has("state")) return in_state(options.text("state"), kernel, options.text("contract"));
  if (!options.has("contract")) return usage_error("--corpus needs --contract NAME");
  Asked asked;
  asked.corpus = options.text("corpus");
  asked.kernel.kernel = kernel;
  asked.kernel.contract = options.text("contract");
  asked.kernel.bind = options.text("bind");
  asked.kernel.where = options.text("where");
  asked.kernel.dtype = options.text("dtype");
  return asked;
}

// "31, 44-45"
std::string ranges(const std::vector<int>& numbers) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    parts.push_back(end == i + 1 ? fmt::format("{}", numbers[i])
                                 : fmt::format("{}-{}", numbers[i], numbers[end - 1]));
    i = end;
  }
  return join(parts, ", ");
}

void print_lines(const fuzz::Coverage& coverage) {
  for (std::size_t i = 0; i < coverage.lines.size(); ++i) {
    const fuzz::CoveredLine& line = coverage.lines[i];
    const std::string hits = !line.hits ? "" : *line.hits == 0 ? "never" : fmt::format("{}", *line.hits);
    print("{:>12} {:>5} | {}\n", hits, i + 1, line.text);
  }
}

std::string summary(const fuzz::Coverage& coverage) {
  const std::int64_t all = coverage.with_code(), reached = coverage.reached();
  std::string text =
      fmt::format("{} of {} lines reached ({:.1f} %) by {}", reached, all,
                  all == 0 ? 0.0 : 100.0 * static_cast<double>(reached) / static_cast<double>(all),
                  counted(coverage.cases, "case"));
  if (coverage.unfinished > 0) text += fmt::format(", {} of which crashed or hung", coverage.unfinished);
  if (coverage.skipped > 0)
    text += fmt::format("; {} left out, as too large or not of the domain", coverage.skipped);
  if (const auto never = coverage.never(); !never.empty()) text += fmt::format("; never: {}", ranges(never));
  return text;
}

std::string json_of(const fuzz::Coverage& coverage, const Asked& asked) {
  ordered_json lines = ordered_json::array();
  for (std::size_t i = 0; i < coverage.lines.size(); ++i)
    if (coverage.lines[i].hits) lines.push_back({{"line", i + 1}, {"hits", *coverage.lines[i].hits}});
  const ordered_json json = {{"version", 1},
                             {"kernel", asked.kernel.kernel.string()},
                             {"contract", asked.kernel.contract},
                             {"cases", coverage.cases},
                             {"unfinished", coverage.unfinished},
                             {"skipped", coverage.skipped},
                             {"lines_with_code", coverage.with_code()},
                             {"lines_reached", coverage.reached()},
                             {"never", coverage.never()},
                             {"lines", lines}};
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Expected<void> run(const Options& options) {
  Expected<Asked> asked = asked_for(options);
  if (!asked) return tl::unexpected(asked.error());
  asked->kernel.sandbox = !options.has("no-sandbox");
  const std::string json = options.text("json");
  if (!json.empty())
    if (auto usable = check_report("--json", json, {asked->kernel.kernel}); !usable) return usable;
  const Expected<Plan> planned = plan(asked->kernel);
  if (!planned) return tl::unexpected(planned.error());
  const auto files = fuzz::entries_of(asked->corpus);
  if (!files) return tl::unexpected(files.error());
  std::vector<Case> cases;
  for (const fs::path& file : *files) {
    Expected<Case> c = fuzz::read_entry(file, planned->subject.contract.signature());
    if (!c) return tl::unexpected(c.error());
    cases.push_back(std::move(*c));
  }
  // Nothing is run in workers: the bindings are all that is needed of a build.
  const Target target{
      asked->kernel, planned->subject,
      Kernel{planned->source, planned->subject.contract.signature(), planned->bindings, {}, {}, "", "", {}}};
  ProgressLine progress;
  progress.activity(
      fmt::format("building and running {}", counted(static_cast<std::int64_t>(cases.size()), "case")));
  const Expected<fuzz::Coverage> coverage = fuzz::line_coverage(target, cases);
  progress.clear();
  if (!coverage) return tl::unexpected(coverage.error());
  if (!is_standard_output(json)) {
    print_lines(*coverage);
    print("{}\n", summary(*coverage));
  }
  return json.empty() ? Expected<void>() : write_report(json, json_of(*coverage, *asked));
}

}  // namespace

int coverage(const Invocation& invocation) {
  const auto parsed = parse(invocation, flags());
  if (!parsed) return fail("coverage", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  if (parsed->arguments().size() != 1)
    return fail(
        "coverage",
        usage_error("name one kernel: {} coverage softmax.cu --state DIR", invocation.program).value());
  watch_interrupts();
  const Expected<void> done = run(*parsed);
  if (interrupted()) {
    print_error("assay coverage: interrupted\n");
    return kInterrupted;
  }
  return done ? kClean : fail("coverage", done.error());
}

}  // namespace assay::cli
