#pragma once

// The library's contracts as plain loops over doubles, written without regard to their texts.

#include <functional>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace assay {

using Row = std::vector<double>;

struct Naive {
  std::string contract;
  std::vector<Dims> dims;  // instances to compare at
  Row attributes;

  // The outputs, from dims, attributes and inputs.
  std::function<std::vector<Row>(const Dims&, const Row&, const std::vector<Row>&)> outputs;
};

const std::vector<Naive>& naive_contracts();

}  // namespace assay
