#pragma once

// What an algebra of plain numbers does in one way only: constants, comparisons, choices.

#include <cmath>
#include <numbers>
#include <span>

#include "oracle/algebra.h"

namespace assay {

template <class T>
struct PlainAlgebra {
  using Value = T;

  Value constant(const Constant& c) {
    switch (c.kind) {
      case Constant::Kind::rational:
        return static_cast<T>(static_cast<long double>(c.numerator) /
                              static_cast<long double>(c.denominator) * std::pow(10.0L, c.exponent));
      case Constant::Kind::pi:
        return std::numbers::pi_v<T>;
      case Constant::Kind::infinity:
        return static_cast<T>(c.numerator < 0 ? -INFINITY : INFINITY);
      case Constant::Kind::nan:
        return static_cast<T>(NAN);
      case Constant::Kind::real:
        return static_cast<T>(c.value);
    }
    return 0;
  }
  Value integer(std::int64_t i) { return static_cast<T>(i); }
  // The first NaN, else the first that is best.
  Value arg(Extreme kind, std::span<const Value> terms) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (std::isnan(terms[i])) return static_cast<T>(i);
      if (kind == Extreme::max ? terms[i] > terms[best] : terms[i] < terms[best]) best = i;
    }
    return static_cast<T>(best);
  }
  Truth compare(Comparison op, Value a, Value b) { return Truth::of(holds(op, a, b)); }
  Truth classify(Classify what, Value a) {
    return Truth::of(what == Classify::nan ? std::isnan(a) : std::isinf(a));
  }
  Value select(Truth condition, Value yes, Value no) { return condition.at_truth ? yes : no; }
};

}  // namespace assay
