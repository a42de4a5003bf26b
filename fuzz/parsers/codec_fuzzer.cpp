// Any bytes are a case, which survives its own encoding; where the contract admits it, its contents can be
// made and judged: the truth rounded by a right kernel is never refused.

#include "core/codec.h"

#include <algorithm>
#include <cstdlib>

#include "core/realise.h"
#include "oracle/contract.h"
#include "oracle/judge.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const assay::Contract contract = *assay::load_contract("softmax");
  const assay::Case c = assay::decode(std::as_bytes(std::span(data, size)), contract.signature());
  if (assay::decode(assay::encode(c), contract.signature()) != c) std::abort();
  if (!assay::admits(contract, c.instance)) return 0;
  const auto shapes = assay::shapes_of(contract, c.instance);
  if (!shapes) std::abort();
  std::int64_t elements = 1;
  for (std::int64_t extent : c.instance.dims) elements *= std::min<std::int64_t>(extent, 1024);
  if (elements > 512) return 0;  // more of the same, for most of the time
  const std::vector<assay::Tensor> inputs = assay::realise(c, *shapes);
  const std::vector<assay::Tensor> outputs =
      assay::simulate(contract, c.instance, inputs, {contract.accumulator(c.instance.dtype), false});
  assay::Judge judge(contract, c.instance, inputs);
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (judge.all(k, outputs[k]).refused) std::abort();
  return 0;
}
