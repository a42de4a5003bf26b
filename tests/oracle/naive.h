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

  double spread = 4;  // between the least and the largest float that an input may have
};

const std::vector<Naive>& naive_contracts();

// Its parts that are not in naive.cpp.
std::vector<Naive> naive_rows();
std::vector<Naive> naive_windows();
std::vector<Naive> naive_bytes();

double at(const Row& x, std::int64_t i);
Row row_of(std::int64_t cols, const Row& x, std::int64_t r);

// Of dy . forward(x), by differences of the forward: slow, and independent of any formula.
Row gradient(Row x, const Row& dy, const std::function<Row(const Row&)>& forward);

}  // namespace assay
