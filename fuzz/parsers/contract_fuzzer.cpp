// Any text is a contract or an error with a place; a contract that parses can be asked for its shapes.

#include <cstdlib>
#include <string_view>

#include "oracle/contract.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto contracts = assay::parse_contracts(text, "input");
  if (!contracts) {
    if (!contracts.error().message.starts_with("input:")) std::abort();
    return 0;
  }
  for (const assay::Contract& contract : *contracts) {
    assay::Instance instance;
    instance.dims.assign(contract.signature().dims.size(), 3);
    for (const assay::Attribute& attribute : contract.signature().attributes)
      instance.attributes.push_back(attribute.fallback.value_or(1));
    if (assay::admits(contract, instance) && !assay::shapes_of(contract, instance)) std::abort();
  }
  return 0;
}
