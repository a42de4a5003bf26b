#pragma once

// The input elements that a value depends on: the union over an operation's operands, whatever their values.
//
// A select depends on its condition and both branches, a maximum on all its terms; what index conditions drop
// is not there to begin with, since the evaluator never asks for it. Rule 22 of docs/budgets.md.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/dtype.h"
#include "oracle/algebra.h"

namespace assay {

class FootprintAlgebra {
 public:
  struct Element {
    std::size_t tensor;
    std::int64_t index;
    friend auto operator<=>(const Element&, const Element&) = default;
  };
  using Set = std::vector<Element>;          // ascending
  using Value = std::shared_ptr<const Set>;  // null: empty

  Value input(std::size_t tensor, std::int64_t element, DType, std::uint64_t) {
    return std::make_shared<const Set>(Set{{tensor, element}});
  }
  Value constant(const Constant&) { return {}; }
  Value integer(std::int64_t) { return {}; }
  Value negate(const Value& a) { return a; }
  Value sum(std::span<const Value> terms, Sum) { return join(terms); }
  Value product(std::span<const Value> factors) { return join(factors); }
  Value power(const Value& a, int) { return a; }
  Value divide(const Value& a, const Value& b) { return join(a, b); }
  Value mean(std::span<const Value> terms) { return join(terms); }
  Value extreme(Extreme, std::span<const Value> terms) { return join(terms); }
  Value arg(Extreme, std::span<const Value> terms) { return join(terms); }
  Value call(Function, const Value& a) { return a; }
  Truth compare(Comparison, const Value&, const Value&) { return {true, true, true}; }
  Truth classify(Classify, const Value&) { return {true, true, true}; }
  Value select(Truth, const Value& yes, const Value& no) { return join(yes, no); }
  Value depend(const Value& result, std::span<const Value> compared) { return join(result, join(compared)); }
  Value round(const Value& a, DType) { return a; }
  Value allow(const Value& a, Classes, Truth) { return a; }

 private:
  static Value join(std::span<const Value> sets);
  static Value join(const Value& a, const Value& b);
};

}  // namespace assay
