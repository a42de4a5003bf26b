// assay explain: a contract in words, and what a check of it does.

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/print.h"
#include "gates/gate.h"
#include "oracle/explanation.h"
#include "oracle/imposters.h"

namespace assay::cli {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kUsageLine =
    "explain NAME|FILE.contract\n\n"
    "Says what a contract demands of a kernel: tensors, domain, definitions, what each clause and each "
    "default\n"
    "means, which gates apply and why others do not, and the values that a kernel must get right.";
constexpr std::string_view kExamples =
    "explain softmax\n"
    "explain mine.contract\n";

po::options_description flags() {
  po::options_description flags("Flags");
  flags.add_options()("help,h", on_off(), "print this");
  return flags;
}

Section gates_of(const Contract& contract) {
  const Subject subject{contract, {}, {}, contract.dtypes()};
  Section section{"Gates", {}};
  for (const Gate* gate : all_gates()) {
    const auto reason = gate->not_applicable(subject);
    section.lines.push_back(fmt::format("{} {:<28} {}", gate->id, gate->title,
                                        reason ? "does not apply: " + *reason : std::string(gate->law)));
  }
  return section;
}

Section imposters_of(const Contract& contract) {
  Section section{"Imposters, which 'check --certificate' tries", {}};
  for (const Imposter& imposter : imposters(contract)) section.lines.push_back(imposter.fault);
  return section;
}

}  // namespace

int explain(const Invocation& invocation) {
  const auto parsed = parse(invocation, flags());
  if (!parsed) return fail("explain", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  if (parsed->arguments().size() != 1)
    return fail("explain", usage_error("name one contract: {} explain softmax", invocation.program).value());
  const auto contract = load_contract(parsed->arguments()[0]);
  if (!contract) return fail("explain", contract.error());

  print("{}: {}\n", contract->signature().name, contract->summary());
  std::vector<Section> sections = assay::explain(*contract);
  sections.push_back(gates_of(*contract));
  sections.push_back(imposters_of(*contract));
  for (const Section& section : sections) {
    print("\n{}\n", section.title);
    for (const std::string& line : section.lines) print("  {}\n", line);
  }
  return kClean;
}

}  // namespace assay::cli
