#include "oracle/tangent.h"

#include <cmath>

namespace assay {
namespace {

using Value = TangentAlgebra::Value;

const Real& zero() {
  static const Real kZero(0.0);
  return kZero;
}
const Real& value(const Value& v) {
  return v ? v->value : zero();
}
const Real& slope(const Value& v) {
  return v ? v->slope : zero();
}

Value make(Real value, Real slope) {
  return std::make_shared<const TangentAlgebra::Pair>(
      TangentAlgebra::Pair{std::move(value), std::move(slope)});
}

Real times(const Real& a, const Real& b) {
  return multiply(a, b).value;
}
Real number(double x) {
  return Real(x);
}

// slope * partial, where no change is no change.
Real chain(const Real& slope, const Real& partial) {
  return slope.is_zero() ? number(0) : times(slope, partial);
}

bool is_greater(const Real& a, const Real& b) {
  return compare(a, b) > 0;
}

// The place of the extreme term: the first of ties; a NaN first of all unless NaNs are dropped.
std::size_t place(Extreme kind, std::span<const Value> terms) {
  const bool is_max = kind == Extreme::max || kind == Extreme::fmax;
  const bool drops_nan = kind == Extreme::fmax || kind == Extreme::fmin;
  std::size_t best = terms.size();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Real& t = value(terms[i]);
    if (t.is_nan()) {
      if (!drops_nan) return i;
      continue;
    }
    if (best == terms.size() ||
        (is_max ? is_greater(t, value(terms[best])) : is_greater(value(terms[best]), t)))
      best = i;
  }
  return best;
}

Real total(std::span<const Real> terms) {
  std::vector<const Real*> pointers;
  for (const Real& t : terms) pointers.push_back(&t);
  return sum(pointers).value;
}

}  // namespace

Value TangentAlgebra::input(std::size_t tensor, std::int64_t element, DType dtype, std::uint64_t bits) {
  if (!is_float(dtype)) return integer(decode_integer(dtype, bits));
  const std::vector<double>* d = tensor < direction_.size() ? &direction_[tensor] : nullptr;
  const bool moves = d && !d->empty();
  return make(number(decode(dtype, bits)), number(moves ? (*d)[static_cast<std::size_t>(element)] : 0));
}

Value TangentAlgebra::constant(const Constant& c) {
  return make(of_constant(c).value, number(0));
}
Value TangentAlgebra::integer(std::int64_t i) {
  return make(Real::of_integer(i), number(0));
}
Value TangentAlgebra::negate(const Value& a) {
  return make(-value(a), -slope(a));
}

Value TangentAlgebra::sum(std::span<const Value> terms, Sum) {
  std::vector<const Real*> values, slopes;
  for (const Value& t : terms) {
    values.push_back(&value(t));
    slopes.push_back(&slope(t));
  }
  return make(assay::sum(values).value, assay::sum(slopes).value);
}

Value TangentAlgebra::product(std::span<const Value> factors) {
  Value result = make(number(1), number(0));
  for (const Value& f : factors) {
    const Real terms[] = {chain(slope(result), value(f)), chain(slope(f), value(result))};
    result = make(times(value(result), value(f)), total(terms));
  }
  return result;
}

Value TangentAlgebra::power(const Value& a, int n) {
  const Real partial = n == 1 ? number(1) : times(number(n), assay::power(value(a), n - 1).value);
  return make(assay::power(value(a), n).value, chain(slope(a), partial));
}

Value TangentAlgebra::divide(const Value& a, const Value& b) {
  const Real quotient = assay::divide(value(a), value(b)).value;
  const Real down = -chain(slope(b), quotient);
  const Real terms[] = {slope(a), down};
  const Real change = total(terms);
  return make(quotient, change.is_zero() ? number(0) : assay::divide(change, value(b)).value);
}

Value TangentAlgebra::mean(std::span<const Value> terms) {
  return divide(sum(terms, Sum::reduction), integer(static_cast<std::int64_t>(terms.size())));
}

Value TangentAlgebra::extreme(Extreme kind, std::span<const Value> terms) {
  const std::size_t i = place(kind, terms);
  if (i < terms.size()) return terms[i];
  const bool is_max = kind == Extreme::max || kind == Extreme::fmax;
  return make(number(!terms.empty() ? std::nan("") : is_max ? -HUGE_VAL : HUGE_VAL), number(0));
}

Value TangentAlgebra::arg(Extreme kind, std::span<const Value> terms) {
  const std::size_t i = place(kind, terms);
  return integer(i < terms.size() ? static_cast<std::int64_t>(i) : -1);
}

Value TangentAlgebra::call(Function f, const Value& a) {
  const Real& x = value(a);
  const Real y = assay::call(f, x).value;
  if (slope(a).is_zero()) return make(y, number(0));
  const auto one_over = [](const Real& r) { return assay::divide(number(1), r).value; };
  const auto partial = [&]() -> Real {
    switch (f) {
      case Function::exp:
        return y;
      case Function::log:
        return one_over(x);
      case Function::sqrt:
        return one_over(times(number(2), y));
      case Function::rsqrt:
        return times(number(-0.5), assay::power(y, 3).value);
      case Function::tanh:
        return subtract(number(1), times(y, y)).value;
      case Function::erf: {
        const Real root_pi = assay::call(Function::sqrt, of_constant({Constant::Kind::pi}).value).value;
        const Real bell = assay::call(Function::exp, -times(x, x)).value;
        return times(assay::divide(number(2), root_pi).value, bell);
      }
      case Function::abs:
        return number(x.sign());
      case Function::sin:
        return assay::call(Function::cos, x).value;
      case Function::cos:
        return -assay::call(Function::sin, x).value;
      case Function::expm1:
        return assay::call(Function::exp, x).value;
      case Function::log1p:
        return one_over(add(number(1), x).value);
      case Function::floor:
      case Function::sign:
        return number(0);
    }
    return number(0);
  };
  return make(y, chain(slope(a), partial()));
}

Truth TangentAlgebra::compare(Comparison op, const Value& a, const Value& b) {
  const Real &x = value(a), &y = value(b);
  if (x.is_nan() || y.is_nan()) return Truth::of(op == Comparison::not_equal);
  return Truth::of(holds(op, assay::compare(x, y), 0));
}

Truth TangentAlgebra::classify(Classify what, const Value& a) {
  return Truth::of(what == Classify::nan ? value(a).is_nan() : value(a).is_infinite());
}

}  // namespace assay
