#include "oracle/gdn/native.h"

#include <cassert>

#include "oracle/gdn/budget.h"

namespace assay::gdn {
namespace {

// Multiplications of a state by tokens above which the contract's definitions take longer than a second.
constexpr std::int64_t kMostWork = 1 << 17;

constexpr std::string_view kForward = "_forward", kBackward = "_backward";

const Member* member_of(std::string_view contract) {
  for (std::string_view suffix : {kForward, kBackward})
    if (contract.ends_with(suffix)) return find_member(contract.substr(0, contract.size() - suffix.size()));
  return nullptr;
}

std::int64_t dim(const Contract& contract, const Instance& instance, std::string_view name) {
  const std::vector<std::string>& names = contract.signature().dims;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return instance.dims[i];
  return 1;
}

double attribute(const Contract& contract, const Instance& instance, std::string_view name) {
  const std::vector<Attribute>& list = contract.signature().attributes;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return instance.attributes[i];
  return 0;
}

Size size_of(const Contract& c, const Instance& i) {
  return {dim(c, i, "n"), dim(c, i, "t"), dim(c, i, "h"), dim(c, i, "r"), dim(c, i, "kd"), dim(c, i, "vd")};
}

class Family : public NativeOracle {
 public:
  bool prefers(const Contract& contract, const Instance& instance) const override {
    const Size s = size_of(contract, instance);
    return s.t * s.heads() * s.kd * s.vd > kMostWork;
  }

  std::vector<NativeOutput> evaluate(const Contract& contract, const Instance& instance,
                                     std::span<const Tensor> inputs) const override {
    const Expected<Problem> problem = problem_of(contract, instance, inputs);
    assert(problem && "the instance is in the contract's domain");
    // The contracts declare no rounding of operands: kernels are judged by the manifest of f32 operands.
    const Budget b = budget(*problem, Leaf::scalar, 1);
    std::vector<NativeOutput> outputs;
    for (const TensorSignature& output : contract.signature().outputs) {
      NativeOutput& one = outputs.emplace_back();
      one.truth = *b.truth.find(output.name);
      one.budget = *b.hard.find(output.name);
      one.sigma = *b.spread.sigma.find(output.name);
      for (double e : *b.spreads.find(output.name)) one.spreads.push_back(e != 0);
    }
    return outputs;
  }
};

}  // namespace

const NativeOracle* native_oracle(std::string_view contract) {
  static const Family kFamily;
  return member_of(contract) != nullptr ? &kFamily : nullptr;
}

Expected<Problem> problem_of(const Contract& contract, const Instance& instance,
                             std::span<const Tensor> inputs) {
  const Signature& signature = contract.signature();
  const Member* member = member_of(signature.name);
  if (member == nullptr) return usage_error("{} is no contract of the family", signature.name);
  Problem p;
  p.member = member;
  p.dtype = instance.dtype;
  p.size = size_of(contract, instance);
  p.scale = attribute(contract, instance, "scale");
  p.l2norm = attribute(contract, instance, "l2norm") != 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor* tensor = p.find(signature.inputs[i].name);
    if (tensor == nullptr)
      return usage_error("contract {} has the input {}, which its family does not", signature.name,
                         signature.inputs[i].name);
    *tensor = inputs[i];
  }
  for (const Named& input : gdn::inputs(*member, p.size, p.dtype, signature.name.ends_with(kBackward)))
    if (p.find(input.name)->shape() != input.shape)
      return usage_error("contract {} lacks the input {}, or it has another shape", signature.name,
                         input.name);
  return p;
}

}  // namespace assay::gdn
