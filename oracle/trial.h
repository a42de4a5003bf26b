#pragma once

// Faults of a contract that only an evaluation shows: a read out of range, an index that no equation defines.

#include "oracle/contract.h"

namespace assay {

// Evaluates a contract and each of its forms on a few small instances of its domain. The error names the
// place in the text and the instance.
Expected<void> try_out(const Contract& contract);

}  // namespace assay
