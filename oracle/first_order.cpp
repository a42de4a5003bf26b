#include "oracle/first_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "oracle/honest_parts.h"
#include "oracle/statics.h"

namespace assay {

using namespace honest;

namespace {

constexpr double kSmall = 1.0 / 128;  // an error against what it is an error of
constexpr int kRunningDepth = 3;      // (x - mean)^2: power, sum, negation
constexpr std::size_t kMostEdges = std::size_t{1} << 27;

// f'(x), where y is f(x).
double slope(Function f, double x, double y) {
  switch (f) {
    case Function::exp:
      return y;
    case Function::expm1:
      return y + 1;
    case Function::log:
      return 1 / x;
    case Function::log1p:
      return 1 / (1 + x);
    case Function::sqrt:
      return 0.5 / y;
    case Function::rsqrt:
      return -0.5 * y / x;
    case Function::tanh: {
      const double e = std::exp(-2 * std::fabs(x));
      return 4 * e / ((1 + e) * (1 + e));
    }
    case Function::erf:
      return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    case Function::sin:
      return std::cos(x);
    case Function::cos:
      return -std::sin(x);
    case Function::abs:
      return x < 0 ? -1 : 1;
    case Function::floor:
    case Function::sign:
      break;
  }
  return 0;
}

}  // namespace

template <class C>
FirstOrderAlgebra<C>::FirstOrderAlgebra(const Arithmetic& arithmetic, bool any_tie)
    : honest_(arithmetic, any_tie), overflow_(format_of(arithmetic.work).largest()) {}

template <class C>
auto FirstOrderAlgebra<C>::unsure() -> Value {
  Value v;
  v.unsure = true;
  return v;
}

template <class C>
double FirstOrderAlgebra<C>::doubt(const Value& v) {
  return static_cast<double>(v.point.centre.upper() - v.point.centre.lower());
}

template <class C>
bool FirstOrderAlgebra<C>::surely_nonzero(const Value& v) const {
  return v.node < 0 || std::fabs(number(v)) > spread(v) + doubt(v);
}

template <class C>
bool FirstOrderAlgebra<C>::usable(std::span<const Value> operands) const {
  return edges_.size() < kMostEdges &&
         std::none_of(
             operands.begin(), operands.end(), [](const Value& v) { return v.unsure || v.extra != 0; });
}

template <class C>
auto FirstOrderAlgebra<C>::points(std::span<const Value> values) -> std::span<const Point> {
  points_.clear();
  for (const Value& v : values) points_.push_back(v.point);
  return points_;
}

template <class C>
void FirstOrderAlgebra<C>::begin() {
  first_ = edges_.size();
  inexact_ = false;
}

template <class C>
void FirstOrderAlgebra<C>::link(const Value& operand, double partial) {
  if (operand.node < 0) return;
  inexact_ = true;
  if (partial != 0) edges_.push_back({operand.node, partial});
}

// The node of an operation whose result on exact operands is `result`; its radii are its own rounding. `more`
// is what the operands' errors do beyond first order.
template <class C>
auto FirstOrderAlgebra<C>::finish(Point result, double more, double roundings) -> Value {
  const unsigned classes = result.flags & (kClasses | Point::kFinite);
  const bool is_special = classes == Point::kNan || classes == Point::kPosInf || classes == Point::kNegInf;
  Value v;
  if (is_special && !result.has(Point::kUnknown)) {
    edges_.resize(first_);
    v.point = std::move(result);
    return v;
  }
  const double size = std::fabs(static_cast<double>(result.centre.approximate()));
  double local = static_cast<double>(std::max(result.below, result.above)) + more;
  if (classes != Point::kFinite || result.has(Point::kUnknown) || result.truth != TruthClass::finite ||
      !(size < overflow_ / 2) || !(local <= std::numeric_limits<double>::max())) {
    edges_.resize(first_);
    return unsure();
  }
  v.point = std::move(result);
  if (local == 0 && !inexact_) return v;
  v.point.below = v.point.above = 0;
  v.point.centre = v.point.centre.widened(std::numeric_limits<Scalar>::denorm_min());
  if (edges_.size() == first_ + 1 && local == 0 && edges_.back().partial == 1) {  // the operand itself
    v.node = edges_.back().operand;
    edges_.resize(first_);
    return v;
  }
  double squares = local * local, near = local, far = local;
  for (std::size_t e = first_; e < edges_.size(); ++e) {
    const Node& operand = nodes_[static_cast<std::size_t>(edges_[e].operand)];
    const double partial = std::fabs(edges_[e].partial);
    squares += partial * operand.spread * partial * operand.spread;
    near += partial * operand.local;
    far += partial * operand.far;
  }
  if (!std::isfinite(squares)) {
    edges_.resize(first_);
    return unsure();
  }
  v.node = static_cast<std::int32_t>(nodes_.size());
  const double usual = roundings > 1 ? (local - more) / std::sqrt(roundings) + more : local;
  nodes_.push_back({local, usual, std::sqrt(squares), near, far, static_cast<std::uint32_t>(first_), false});
  return v;
}

// Calls visit(node, derivative of v by it) from v down until that says false.
template <class C>
template <class Visit>
void FirstOrderAlgebra<C>::walk(const Value& v, Visit&& visit) {
  adjoint_.resize(nodes_.size(), 0);
  touched_.clear();
  const auto top = static_cast<std::size_t>(v.node);
  adjoint_[top] = 1;
  std::size_t lowest = top;
  for (std::size_t n = top + 1; n-- > lowest;) {
    const double adjoint = adjoint_[n];
    if (adjoint == 0) continue;
    adjoint_[n] = 0;
    if (!visit(nodes_[n], adjoint)) break;
    const std::size_t end = n + 1 < nodes_.size() ? nodes_[n + 1].first : edges_.size();
    for (std::size_t e = nodes_[n].first; e < end; ++e) {
      const auto operand = static_cast<std::size_t>(edges_[e].operand);
      adjoint_[operand] += adjoint * edges_[e].partial;
      touched_.push_back(operand);
      lowest = std::min(lowest, operand);
    }
  }
  for (const std::size_t n : touched_) adjoint_[n] = 0;
}

template <class C>
std::optional<double> FirstOrderAlgebra<C>::budget(const Value& v, double enough) {
  if (!is_sure(v)) return std::nullopt;
  if (v.node < 0) return 0;
  double total = 0;
  walk(v, [&](const Node& node, double adjoint) {
    total += std::fabs(adjoint) * node.local;
    return kMargin * total < enough;
  });
  if (!std::isfinite(total)) return std::nullopt;
  return kMargin * total;
}

template <class C>
std::optional<double> FirstOrderAlgebra<C>::typical(const Value& v) {
  if (!is_sure(v)) return std::nullopt;
  if (v.node < 0) return 0;
  double squares = 0;
  walk(v, [&](const Node& node, double adjoint) {
    squares += adjoint * node.usual * adjoint * node.usual;
    return true;
  });
  if (!std::isfinite(squares)) return std::nullopt;
  return std::sqrt(squares);
}

template <class C>
auto FirstOrderAlgebra<C>::held(const Value& v, double radius) const -> Point {
  Point p = v.point;
  p.flags |= v.extra;
  if (v.node < 0) return p;
  p.below = p.above = static_cast<Scalar>(radius);
  p.flags |= Point::kPosZero | Point::kNegZero;
  clear(p, Point::kNonNegative | Point::kNonPositive | Point::kUnitRange);
  return p;
}

template <class C>
auto FirstOrderAlgebra<C>::input(std::size_t tensor, std::int64_t element, DType dtype, std::uint64_t bits)
    -> Value {
  return all_inert(honest_.input(tensor, element, dtype, bits));
}

template <class C>
auto FirstOrderAlgebra<C>::constant(const Constant& c) -> Value {
  return all_inert(honest_.constant(c));
}

template <class C>
auto FirstOrderAlgebra<C>::integer(std::int64_t i) -> Value {
  return all_inert(honest_.integer(i));
}

template <class C>
auto FirstOrderAlgebra<C>::negate(const Value& a) -> Value {
  if (!usable({&a, 1})) return unsure();
  begin();
  link(a, -1);
  return finish(honest_.negate(a.point));
}

template <class C>
double FirstOrderAlgebra<C>::roundings_in(std::span<const Value> terms) {
  return static_cast<double>(std::count_if(terms.begin(), terms.end(),
                                           [](const Value& t) { return t.node >= 0 || number(t) != 0; })) -
         1;
}

template <class C>
auto FirstOrderAlgebra<C>::sum(std::span<const Value> terms, Sum how) -> Value {
  if (!usable(terms)) return unsure();
  begin();
  for (const Value& t : terms) link(t, 1);
  return finish(honest_.sum(points(terms), how), 0, roundings_in(terms));
}

template <class C>
auto FirstOrderAlgebra<C>::join(std::span<const Value> terms, Sum how, std::uint32_t sums) -> Value {
  if (!usable(terms)) return unsure();
  begin();
  for (const Value& t : terms) link(t, 1);
  return finish(honest_.join(points(terms), how, sums), 0, roundings_in(terms));
}

template <class C>
auto FirstOrderAlgebra<C>::mean(std::span<const Value> terms) -> Value {
  if (!usable(terms)) return unsure();
  const double weight = 1 / static_cast<double>(terms.size());
  double more = 0;
  begin();
  for (const Value& t : terms) {
    link(t, weight);
    if (t.node >= 0) more += weight * running_means_in(t.node, 1, kRunningDepth);
  }
  const Value v = finish(honest_.mean(points(terms)), more, static_cast<double>(terms.size()));
  if (v.node >= 0 && terms.size() > 1) nodes_[static_cast<std::size_t>(v.node)].running = true;
  return v;
}

// How far the means that a term stands on may move it.
template <class C>
double FirstOrderAlgebra<C>::running_means_in(std::int32_t node, double derivative, int depth) const {
  const Node& n = nodes_[static_cast<std::size_t>(node)];
  if (n.running) return derivative * n.local;
  if (depth == 0) return 0;
  const auto next = static_cast<std::size_t>(node) + 1;
  const std::size_t end = next < nodes_.size() ? nodes_[next].first : first_;
  double total = 0;
  for (std::size_t e = n.first; e < end; ++e)
    total += running_means_in(edges_[e].operand, derivative * std::fabs(edges_[e].partial), depth - 1);
  return total;
}

// What errors of two factors do together.
template <class C>
double FirstOrderAlgebra<C>::curvature_of_product(std::span<const Value> factors) const {
  if (factors.size() == 2) return spread(factors[0]) * spread(factors[1]);
  double grown = 1, size = 1, linear = 0;
  for (const Value& f : factors) {
    const double x = std::fabs(number(f)), s = spread(f);
    linear = linear * x + size * s;
    size *= x;
    grown *= x + s;
  }
  return std::max(grown - size - linear, 0.0) + 0x1p-40 * grown;
}

template <class C>
auto FirstOrderAlgebra<C>::product(std::span<const Value> factors) -> Value {
  if (!usable(factors)) return unsure();
  begin();
  bool special = false, inexact = false, sure_signs = true;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Value& f = factors[i];
    special |= !f.point.has(Point::kFinite);
    sure_signs &= surely_nonzero(f);
    if (f.node < 0) continue;
    inexact = true;
    double others = 1;
    for (std::size_t j = 0; j < factors.size(); ++j)
      if (j != i) others *= number(factors[j]);
    link(f, others);
  }
  if (special && inexact && !sure_signs) return edges_.resize(first_), unsure();
  return finish(honest_.product(points(factors)), inexact && !special ? curvature_of_product(factors) : 0);
}

template <class C>
auto FirstOrderAlgebra<C>::power(const Value& a, int n) -> Value {
  if (!usable({&a, 1})) return unsure();
  const double x = std::fabs(number(a)), s = spread(a);
  begin();
  link(a, n * std::pow(number(a), n - 1));
  double more = 0;
  if (s != 0) more = n == 2 ? s * s : std::pow(x + s, n) - std::pow(x, n) - n * std::pow(x, n - 1) * s;
  return finish(honest_.power(a.point, n), std::max(more, 0.0));
}

template <class C>
auto FirstOrderAlgebra<C>::divide(const Value& a, const Value& b) -> Value {
  const Value operands[] = {a, b};
  if (!usable(operands)) return unsure();
  const double x = number(a), y = number(b);
  const bool special = !a.point.has(Point::kFinite) || !b.point.has(Point::kFinite);
  if (b.node >= 0 && !(spread(b) + doubt(b) <= kSmall * std::fabs(y))) return unsure();
  if (special && !surely_nonzero(a)) return unsure();
  begin();
  if (!special) {
    link(a, 1 / y);
    link(b, -x / y / y);
  }
  return finish(honest_.divide(a.point, b.point),
                a.node >= 0 && b.node >= 0 ? spread(a) * spread(b) / (y * y) : 0);
}

// The winner itself where no other can come near; else it, and how far another may be above it.
template <class C>
auto FirstOrderAlgebra<C>::extreme(Extreme kind, std::span<const Value> terms) -> Value {
  if (!usable(terms)) return unsure();
  const bool is_max = kind == Extreme::max || kind == Extreme::fmax;
  const bool drops_nan = kind == Extreme::fmax || kind == Extreme::fmin;
  const bool exact = std::all_of(terms.begin(), terms.end(), [](const Value& t) { return t.node < 0; });
  if (exact) return all_inert(honest_.extreme(kind, points(terms)));
  const Value* best = nullptr;
  const auto above = [&](const Value& a, const Value& b) {
    return is_max ? number(a) - number(b) : number(b) - number(a);
  };
  for (const Value& t : terms) {
    if (t.point.has(Point::kNan)) {
      if (!drops_nan) return t;
    } else if (t.point.has(is_max ? Point::kPosInf : Point::kNegInf)) {
      return t;
    } else if (t.point.has(Point::kFinite) && (best == nullptr || above(t, *best) > 0)) {
      best = &t;
    }
  }
  double more = 0;
  for (const Value& t : terms) {
    if (!t.point.has(Point::kFinite) || &t == best || (t.node >= 0 && t.node == best->node)) continue;
    if (t.node < 0 && best->node < 0) continue;
    const double reach = spread(t) + spread(*best) + doubt(t) + doubt(*best);
    if (above(*best, t) <= reach) more = std::max(more, reach);
  }
  if (more == 0) return *best;
  begin();
  link(*best, 1);
  return finish(best->point, more);
}

template <class C>
auto FirstOrderAlgebra<C>::arg(Extreme kind, std::span<const Value> terms) -> Value {
  const bool exact = std::all_of(terms.begin(), terms.end(), [](const Value& t) { return t.node < 0; });
  if (!usable(terms) || !exact) return unsure();
  return integer(static_cast<std::int64_t>(honest_.arg(kind, points(terms)).centre.to_double()));
}

template <class C>
auto FirstOrderAlgebra<C>::call(Function f, const Value& a) -> Value {
  if (!usable({&a, 1})) return unsure();
  if (a.node < 0) return all_inert(honest_.call(f, a.point));
  const double x = number(a), s = spread(a) + doubt(a);
  double more = 0;
  bool linear = true;
  switch (f) {
    case Function::floor:
      if (!(std::floor(x - s) == std::floor(x + s))) return unsure();
      return integer(static_cast<std::int64_t>(std::floor(x)));
    case Function::sign:
      if (std::fabs(x) <= s) return unsure();
      return integer(x < 0 ? -1 : 1);
    case Function::abs:
      if (std::fabs(x) <= s) return unsure();
      break;
    case Function::log:
    case Function::sqrt:
    case Function::rsqrt:
      if (!(s <= kSmall * x)) return unsure();
      break;
    case Function::log1p:
      if (!(s <= kSmall * (1 + x))) return unsure();
      break;
    case Function::exp:
    case Function::expm1:
      linear = s <= 2 * kSmall;
      if (!linear) more = std::exp(x) * std::expm1(s);
      break;
    default:
      more = 0.6 * s * s;
  }
  const Point result = honest_.call(f, a.point);
  begin();
  link(a, linear ? slope(f, x, static_cast<double>(result.centre.approximate())) : 0);
  return finish(result, more);
}

template <class C>
Truth FirstOrderAlgebra<C>::compare(Comparison op, const Value& a, const Value& b) {
  const Value operands[] = {a, b};
  if (!usable(operands)) return {true, true, true};
  const bool special = !a.point.has(Point::kFinite) || !b.point.has(Point::kFinite);
  if (special || (a.node < 0 && b.node < 0)) return honest_.compare(op, a.point, b.point);
  if (a.node == b.node) return Truth::of(holds(op, 0, 0));
  const double gap = number(a) - number(b);
  const Truth outcome = Truth::of(holds(op, gap, 0.0));
  if (std::fabs(gap) > spread(a) + spread(b) + doubt(a) + doubt(b)) return outcome;
  return {true, true, outcome.at_truth};
}

template <class C>
Truth FirstOrderAlgebra<C>::classify(Classify what, const Value& a) {
  if (!usable({&a, 1})) return {true, true, false};
  return honest_.classify(what, a.point);
}

template <class C>
auto FirstOrderAlgebra<C>::select(Truth condition, const Value& yes, const Value& no) -> Value {
  if (condition.surely_true()) return yes;
  if (condition.surely_false()) return no;
  return unsure();
}

template <class C>
auto FirstOrderAlgebra<C>::round(const Value& a, DType dtype) -> Value {
  if (!usable({&a, 1})) return unsure();
  begin();
  link(a, 1);
  return finish(honest_.round(a.point, dtype));
}

template <class C>
auto FirstOrderAlgebra<C>::allow(const Value& a, Classes classes, Truth guard) -> Value {
  if (!guard.may_be_true) return a;
  if (classes.pos_zero || classes.neg_zero) return unsure();
  Value v = a;
  const auto add = [&](bool on, unsigned flag) {
    if (on) v.extra = static_cast<std::uint16_t>(v.extra | flag);
  };
  add(classes.nan, Point::kNan);
  add(classes.pos_inf, Point::kPosInf);
  add(classes.neg_inf, Point::kNegInf);
  if (classes.zero_sign) v.point.flags |= Point::kPosZero | Point::kNegZero;
  return v;
}

template class FirstOrderAlgebra<Filter<double>>;
template class FirstOrderAlgebra<Filter<long double>>;

}  // namespace assay
