// assay equal: whether two contracts are the same function.

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/report.h"
#include "core/text.h"
#include "gates/execute.h"
#include "oracle/equality.h"
#include "properties/generate.h"

namespace assay::cli {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kUsageLine =
    "equal A B [FLAGS]\n\n"
    "Evaluates two contracts of one signature in 2048 bits on random cases, ordinary and special ones, and\n"
    "says the first element where they differ.";
constexpr std::string_view kExamples =
    "equal softmax mine.contract\n"
    "equal fused.contract unfused.contract --cases 5000 --seed 7\n";

constexpr std::int64_t kMostElements = 4096;  // of a case: more shows nothing new

po::options_description flags() {
  po::options_description flags("Flags");
  flags.add_options()("cases", value("N"), "cases to compare (default 200)")(
      "gates", value("IDS"), "draw cases as these gates do (default CMP-01,CMP-03,EXC-01,EXC-02)")(
      "seed", value("S"), "of the cases (default 1)")("help,h", on_off(), "print this");
  return flags;
}

struct Request {
  std::int64_t cases = 200;
  std::uint64_t seed = 1;
  std::vector<const Gate*> gates;
};

Expected<Request> read(const Options& options) {
  Request request;
  if (options.has("cases")) {
    const auto cases = parse_integer("--cases", options.text("cases"), 1, 1'000'000);
    if (!cases) return tl::unexpected(cases.error());
    request.cases = *cases;
  }
  auto gates = parse_gates(options.has("gates") ? options.text("gates") : "CMP-01,CMP-03,EXC-01,EXC-02");
  if (!gates) return tl::unexpected(gates.error());
  request.gates = std::move(*gates);
  if (options.has("seed")) {
    const auto seed = parse_seed(options.text("seed"));
    if (!seed) return tl::unexpected(seed.error());
    request.seed = *seed;
  }
  return request;
}

bool same_shapes(const Shapes& a, const Shapes& b) {
  const auto equal = [](const std::vector<TensorSpec>& x, const std::vector<TensorSpec>& y) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i].shape != y[i].shape || x[i].dtype != y[i].dtype) return false;
    return true;
  };
  return equal(a.inputs, b.inputs) && equal(a.outputs, b.outputs);
}

int compare(const Contract& first, const Contract& second, const Request& request) {
  const std::string a = first.signature().name, b = second.signature().name;
  const Subject subject{first, {}, {}, first.dtypes()};
  std::int64_t agreed = 0, beyond = 0;
  for (std::int64_t n = 0; n < request.cases; ++n) {
    const Gate& gate = *request.gates[static_cast<std::size_t>(n) % request.gates.size()];
    const Case c = draw_case(subject, gate, request.seed, static_cast<std::uint64_t>(n));
    if (!in_domain(c, subject)) continue;
    const auto ours = shapes_of(first, c.instance), theirs = shapes_of(second, c.instance);
    if (!theirs || elements(*ours) > kMostElements) continue;
    if (!same_shapes(*ours, *theirs)) {
      print("{} and {} have tensors of different shapes\n  case    {}\n", a, b,
            describe(c, first.signature()));
      return kFindings;
    }
    const Realised tensors = realise(c, subject);
    const Compared compared = assay::compare(first, second, c.instance, tensors.inputs);
    if (compared.result == Comparability::beyond_range) {
      ++beyond;
      continue;
    }
    if (compared.result == Comparability::differ) {
      const Difference& found = compared.difference;
      std::vector<std::string> index;
      for (const std::int64_t i : coordinates(found.index, ours->outputs[found.output].shape))
        index.push_back(fmt::format("{}", i));
      print(
          "{} and {} differ, after {} where they agree\n  at      {}[{}]\n  {:<7} {}\n  {:<7} {}\n  case    "
          "{}\n",
          a, b, counted(agreed, "case"), first.signature().outputs[found.output].name, join(index, ", "),
          "first", found.first, "second", found.second, describe(c, first.signature()));
      return kFindings;
    }
    ++agreed;
  }
  if (agreed == 0)
    return fail("equal", usage_error("no case drawn for {} can be compared with {}", a, b).value());
  print("{} and {} agree in {}, to 256 bits{}\n", a, b, counted(agreed, "case"),
        beyond == 0 ? "" : fmt::format("; {} left out, where a value passes 2^16000", beyond));
  return kClean;
}

}  // namespace

int equal(const Invocation& invocation) {
  const auto parsed = parse(invocation, flags());
  if (!parsed) return fail("equal", parsed.error());
  if (print_help(*parsed, invocation, kUsageLine, flags(), kExamples)) return kClean;
  if (parsed->arguments().size() != 2)
    return fail(
        "equal",
        usage_error("name two contracts: {} equal softmax mine.contract", invocation.program).value());
  const auto request = read(*parsed);
  if (!request) return fail("equal", request.error());
  const auto first = load_contract(parsed->arguments()[0]), second = load_contract(parsed->arguments()[1]);
  if (!first) return fail("equal", first.error());
  if (!second) return fail("equal", second.error());
  if (const auto comparable = check_comparable(*first, *second); !comparable)
    return fail("equal", comparable.error());
  return compare(*first, *second, *request);
}

}  // namespace assay::cli
