// The `assay` program: finds an input on which a CUDA kernel breaks its contract.

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "cli/command.h"
#include "core/text.h"

namespace assay::cli {
namespace {

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Invocation&);
};

constexpr std::array kCommands = {
    Command{"check", "look for an input on which a kernel breaks its contract", check},
    Command{"replay", "run the case of a saved finding again", replay},
    Command{"shrink", "make the case of a saved finding smaller", shrink},
    Command{"list", "list contracts, gates or controls", list},
    Command{"controls", "run every gate on the right and the faulty kernels that come with Assay", controls},
    Command{"explain", "say in words what a contract demands", explain},
    Command{"equal", "compare two contracts on random cases", equal},
    Command{"fmt", "lay out contract files", format},
};

void print_help(const std::string& program) {
  fmt::print(
      "Assay tells right CUDA kernels from plausible ones; no GPU needed.\n\nUsage: {} COMMAND ...\n\n",
      program);
  for (const Command& command : kCommands) fmt::print("  {:<10}{}\n", command.name, command.summary);
  fmt::print(
      "\nExamples:\n"
      "  {0} check softmax.cu --contract softmax\n"
      "  {0} replay .assay/cases/softmax-CMP-01-1a2b3c4d.case\n"
      "  {0} list contracts\n\n"
      "'{0} COMMAND --help' says more; '{0} --version' prints the version.\n\n{1}",
      program, kExitCodes);
}

int run(int count, char** values) {
  Invocation invocation{count > 0 ? values[0] : "assay", {}};
  for (int i = 2; i < count; ++i) invocation.arguments.emplace_back(values[i]);
  const std::string_view name = count > 1 ? values[1] : "";
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(invocation.program);
    return kClean;
  }
  if (name == "--version") {
    fmt::print("assay {}\n", ASSAY_VERSION);
    return kClean;
  }
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run(invocation);
    names.emplace_back(command.name);
  }
  if (name.empty())
    fmt::print(stderr, "assay: a command is missing: one of {}\n", join(names, ", "));
  else if (name.ends_with(".cu"))
    fmt::print(stderr, "assay: '{}' is no command; to check a kernel: {} check {} --contract NAME\n", name,
               invocation.program, name);
  else if (name.ends_with(".case"))
    fmt::print(stderr, "assay: '{}' is no command; to replay a case: {} replay {}\n", name,
               invocation.program, name);
  else
    fmt::print(stderr, "assay: unknown command '{}'{}\n", name, suggestion(name, names));
  fmt::print(stderr, "'{} --help' lists the commands\n", invocation.program);
  return kUsage;
}

}  // namespace
}  // namespace assay::cli

int main(int count, char** values) {
  return assay::cli::run(count, values);
}
