// Any text is a case or an error with a line; a case that parses survives its own print.

#include "core/reproducer.h"

#include <cstdlib>

#include "oracle/contract.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const assay::Contract contract = *assay::load_contract("layer_norm");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = assay::parse_reproducer(text, "input", contract.signature());
  if (!read) {
    if (!read.error().message.starts_with("input:")) std::abort();
    return 0;
  }
  const std::string printed = assay::print(*read, contract.signature());
  const auto again = assay::parse_reproducer(printed, "printed", contract.signature());
  if (!again || assay::print(*again, contract.signature()) != printed) std::abort();
  return 0;
}
