// The `assay` program: finds an input on which a CUDA kernel breaks its contract.

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <new>

#include "cli/command.h"
#include "cli/print.h"
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
    Command{"fuzz", "look for as long as it is let, guided by what the kernel does", fuzz},
    Command{"replay", "run the case of a saved finding again", replay},
    Command{"shrink", "make the case of a saved finding smaller", shrink},
    Command{"prune", "make the corpus of a campaign smaller, with all its features", prune},
    Command{"coverage", "print which lines of a kernel the corpus of a campaign reaches", coverage},
    Command{"list", "list contracts, gates or controls", list},
    Command{"controls", "run every gate on the right and the faulty kernels that come with Assay", controls},
    Command{"explain", "say in words what a contract demands", explain},
    Command{"equal", "compare two contracts on random cases", equal},
    Command{"fmt", "lay out contract files", format},
};

void print_help(const std::string& program) {
  print("Assay tells right CUDA kernels from plausible ones; no GPU needed.\n\nUsage: {} COMMAND ...\n\n",
        program);
  for (const Command& command : kCommands) print("  {:<10}{}\n", command.name, command.summary);
  print(
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
    print("assay {}\n", ASSAY_VERSION);
    return kClean;
  }
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run(invocation);
    names.emplace_back(command.name);
  }
  if (name.empty())
    print_error("assay: a command is missing: one of {}\n", join(names, ", "));
  else if (name.ends_with(".cu"))
    print_error("assay: '{}' is no command; to check a kernel: {} check {} --contract NAME\n", name,
                invocation.program, name);
  else if (name.ends_with(".case"))
    print_error("assay: '{}' is no command; to replay a case: {} replay {}\n", name, invocation.program,
                name);
  else
    print_error("assay: unknown command '{}'{}\n", name, suggestion(name, names));
  print_error("'{} --help' lists the commands\n", invocation.program);
  return kUsage;
}

// In any thread: what was found so far is saved already.
void out_of_memory() {
  constexpr std::string_view text = "assay: out of memory\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  std::_Exit(kInfrastructure);
}

}  // namespace
}  // namespace assay::cli

int main(int count, char** values) {
  assay::cli::prepare_streams();
  std::set_new_handler(assay::cli::out_of_memory);
  return assay::cli::finish(assay::cli::run(count, values));
}
