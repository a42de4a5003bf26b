// CMP-02 adjoint: a backward is the transpose of its forward's Jacobian: <J v, w> = <v, J^T w>.
//
// The kernel gives g = J^T w for the gradient w that it is handed; J v comes from the forward contract, in
// high precision, for directions v that are dense, constant and one-hot. The two sides may differ by what the
// budget of g's elements allows, weighted by |v|. Where the backward contract itself is not that transpose,
// as at a tie that it breaks in its own way, there is no verdict. Gradients are drawn dense, sparse and
// one-hot: kernels that skip zero gradients show only there.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "gates/execute.h"
#include "oracle/program.h"

namespace assay {
namespace {

// Which tensors of the backward contract are what, by name: x and dx belong to the forward's input x, dy to
// its output y.
struct Adjoint {
  Contract forward;
  std::vector<std::size_t> inputs;                    // of the backward, by the forward's inputs
  std::vector<std::optional<std::size_t>> gradients;  // outputs of the backward, by the forward's inputs
  std::vector<std::size_t> cotangents;                // inputs of the backward, by the forward's outputs
};

std::optional<std::size_t> find(const std::vector<TensorSignature>& tensors, std::string_view name) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name) return i;
  return std::nullopt;
}

Expected<Adjoint> match(const Contract& backward) {
  const std::optional<Contract> forward = backward.forward();
  if (!forward) return usage_error("the contract is not the adjoint of another one");
  Adjoint adjoint{*forward, {}, {}, {}};
  const Signature& signature = backward.signature();
  for (const TensorSignature& input : forward->signature().inputs) {
    const auto same = find(signature.inputs, input.name);
    if (!same) return usage_error("the backward contract does not read '{}'", input.name);
    adjoint.inputs.push_back(*same);
    adjoint.gradients.push_back(find(signature.outputs, "d" + input.name));
  }
  for (const TensorSignature& output : forward->signature().outputs) {
    auto cotangent = find(signature.inputs, "d" + output.name);
    if (!cotangent) cotangent = find(signature.inputs, "d_" + output.name);
    if (!cotangent) return usage_error("the backward contract does not read 'd{}'", output.name);
    adjoint.cotangents.push_back(*cotangent);
  }
  if (std::none_of(adjoint.gradients.begin(), adjoint.gradients.end(), [](auto g) { return g.has_value(); }))
    return usage_error("no output of the backward contract is named after an input of the forward one");
  return adjoint;
}

Draw draw(const Subject&) {
  Draw d;
  d.sizes = Sizes::friendly;
  d.dtypes = Dtypes::all;
  d.fills = {{Fill::normal, 3}, {Fill::uniform, 1}, {Fill::zeros, 3}};
  d.same_fill = false;
  d.plants = {Special::one, Special::minus_one};
  d.min_plants = 1;
  d.max_plants = 4;
  d.max_elements = 512;
  return d;
}

std::optional<std::string> applies(const Subject& subject) {
  const auto adjoint = match(subject.contract);
  if (!adjoint) return adjoint.error().message;
  return std::nullopt;
}

// The backward's instance as one of the forward contract: dims and attributes by name.
Instance forward_instance(const Instance& backward, const Signature& from, const Signature& to) {
  Instance instance{backward.dtype, Dims(to.dims.size(), 1), {}};
  for (std::size_t i = 0; i < to.dims.size(); ++i)
    for (std::size_t k = 0; k < from.dims.size(); ++k)
      if (to.dims[i] == from.dims[k]) instance.dims[i] = backward.dims[k];
  for (const Attribute& attribute : to.attributes) {
    double value = attribute.fallback.value_or(0);
    for (std::size_t k = 0; k < from.attributes.size(); ++k)
      if (attribute.name == from.attributes[k].name) value = backward.attributes[k];
    instance.attributes.push_back(value);
  }
  return instance;
}

std::vector<std::vector<double>> directions(std::int64_t size, std::uint64_t seed) {
  const auto n = static_cast<std::size_t>(size);
  CounterRandom random(seed, 0xadd);
  std::vector<std::vector<double>> result;
  const auto one_hot = [&](std::size_t at) { result.emplace_back(n, 0.0)[at] = 1; };
  result.emplace_back(n, 1.0);
  for (double& value : result.emplace_back(n)) value = random.below(2) ? 1 : -1;
  one_hot(0);
  one_hot(n - 1);
  for (int i = 0; i < 4; ++i) one_hot(random.below(n));
  return result;
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  const auto adjoint = match(subject.contract);
  if (!adjoint) return not_applicable(adjoint.error().message);
  const Realised tensors = realise(c, subject);
  const RunResult result = runner.run(launch_of(c, tensors), Build::fast);
  if (auto verdict = no_outputs(result, c, subject)) return *verdict;

  const Contract& forward = adjoint->forward;
  const Instance instance = forward_instance(c.instance, subject.contract.signature(), forward.signature());
  std::vector<Tensor> inputs;
  for (std::size_t i : adjoint->inputs) inputs.push_back(tensors.inputs[i]);
  Judge oracle(subject.contract, c.instance, tensors.inputs, subject.allow);

  for (std::size_t input = 0; input < adjoint->gradients.size(); ++input) {
    if (!adjoint->gradients[input]) continue;
    const std::size_t output = *adjoint->gradients[input];
    const Tensor& gradient = result.outputs[output];
    if (gradient.size() == 0) continue;
    std::vector<double> budget(static_cast<std::size_t>(gradient.size())), truth(budget);
    bool finite = true;
    for (std::int64_t i = 0; i < gradient.size(); ++i) {
      const ElementReport report = oracle.element(output, i, gradient.bits(i));
      truth[static_cast<std::size_t>(i)] = report.truth;
      budget[static_cast<std::size_t>(i)] = std::max(report.high - report.truth, report.truth - report.low);
      finite &= std::isfinite(report.truth) && std::isfinite(budget[static_cast<std::size_t>(i)]);
    }
    if (!finite) continue;  // classes are EXC-01's

    for (const std::vector<double>& v : directions(gradient.size(), c.seed)) {
      std::vector<std::vector<double>> direction(inputs.size());
      direction[input] = v;
      const auto jv = tangent(forward, instance, inputs, direction);
      long double forward_side = 0, backward_side = 0, contract_side = 0, allowed = 0, size = 0;
      for (std::size_t o = 0; o < jv.size(); ++o) {
        const Tensor& w = tensors.inputs[adjoint->cotangents[o]];
        for (std::size_t i = 0; i < jv[o].size(); ++i) {
          const long double term = static_cast<long double>(jv[o][i]) * w.value(static_cast<std::int64_t>(i));
          forward_side += term;
          size += std::fabs(term);
        }
      }
      for (std::size_t i = 0; i < v.size(); ++i) {
        const long double term =
            static_cast<long double>(v[i]) * gradient.value(static_cast<std::int64_t>(i));
        backward_side += term;
        contract_side += static_cast<long double>(v[i]) * truth[i];
        allowed += std::fabs(v[i]) * budget[i];
        size += std::fabs(term);
      }
      // J v has one rounding to double an element, the sums here one of long double a term.
      // The oracle's own error: its truths are doubles, of a recurrence after hundreds of steps.
      allowed += size * (c.instance.dtype == DType::f64 ? 0x1p-50L : 0x1p-40L);
      if (std::fabs(forward_side - backward_side) <= allowed) continue;
      if (std::fabs(forward_side - contract_side) > allowed) {
        const std::string reason = fmt::format(
            "contract {} is not the transpose of {}'s derivative here: <v, {}> is {:.9g} by it, "
            "<J v, w> is {:.9g}",
            subject.contract.signature().name, forward.signature().name,
            subject.contract.signature().outputs[output].name, static_cast<double>(contract_side),
            static_cast<double>(forward_side));
        // `stop` may be a choice of the forward's and no fact about it.
        return forward.program().stops.empty() ? undecidable(reason) : not_applicable(reason);
      }
      Verdict verdict{Outcome::beyond_budget, {}};
      Evidence& evidence = verdict.evidence;
      evidence.kind = "adjoint";
      evidence.output = subject.contract.signature().outputs[output].name;
      if (std::count(v.begin(), v.end(), 0.0) == static_cast<std::ptrdiff_t>(v.size()) - 1)
        evidence.index = coordinates(std::find(v.begin(), v.end(), 1.0) - v.begin(), gradient.shape());
      evidence.got = static_cast<double>(backward_side);
      evidence.truth = static_cast<double>(forward_side);
      evidence.low = static_cast<double>(forward_side - allowed);
      evidence.high = static_cast<double>(forward_side + allowed);
      evidence.excess = static_cast<double>(std::fabs(forward_side - backward_side) / allowed);
      evidence.bad_elements = 1;
      evidence.detail = fmt::format("<v, {}> of the kernel against <J v, w> of {}", evidence.output,
                                    forward.signature().name);
      return verdict;
    }
  }
  return Verdict::pass();
}

}  // namespace

extern const Gate cmp_02_adjoint;
const Gate cmp_02_adjoint = {
    .id = "CMP-02",
    .title = "adjoint",
    .law = "a backward is the transpose of its forward's Jacobian: <J v, w> = <v, J^T w>",
    .tolerance_free = false,
    .weight = 1,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
