// assay fmt: lays out contract files.

#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/print.h"
#include "core/file.h"
#include "oracle/tidy.h"

namespace assay::cli {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kUsageLine =
    "fmt FILE.contract ... [--check]\n\n"
    "Lays out contract files in place: indentation, blanks, columns of equations. Comments and line breaks\n"
    "stay.";
constexpr std::string_view kExamples =
    "fmt mine.contract\n"
    "fmt --check *.contract\n";

po::options_description flags() {
  po::options_description flags("Flags");
  flags.add_options()("check", on_off(), "write nothing; exit with 1 where a file would change")(
      "help,h", on_off(), "print this");
  return flags;
}

}  // namespace

int format(const Invocation& invocation) {
  const auto parsed = parse(invocation, flags());
  if (!parsed) return fail("fmt", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  if (parsed->arguments().empty())
    return fail("fmt", usage_error("name a file: {} fmt mine.contract", invocation.program).value());
  const bool check = parsed->has("check");
  int code = kClean;
  for (const std::string& path : parsed->arguments()) {
    const auto text = read_file(path);
    if (!text) return fail("fmt", text.error());
    const auto laid_out = lang::tidy(*text, path);
    if (!laid_out) return fail("fmt", laid_out.error());
    if (*laid_out == *text) continue;
    print("{} {}\n", path, check ? "would change" : "changed");
    if (check)
      code = kFindings;
    else if (const auto written = write_file(path, *laid_out); !written)
      return fail("fmt", written.error());
  }
  return code;
}

}  // namespace assay::cli
