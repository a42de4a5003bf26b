// assay list: what there is to check with.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/control.h"
#include "cli/options.h"
#include "cli/print.h"
#include "core/text.h"
#include "gates/gate.h"

namespace assay::cli {
namespace {

namespace po = boost::program_options;
using nlohmann::ordered_json;

constexpr std::string_view kUsageLine = "list contracts|gates|controls [--json]";
constexpr std::string_view kExamples =
    "list contracts\n"
    "list gates\n"
    "list controls --json\n";

po::options_description flags() {
  po::options_description flags("Flags", 110);
  flags.add_options()("json", on_off(), "as JSON")("dir", value("FOLDER"), "where the controls are")(
      "help,h", on_off(), "print this");
  return flags;
}

std::string names_of(const std::vector<TensorSignature>& tensors) {
  std::vector<std::string> names;
  for (const TensorSignature& tensor : tensors) names.push_back(tensor.name);
  return join(names, ", ");
}

int list_contracts(bool json) {
  ordered_json all = ordered_json::array();
  for (const std::string& name : library_contracts()) {
    const Expected<Contract> contract = load_contract(name);
    if (!contract) return fail("list", contract.error());
    const Signature& signature = contract->signature();
    std::vector<std::string> dtypes;
    for (DType dtype : contract->dtypes()) dtypes.emplace_back(assay::name(dtype));
    all.push_back({{"name", name},
                   {"inputs", names_of(signature.inputs)},
                   {"outputs", names_of(signature.outputs)},
                   {"dims", signature.dims},
                   {"dtypes", dtypes},
                   {"summary", contract->summary()}});
    if (!json)
      print("{:<18} ({}) -> ({})  [{}]\n{:<18} {}\n", name, names_of(signature.inputs),
            names_of(signature.outputs), join(signature.dims, ", "), "", contract->summary());
  }
  if (json) print("{}\n", all.dump(2));
  return kClean;
}

int list_gates(bool json) {
  ordered_json all = ordered_json::array();
  for (const Gate* gate : all_gates()) {
    all.push_back({{"id", gate->id},
                   {"title", gate->title},
                   {"tolerance_free", gate->tolerance_free},
                   {"law", gate->law}});
    if (!json)
      print("{} {:<28} {}\n       {}\n", gate->id, gate->title,
            gate->tolerance_free ? "tolerance-free" : "budget", gate->law);
  }
  if (json) print("{}\n", all.dump(2));
  return kClean;
}

int list_controls(bool json, const std::string& folder) {
  const auto controls = find_controls(folder);
  if (!controls) return fail("list", controls.error());
  ordered_json all = ordered_json::array();
  for (const Control& control : *controls) {
    all.push_back({{"name", control.name},
                   {"faulty", control.faulty},
                   {"contract", control.target.contract},
                   {"gate", control.gate != nullptr ? ordered_json(control.gate->id) : ordered_json(nullptr)},
                   {"fault", control.fault},
                   {"path", control.target.kernel.string()}});
    if (!json)
      print("{:<32} {:<17} {:<7} {}\n", control.name, control.target.contract,
            control.gate != nullptr ? control.gate->id : "right", control.fault);
  }
  if (json) print("{}\n", all.dump(2));
  return kClean;
}

}  // namespace

int list(const Invocation& invocation) {
  const auto parsed = parse(invocation, flags());
  if (!parsed) return fail("list", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  const std::vector<std::string>& words = parsed->arguments();
  const std::string what = words.size() == 1 ? words[0] : "";
  const bool json = parsed->has("json");
  if (what == "contracts") return list_contracts(json);
  if (what == "gates") return list_gates(json);
  if (what == "controls") return list_controls(json, parsed->text("dir"));
  if (words.empty()) return fail("list", usage_error("what to list? contracts, gates or controls").value());
  return fail("list", usage_error("cannot list '{}'{}", join(words, " "),
                                  suggestion(words[0], {"contracts", "gates", "controls"}))
                          .value());
}

}  // namespace assay::cli
