#pragma once

// How far an honest kernel may be from the truth, to first order: the sum over all nodes of what a node's own
// rounding may be, times how much it moves the output (docs/budgets.md).
//
// An interval knows no correlation: in a recursion it grows exponentially, and where an inexact value meets
// itself again it counts twice. Here every operation is a node that keeps its operands and partial
// derivatives, and one pass from an output back through its nodes gives the derivative by each. A node's own
// rounding is what HonestAlgebra says for operands that are known exactly: one set of rules serves both.
//
// It holds where errors are small against what they are errors of, and no operation may overflow: elsewhere a
// value is `unsure`, and the interval decides. Errors of errors are charged from an estimate of each node's
// error (independent roundings, four times): products of two, functions by their curvature. A maximum keeps
// the identity of the term that it is. A mean of terms that a mean stands in, as a variance is, may be
// updated together with it: every term then meets an error of its own.
//
// Laws: budget(v) is nothing if v is unsure or not finite; near(v) <= budget(v) / 1.01 but where paths
// cancel, and budget(v) <= far(v) always.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "oracle/honest.h"

namespace assay {

template <class C>
class FirstOrderAlgebra {
 public:
  using Scalar = typename C::Scalar;
  using Point = Honest<C>;

  struct Value {
    Point point;             // the truth, as if it were known exactly
    std::int32_t node = -1;  // -1: no rounding has touched it
    bool unsure = false;
    std::uint16_t extra = 0;  // classes that `allow` clauses add: then it may be an output only
  };

  FirstOrderAlgebra(const Arithmetic& arithmetic, bool any_tie);

  Value input(std::size_t tensor, std::int64_t element, DType dtype, std::uint64_t bits);
  Value constant(const Constant& c);
  Value integer(std::int64_t i);
  Value negate(const Value& a);
  Value sum(std::span<const Value> terms, Sum how);
  Value join(std::span<const Value> terms, Sum how, std::uint32_t sums);
  Value product(std::span<const Value> factors);
  Value power(const Value& a, int n);
  Value divide(const Value& a, const Value& b);
  Value mean(std::span<const Value> terms);
  Value extreme(Extreme kind, std::span<const Value> terms);
  Value arg(Extreme kind, std::span<const Value> terms);
  Value call(Function f, const Value& a);
  Truth compare(Comparison op, const Value& a, const Value& b);
  Truth classify(Classify what, const Value& a);
  Value select(Truth condition, const Value& yes, const Value& no);
  Value round(const Value& a, DType dtype);
  Value allow(const Value& a, Classes classes, Truth guard);

  // A sum or a product that grows by a term at a time, for scans; not of terms that a rounding has touched.
  using Running = typename HonestAlgebra<C>::Running;
  Running start(bool product) const { return honest_.start(product); }
  bool extend(Running& running, const Value& term) const {
    return usable({&term, 1}) && term.node < 0 && honest_.extend(running, term.point);
  }
  Value value(const Running& running) {
    const auto terms = static_cast<double>(running.product ? running.factors.n : running.totals.nonzero);
    return begin(), finish(honest_.value(running), 0, terms - 1);
  }

  // Whether the value is finite and every way to it is within reach of first order.
  static bool is_sure(const Value& v) { return !v.unsure && v.point.has(Point::kFinite); }
  double near(const Value& v) const { return v.node < 0 ? 0 : at(v).near; }  // of the last two operations
  double far(const Value& v) const { return v.node < 0 ? 0 : at(v).far * kMargin; }  // blind to cancellation
  // `enough`: as soon as it is known to be at least this much, what is known of it.
  std::optional<double> budget(const Value& v, double enough = std::numeric_limits<double>::infinity());

  // How far an honest kernel is, as a rule: what budget adds up, as if roundings knew nothing of each other.
  std::optional<double> typical(const Value& v);

  // What an honest kernel may hold there if its error is `radius` at most. A point's sign says nothing of
  // what is near it.
  Point held(const Value& v, double radius) const;

  const HonestAlgebra<C>& honest() const { return honest_; }

 private:
  static constexpr double kMargin = 1.01;
  static constexpr double kSpreads = 4;  // of the estimate, taken for the error

  struct Node {
    double local;   // its own rounding
    double usual;   // the same, of independent roundings: the square root of their number instead of it
    double spread;  // root of the sum of squares of all that is in it
    double near;
    double far;
    std::uint32_t first;  // of its edges
    bool running;         // a mean, which may be updated from term to term
  };
  struct Edge {
    std::int32_t operand;
    double partial;
  };

  const Node& at(const Value& v) const { return nodes_[static_cast<std::size_t>(v.node)]; }
  double spread(const Value& v) const { return v.node < 0 ? 0 : kSpreads * at(v).spread; }
  static double number(const Value& v) { return static_cast<double>(v.point.centre.approximate()); }
  static double doubt(const Value& v);
  bool surely_nonzero(const Value& v) const;

  void begin();
  void link(const Value& operand, double partial);
  Value finish(Point result, double more = 0, double roundings = 1);
  template <class Visit>
  void walk(const Value& v, Visit&& visit);
  static double roundings_in(std::span<const Value> terms);
  Value all_inert(Point result) { return begin(), finish(std::move(result)); }
  static Value unsure();
  bool usable(std::span<const Value> operands) const;
  std::span<const Point> points(std::span<const Value> values);
  double curvature_of_product(std::span<const Value> factors) const;
  double running_means_in(std::int32_t node, double derivative, int depth) const;

  HonestAlgebra<C> honest_;
  double overflow_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::size_t first_ = 0;  // edge of the node under construction
  bool inexact_ = false;   // an operand of it is
  std::vector<Point> points_;
  std::vector<double> adjoint_;  // by node; zero between passes
  std::vector<std::size_t> touched_;
};

extern template class FirstOrderAlgebra<Filter<double>>;
extern template class FirstOrderAlgebra<Filter<long double>>;

}  // namespace assay
