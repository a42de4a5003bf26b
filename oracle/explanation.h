#pragma once

// A contract in words: `assay explain`.

#include <string>
#include <vector>

#include "oracle/contract.h"

namespace assay {

struct Section {
  std::string title;
  std::vector<std::string> lines;
};

// What it computes, on which inputs, what each clause (and each default) means for a kernel, and which values
// it must get right. What the contract says nothing of is left out.
std::vector<Section> explain(const Contract& contract);

}  // namespace assay
