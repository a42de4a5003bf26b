#include "oracle/rounded.h"

#include "oracle/filter.h"

namespace assay {

// Through double and then to the type: harmless for + - * / sqrt of types of half its width.
auto RoundedAlgebra::fit(double x) const -> Value {
  switch (accumulator_) {
    case DType::f64:
      return x;
    case DType::f32:
      return static_cast<float>(x);
    default:
      return decode(accumulator_, encode(accumulator_, x));
  }
}

auto RoundedAlgebra::operand(double x) const -> Value {
  constexpr Format kTf32{11, -136, 127};
  return tf32_ && std::isfinite(x) ? Filter<double>::exact(x).round_to(kTf32) : x;
}

auto RoundedAlgebra::constant(const Constant& c) -> Value {
  switch (c.kind) {
    case Constant::Kind::nan:
      return NAN;
    case Constant::Kind::infinity:
      return c.numerator < 0 ? -HUGE_VAL : HUGE_VAL;
    case Constant::Kind::real:
      return fit(c.value);
    case Constant::Kind::rational:
    case Constant::Kind::pi:
      break;
  }
  return fit(Filter<long double>::constant(c).to_double());
}

auto RoundedAlgebra::sum(std::span<const Value> terms, Sum how) -> Value {
  if (terms.empty()) return 0;
  Value total = how == Sum::reduction ? fit(0.0 + terms[0]) : terms[0];
  for (const Value t : terms.subspan(1)) total = fit(total + t);
  return total;
}

auto RoundedAlgebra::product(std::span<const Value> factors) -> Value {
  if (factors.empty()) return 1;
  if (factors.size() == 1) return factors[0];
  Value result = operand(factors[0]);
  for (const Value f : factors.subspan(1)) result = fit(result * operand(f));
  return result;
}

bool RoundedAlgebra::extend(Running& running, Value term) const {
  if (++running.n == 1) {
    running.first = term;
    running.total = running.product ? operand(term) : fit(0.0 + term);
  } else {
    running.total = running.product ? fit(running.total * operand(term)) : fit(running.total + term);
  }
  return true;
}

auto RoundedAlgebra::power(Value a, int n) -> Value {
  const Value x = n > 1 ? operand(a) : a;
  Value result = x;
  for (int i = 1; i < n; ++i) result = fit(result * x);
  return result;
}

auto RoundedAlgebra::mean(std::span<const Value> terms) -> Value {
  return fit(sum(terms, Sum::reduction) / static_cast<double>(terms.size()));
}

auto RoundedAlgebra::extreme(Extreme kind, std::span<const Value> terms) -> Value {
  const bool is_max = kind == Extreme::max || kind == Extreme::fmax;
  const bool drops_nan = kind == Extreme::fmax || kind == Extreme::fmin;
  Value best = is_max ? -HUGE_VAL : HUGE_VAL;
  bool any = terms.empty();
  for (const Value t : terms) {
    if (std::isnan(t)) {
      if (!drops_nan) return t;
      continue;
    }
    any = true;
    if (is_max ? t > best : t < best) best = t;
  }
  return any ? best : NAN;
}

auto RoundedAlgebra::arg(Extreme kind, std::span<const Value> terms) -> Value {
  const bool is_max = kind == Extreme::max || kind == Extreme::fmax;
  std::size_t best = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (std::isnan(terms[i])) return static_cast<Value>(i);
    if (is_max ? terms[i] > terms[best] : terms[i] < terms[best]) best = i;
  }
  return terms.empty() ? -1 : static_cast<Value>(best);
}

auto RoundedAlgebra::call(Function f, Value a) -> Value {
  return fit(evaluate(f, a));
}

Truth RoundedAlgebra::compare(Comparison op, Value a, Value b) {
  return Truth::of(holds(op, a, b));
}

}  // namespace assay
