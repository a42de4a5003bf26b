// Each clause of a contract lets wrong kernels through: it stands only where some answer of PyTorch needs it.
// Every contract with vectors is judged without each of its clauses, and then some answer must be refused;
// where none is, a kernel that does what the clause permits must be.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/text.h"
#include "oracle/evaluator.h"
#include "oracle/judge.h"
#include "oracle/rounded.h"
#include "tests/oracle/torch_vectors.h"

namespace assay {
namespace {

struct Ablation {
  std::string clause;
  std::string text;  // of the contract without it
};

std::string_view without_profile(std::string_view line) {
  line = trim(line);
  constexpr std::string_view kProfile = "profile cpu ";
  return line.starts_with(kProfile) ? trim(line.substr(kProfile.size())) : line;
}

bool starts(std::string_view line, std::initializer_list<std::string_view> words) {
  const std::string_view clause = without_profile(line);
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return clause.starts_with(w); });
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// One for each clause; each name of `round a, b to dtype` is one of its own. A form goes with all that it
// has.
std::vector<Ablation> ablations(const std::string& source) {
  const std::vector<std::string> lines = split(source, '\n');
  std::vector<Ablation> result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> rest = lines;
    const std::string clause(trim(std::string_view(lines[i]).substr(0, lines[i].find('#'))));
    if (starts(lines[i], {"form "})) {
      std::size_t end = i + 1;
      while (end < lines.size() && !starts(lines[end], {"form "})) ++end;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i),
                 rest.begin() + static_cast<std::ptrdiff_t>(end));
      result.push_back({clause, joined(rest)});
    } else if (starts(lines[i], {"allow ", "accuracy ", "subnormals ", "accumulate "})) {
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      result.push_back({clause, joined(rest)});
    } else if (starts(lines[i], {"round "})) {
      const std::size_t from = clause.find("round ") + 6, to = clause.find(" to ");
      const std::vector<std::string> names = split(clause.substr(from, to - from), ',');
      for (const std::string& name : names) {
        std::string others;
        for (const std::string& other : names)
          if (other != name) others += (others.empty() ? "" : ", ") + std::string(trim(other));
        rest = lines;
        if (others.empty())
          rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        else
          rest[i] = "  " + clause.substr(0, from) + others + clause.substr(to);
        result.push_back({"round " + std::string(trim(name)) + clause.substr(to), joined(rest)});
      }
    }
  }
  return result;
}

bool refuses_one(const Contract& contract, const std::vector<const Json*>& records) {
  for (const Json* record : records) {
    const std::optional<Bound> bound = bind(contract, *record);
    if (!bound) continue;
    const Shapes shapes = *shapes_of(contract, bound->instance);
    Judge judge(contract, bound->instance, bound->inputs);
    for (const char* device : {"cpu", "cuda"})
      for (std::size_t k = 0; k < shapes.outputs.size(); ++k)
        if (judge.all(k, tensor_of((*record)[device][k], shapes.outputs[k].shape)).refused > 0) return true;
  }
  return false;
}

// A kernel that does what a clause permits: stores what may be stored, follows the form, has the other zero.
struct Storing : RoundedAlgebra {
  Storing() : RoundedAlgebra(DType::f32, false) {}
  Value round(Value a, DType dtype) { return decode(dtype, encode(dtype, a)); }
};

struct Answer {
  Instance instance;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

std::optional<Answer> answer(const Contract& contract, const std::string& clause, std::mt19937_64& random) {
  const Signature& signature = contract.signature();
  Answer a{{random() % 2 ? DType::f16 : DType::bf16, {}, {}}, {}, {}};
  for (std::size_t d = 0; d < signature.dims.size(); ++d)
    a.instance.dims.push_back(static_cast<std::int64_t>(1 + random() % 4));
  for (const Attribute& attribute : signature.attributes)
    a.instance.attributes.push_back(attribute.integral && random() % 2 ? 1 : attribute.fallback.value_or(1));
  const Expected<Shapes> shapes = shapes_of(contract, a.instance);
  if (!shapes) return std::nullopt;
  const bool is_form = without_profile(clause).starts_with("form ");
  for (const TensorSpec& spec : shapes->inputs) {
    Tensor& t = a.inputs.emplace_back(spec.dtype, spec.shape);
    std::normal_distribution<double> z;
    for (std::int64_t i = 0; i < t.size(); ++i)
      t.set_bits(i, is_float(spec.dtype)
                        ? encode(spec.dtype, is_form && random() % 8 == 0 ? HUGE_VAL : z(random))
                        : encode_integer(spec.dtype, 0));
  }
  Storing algebra;
  const std::string form = is_form ? std::string(without_profile(clause).substr(5)) : "";
  Evaluator<Storing> evaluator(contract.program(), a.instance, *shapes, a.inputs, algebra, form);
  for (std::size_t k = 0; k < shapes->outputs.size(); ++k) {
    Tensor& t = a.outputs.emplace_back(shapes->outputs[k].dtype, shapes->outputs[k].shape);
    for (std::int64_t i = 0; i < t.size(); ++i) {
      const double y = evaluator.output(k, i);
      t.set_bits(i, encode(t.dtype(), y == 0 && clause.find("sign of zero") != clause.npos ? -y : y));
    }
  }
  return a;
}

// An answer of such a kernel that the contract accepts, and does not without the clause.
bool is_needed_by_a_kernel(const Contract& contract, const Contract& without, const std::string& clause) {
  std::mt19937_64 random(1);
  for (int attempt = 0; attempt < 400; ++attempt) {
    const auto a = answer(contract, clause, random);
    if (!a) continue;
    Judge with_it(contract, a->instance, a->inputs), without_it(without, a->instance, a->inputs);
    bool refused = false;
    for (std::size_t k = 0; k < a->outputs.size(); ++k) {
      if (with_it.all(k, a->outputs[k]).refused > 0) return false;  // it permits no such kernel
      refused |= without_it.all(k, a->outputs[k]).refused > 0;
    }
    if (refused) return true;
  }
  return false;
}

// What no answer of PyTorch among the vectors needs: kernels that may be written so.
const std::set<std::string> kNeededByKernels = {
    "conv2d: round s to dtype",  // a product and a bias kernel of their own
    "conv2d: form skipping",     // padding is seldom multiplied
    "cross_entropy: allow sign of zero in loss",
    "cross_entropy_none: allow sign of zero in loss",
    "cross_entropy_sum: allow sign of zero in loss",
    "sdpa: round w to dtype",  // scores are stored in all vectors that show it
    "sdpa: form skipping",     // a causal kernel ends its loop at the diagonal
};

TEST(Ablation, EveryClauseIsNeededByAnAnswer) {
  const std::vector<Json> all = records();
  std::map<std::string, std::vector<const Json*>> by_contract;
  for (const Json& record : all) by_contract[contract_of(record["op"])].push_back(&record);
  const std::vector<std::string> library = library_contracts();
  int proved = 0;
  for (const auto& [name, records] : by_contract) {
    if (std::find(library.begin(), library.end(), name) == library.end()) continue;
    for (const Ablation& a : ablations(std::string(load_contract(name)->source()))) {
      const std::string what = name + ": " + a.clause;
      const auto contracts = parse_contracts(a.text, name + ".contract");
      ASSERT_TRUE(contracts) << what << ": " << contracts.error().message;
      const bool needed = refuses_one(contracts->back(), records);
      proved += needed;
      if (needed) {
        EXPECT_FALSE(kNeededByKernels.contains(what)) << "an answer of PyTorch needs " << what;
        continue;
      }
      EXPECT_TRUE(kNeededByKernels.contains(what)) << "no answer of PyTorch needs " << what;
      EXPECT_TRUE(is_needed_by_a_kernel(*load_contract(name), contracts->back(), a.clause))
          << "nothing needs " << what;
    }
  }
  std::printf("%d clauses are proved by PyTorch, %zu by kernels\n", proved, kNeededByKernels.size());
  EXPECT_GE(proved, 21);
}

}  // namespace
}  // namespace assay
