#include "oracle/judge.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "core/random.h"
#include "oracle/evaluator.h"
#include "oracle/first_order.h"
#include "oracle/footprint.h"
#include "oracle/native.h"
#include "oracle/rounded.h"
#include "oracle/ruling.h"
#include "oracle/statics.h"
#include "oracle/tangent.h"

namespace assay {
namespace {

constexpr int kFirstPrecision = 128;
constexpr int kLastPrecision = 4096;
constexpr int kTangentPrecision = 320;

// Of the statistical tier: elements looked at, fewest that say anything, and what right kernels stay below.
constexpr std::int64_t kSample = 16;
constexpr std::int64_t kSampleOfRecurrence = 4;  // whose every element has most of the operations below it
constexpr std::int64_t kLeastSample = 4;
constexpr double kMostStrain = 1.5;

// Equal operands make equal roundings, which add up in full.
constexpr std::int64_t kContentsSample = 64;
bool repeats(const Tensor& input) {
  const std::int64_t n = std::min(input.size(), kContentsSample);
  if (!is_float(input.dtype()) || n < kLeastSample) return false;
  std::set<std::uint64_t> distinct;
  for (std::int64_t i = 0; i < n; ++i) distinct.insert(input.bits(i));
  return static_cast<std::int64_t>(distinct.size()) < n / 2;
}

bool states(const lang::Subnormals& clause, DType dtype) {
  if (clause.dtypes.empty()) return true;
  return std::find(clause.dtypes.begin(), clause.dtypes.end(), dtype) != clause.dtypes.end();
}

Arithmetic arithmetic_of(const Contract& contract, const Instance& instance, std::span<const Tensor> inputs,
                         const Allowances& allowances) {
  const lang::Program& program = contract.program();
  Arithmetic a;
  a.dtype = instance.dtype;
  a.work = contract.accumulator(instance.dtype);
  if (program.depth != lang::kNone) a.depth = lang::Statics(program, instance, inputs).integer(program.depth);
  for (const lang::Subnormals& clause : program.subnormals)
    if (states(clause, instance.dtype)) a.may_flush = clause.may_flush;
  for (const lang::Accuracy& clause : program.accuracies)
    a.accuracy[static_cast<std::size_t>(clause.function)] = clause.ulps;
  a.tf32 = allowances.tf32;
  a.fast_math = allowances.fast_math;
  a.may_flush |= allowances.subnormals || allowances.fast_math;
  return a;
}

Shapes shapes_or_die(const Contract& contract, const Instance& instance) {
  Expected<Shapes> shapes = shapes_of(contract, instance);
  assert(shapes && "the instance is in the contract's domain");
  return std::move(*shapes);
}

// The definitions of one form with centres of one type.
template <class C>
struct Honestly {
  HonestAlgebra<C> algebra;
  Evaluator<HonestAlgebra<C>> evaluator;

  Honestly(const Contract& contract, const Instance& instance, const Shapes& shapes,
           std::span<const Tensor> inputs, const Arithmetic& arithmetic, bool any_tie, std::string_view form)
      : algebra(arithmetic, any_tie),
        evaluator(contract.program(), instance, shapes, inputs, algebra, form) {}
};

// The same to first order.
template <class C>
struct Linearly {
  FirstOrderAlgebra<C> algebra;
  Evaluator<FirstOrderAlgebra<C>> evaluator;

  Linearly(const Contract& contract, const Instance& instance, const Shapes& shapes,
           std::span<const Tensor> inputs, const Arithmetic& arithmetic, bool any_tie, std::string_view form)
      : algebra(arithmetic, any_tie),
        evaluator(contract.program(), instance, shapes, inputs, algebra, form) {}
};

bool is_recursive(const lang::Program& program, std::string_view form) {
  for (const auto& plan : program.plans) {
    if (plan->form != form) continue;
    return std::any_of(plan->tables.begin(), plan->tables.end(),
                       [](const lang::Table& t) { return t.recursive; });
  }
  return false;
}

// First order costs as much again as the interval: of large outputs, whose contract's intervals are good as a
// rule, an eighth of the elements is looked at more closely, in runs that share rows.
bool is_sampled(std::int64_t size, std::size_t output, std::int64_t index) {
  constexpr std::int64_t kSmall = 32, kRun = 32, kEvery = 8;
  return size <= kSmall || mix(static_cast<std::uint64_t>(index / kRun) ^ mix(output)) % kEvery == 0;
}

// Whether an accepted value is so far from the truth, by the interval alone, that first order may refuse it.
bool deserves_a_closer_look(const ElementReport& r, DType dtype) {
  if (!std::isfinite(r.got) || !std::isfinite(r.truth) || r.exact) return false;
  constexpr double kNear = 32, kHonest = 0x1p-10;  // units of roundoff; of an interval
  const Format f = format_of(dtype);
  const double unit = f.unit_roundoff() * std::fabs(r.truth) + f.least_subnormal();
  const double width = r.got > r.truth ? r.high - r.truth : r.truth - r.low;
  const double distance = std::fabs(r.got - r.truth);
  return distance > kNear * unit && !(distance < kHonest * width);
}

}  // namespace

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "none";
    case Reason::nan:
      return "nan";
    case Reason::infinity:
      return "infinity";
    case Reason::zero_sign:
      return "zero sign";
    case Reason::value:
      return "value";
    case Reason::exact:
      return "exact";
    case Reason::index:
      return "index";
  }
  return "";
}

struct Judge::Impl {
  // One way to compute the outputs: the contract's own definitions, or a form of it.
  struct Way {
    std::string form;
    std::variant<std::monostate, std::unique_ptr<Honestly<Filter<double>>>,
                 std::unique_ptr<Honestly<Filter<long double>>>>
        filter;
    std::map<int, std::unique_ptr<Honestly<Ball>>> balls;  // by precision
    bool recursive = false;                                // intervals say nothing
    std::unique_ptr<Linearly<Filter<double>>> narrow;
    std::unique_ptr<Linearly<Filter<long double>>> wide;
  };

  Contract contract;
  Instance instance;
  std::span<const Tensor> inputs;
  Shapes shapes;
  Arithmetic arithmetic;
  RulingOptions options;
  bool any_tie;
  bool wide;  // f64 somewhere: the filter is a long double
  std::vector<Way> ways;
  FootprintAlgebra footprints;
  std::unique_ptr<Evaluator<FootprintAlgebra>> footprint;
  const NativeOracle* oracle = nullptr;  // a class that answers for a case too large for the definitions
  std::vector<NativeOutput> native;      // what it said

  Impl(const Contract& c, const Instance& i, std::span<const Tensor> in, const Allowances& allowances)
      : contract(c),
        instance(i),
        inputs(in),
        shapes(shapes_or_die(c, i)),
        arithmetic(arithmetic_of(c, i, in, allowances)),
        options{arithmetic.may_flush, allowances.zero_sign},
        any_tie(allowances.ties || c.program().allows_ties) {
    wide = arithmetic.work == DType::f64 || instance.dtype == DType::f64;
    for (const TensorSpec& s : shapes.inputs) wide |= s.dtype == DType::f64;
    for (const TensorSpec& s : shapes.outputs) wide |= s.dtype == DType::f64;
    ways.emplace_back();
    for (const lang::Form& f : contract.program().forms) ways.emplace_back().form = f.name;
    for (Way& way : ways) way.recursive = is_recursive(contract.program(), way.form);
    // Budgets of classes know nothing of clauses that a user relaxed.
    if (!arithmetic.tf32 && !arithmetic.fast_math && !arithmetic.may_flush) oracle = native_oracle(c, i);
  }

  ElementReport by_class(std::size_t output, std::int64_t index, std::uint64_t bits) {
    if (native.empty()) native = oracle->evaluate(contract, instance, inputs);
    return rule(native[output], index, shapes.outputs[output].dtype, bits);
  }

  template <class C>
  std::unique_ptr<Honestly<C>> make(std::string_view form) {
    return std::make_unique<Honestly<C>>(contract, instance, shapes, inputs, arithmetic, any_tie, form);
  }

  template <class C>
  ElementReport by(Honestly<C>& honest, std::size_t output, std::int64_t index, std::uint64_t bits) {
    const Honest<C>& value = honest.evaluator.output(output, index);
    return rule(honest.algebra, value, shapes.outputs[output], bits, options);
  }

  ElementReport by_filter(Way& way, std::size_t output, std::int64_t index, std::uint64_t bits) {
    using Wide = std::unique_ptr<Honestly<Filter<long double>>>;
    using Narrow = std::unique_ptr<Honestly<Filter<double>>>;
    if (std::holds_alternative<std::monostate>(way.filter)) {
      if (wide)
        way.filter = make<Filter<long double>>(way.form);
      else
        way.filter = make<Filter<double>>(way.form);
    }
    return wide ? by(*std::get<Wide>(way.filter), output, index, bits)
                : by(*std::get<Narrow>(way.filter), output, index, bits);
  }

  ElementReport by_mpfr(Way& way, std::size_t output, std::int64_t index, std::uint64_t bits) {
    ElementReport report;
    for (int precision = kFirstPrecision; precision <= kLastPrecision; precision *= 2) {
      const Real::Scope scope(precision);
      auto& honest = way.balls[precision];
      if (!honest) honest = make<Ball>(way.form);
      report = by(*honest, output, index, bits);
      if (report.ruling != Ruling::undecidable) break;
    }
    report.by_mpfr = true;
    return report;
  }

  // The truth with more bits, and a budget that is known.
  ElementReport by_mpfr(Way& way, std::size_t output, std::int64_t index, std::uint64_t bits, double budget,
                        std::uint16_t extra) {
    ElementReport report;
    for (int precision = kFirstPrecision; precision <= kLastPrecision; precision *= 2) {
      const Real::Scope scope(precision);
      auto& honest = way.balls[precision];
      if (!honest) honest = make<Ball>(way.form);
      Honest<Ball> value;
      value.centre = honest->evaluator.output(output, index).centre;
      value.flags |= extra | Honest<Ball>::kPosZero | Honest<Ball>::kNegZero;
      value.above = value.below = budget;
      report = rule(honest->algebra, value, shapes.outputs[output], bits, options);
      if (report.ruling != Ruling::undecidable) break;
    }
    report.by_mpfr = true;
    return report;
  }

  // Nothing where first order does not hold.
  template <class C>
  std::optional<ElementReport> to_first_order(Way& way, std::unique_ptr<Linearly<C>>& linear,
                                              std::size_t output, std::int64_t index, std::uint64_t bits) {
    if (!linear)
      linear =
          std::make_unique<Linearly<C>>(contract, instance, shapes, inputs, arithmetic, any_tie, way.form);
    using Algebra = FirstOrderAlgebra<C>;
    Algebra& algebra = linear->algebra;
    const typename Algebra::Value value = linear->evaluator.output(output, index);
    if (!Algebra::is_sure(value)) return std::nullopt;
    const auto ruled = [&](double radius) {
      return rule(algebra.honest(), algebra.held(value, radius), shapes.outputs[output], bits, options);
    };
    const ElementReport far = ruled(algebra.far(value));
    if (far.ruling == Ruling::refused) return far;
    // What is accepted by less than its whole budget is reported with more than that.
    const auto with_limits_of_far = [&](ElementReport r) {
      r.low = far.low;
      r.high = far.high;
      r.excess = far.excess;
      return r;
    };
    ElementReport report = ruled(algebra.near(value));
    if (report.ruling == Ruling::accepted) return with_limits_of_far(report);
    const double enough = 2 * std::fabs(report.got - report.truth);
    const auto budget = algebra.budget(value, enough);
    if (!budget) return std::nullopt;
    report = ruled(*budget);
    if (report.ruling == Ruling::accepted && *budget >= enough) return with_limits_of_far(report);
    if (report.ruling == Ruling::undecidable) return by_mpfr(way, output, index, bits, *budget, value.extra);
    return report;
  }

  std::optional<ElementReport> to_first_order(Way& way, std::size_t output, std::int64_t index,
                                              std::uint64_t bits) {
    if (!is_float(shapes.outputs[output].dtype)) return std::nullopt;
    return wide ? to_first_order(way, way.wide, output, index, bits)
                : to_first_order(way, way.narrow, output, index, bits);
  }

  // The error in its typical size, or nothing. A way that first order cannot see may explain anything.
  template <class C>
  std::optional<double> strain(Way& way, std::unique_ptr<Linearly<C>>& linear, std::size_t output,
                               std::int64_t index, double got) {
    if (!linear)
      linear =
          std::make_unique<Linearly<C>>(contract, instance, shapes, inputs, arithmetic, any_tie, way.form);
    const auto value = linear->evaluator.output(output, index);
    const auto typical = linear->algebra.typical(value);
    if (!typical || !std::isfinite(got)) return std::nullopt;
    const double truth = value.point.centre.to_double();
    const Format f = format_of(shapes.outputs[output].dtype);
    if (std::fabs(truth) > f.largest()) return std::nullopt;
    const double last = std::max(f.unit_roundoff() * std::fabs(truth), f.least_subnormal() / 2);
    return std::fabs(got - truth) / std::hypot(*typical, last);
  }
  std::optional<double> strain(std::size_t output, std::int64_t index, double got) {
    std::optional<double> least;
    for (Way& way : ways) {
      const auto one =
          wide ? strain(way, way.wide, output, index, got) : strain(way, way.narrow, output, index, got);
      if (!one) return std::nullopt;
      if (!least || *one < *least) least = one;
    }
    return least;
  }

  // By the interval and to first order, the closer of the two.
  ElementReport by(Way& way, std::size_t output, std::int64_t index, std::uint64_t bits) {
    if (way.recursive) {
      if (auto report = to_first_order(way, output, index, bits)) return *report;
    }
    ElementReport report = by_filter(way, output, index, bits);
    if (report.ruling == Ruling::undecidable) report = by_mpfr(way, output, index, bits);
    const TensorSpec& spec = shapes.outputs[output];
    if (way.recursive || report.ruling != Ruling::accepted || !is_float(spec.dtype) ||
        !deserves_a_closer_look(report, spec.dtype) || !is_sampled(count(spec.shape), output, index))
      return report;
    const auto closer = to_first_order(way, output, index, bits);
    if (!closer || closer->high - closer->low > report.high - report.low) return report;
    ElementReport result = *closer;
    result.by_mpfr |= report.by_mpfr;
    return result;
  }

  // Accepted by one way is accepted; refused is refused by all. The report of a refusal is the contract's
  // own.
  ElementReport element(std::size_t output, std::int64_t index, std::uint64_t bits) {
    ElementReport first;
    bool undecidable = false, by_mpfr_at_all = false;
    for (std::size_t w = 0; w < ways.size(); ++w) {
      ElementReport report = by(ways[w], output, index, bits);
      by_mpfr_at_all |= report.by_mpfr;
      report.by_mpfr = by_mpfr_at_all;
      if (report.ruling == Ruling::accepted) return report;
      undecidable |= report.ruling == Ruling::undecidable;
      if (w == 0) first = report;
    }
    first.by_mpfr = by_mpfr_at_all;
    if (undecidable) first.ruling = Ruling::undecidable;
    return first;
  }
};

Judge::Judge(const Contract& contract, const Instance& instance, std::span<const Tensor> inputs,
             const Allowances& allowances)
    : impl_(std::make_unique<Impl>(contract, instance, inputs, allowances)) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;

ElementReport Judge::element(std::size_t output, std::int64_t index, std::uint64_t bits) {
  return impl_->oracle != nullptr ? impl_->by_class(output, index, bits)
                                  : impl_->element(output, index, bits);
}

double Strain::root_mean_square() const {
  return elements == 0 ? 0 : std::sqrt(squares / static_cast<double>(elements));
}

bool Strain::is_suspect() const {
  return elements >= kLeastSample && root_mean_square() > kMostStrain;
}

std::optional<std::string> Judge::suspicion(std::size_t output, const Tensor& got, Strain* strain) {
  const std::string& name = impl_->contract.signature().outputs[output].name;
  if (impl_->oracle != nullptr) {
    if (impl_->native.empty()) return std::nullopt;
    return assay::suspicion(impl_->native[output], got, name);
  }
  if (!is_float(got.dtype()) || std::any_of(impl_->inputs.begin(), impl_->inputs.end(), repeats))
    return std::nullopt;
  Strain sample;
  const std::int64_t n = std::min(got.size(), impl_->ways.front().recursive ? kSampleOfRecurrence : kSample);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t index = i * got.size() / n + (got.size() / n) / 2;
    if (const auto one = impl_->strain(output, index, got.value(index))) {
      ++sample.elements;
      sample.squares += *one * *one;
    }
  }
  if (strain != nullptr) strain->add(sample);
  if (!sample.is_suspect()) return std::nullopt;
  return fmt::format("{}: errors are {:.1f} times those of independent roundings", name,
                     sample.root_mean_square());
}

OutputReport Judge::all(std::size_t output, const Tensor& got, Reasons reasons) {
  OutputReport report;
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const ElementReport e = element(output, i, got.bits(i));
    ++report.judged;
    report.useless += e.useless;
    report.exact += e.exact;
    report.by_mpfr += e.by_mpfr;
    report.undecidable += e.ruling == Ruling::undecidable;
    report.worst_excess = std::max(report.worst_excess, e.excess);
    if (e.ruling == Ruling::refused && reasons.contains(e.reason)) {
      if (report.first_refused < 0) {
        report.first_refused = i;
        report.first = e;
      }
      ++report.refused;
    }
  }
  return report;
}

std::vector<std::int64_t> Judge::footprint(std::size_t output, std::int64_t index, std::size_t input) {
  if (!impl_->footprint)
    impl_->footprint = std::make_unique<Evaluator<FootprintAlgebra>>(
        impl_->contract.program(), impl_->instance, impl_->shapes, impl_->inputs, impl_->footprints);
  std::vector<std::int64_t> result;
  if (const FootprintAlgebra::Value set = impl_->footprint->output(output, index))
    for (const FootprintAlgebra::Element& e : *set)
      if (e.tensor == input) result.push_back(e.index);
  return result;
}

std::vector<Tensor> simulate(const Contract& contract, const Instance& instance,
                             std::span<const Tensor> inputs, const Simulation& simulation) {
  const Shapes shapes = shapes_or_die(contract, instance);
  RoundedAlgebra algebra(simulation.accumulator, simulation.tf32);
  Evaluator<RoundedAlgebra> evaluator(contract.program(), instance, shapes, inputs, algebra);
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < shapes.outputs.size(); ++k) {
    const TensorSpec& spec = shapes.outputs[k];
    Tensor& t = results.emplace_back(spec.dtype, spec.shape);
    for (std::int64_t i = 0; i < t.size(); ++i) {
      const double x = evaluator.output(k, i);
      t.set_bits(i, is_float(spec.dtype)
                        ? encode(spec.dtype, x)
                        : encode_integer(spec.dtype, std::isfinite(x) ? static_cast<std::int64_t>(x) : 0));
    }
  }
  return results;
}

std::vector<std::vector<double>> tangent(const Contract& contract, const Instance& instance,
                                         std::span<const Tensor> inputs,
                                         std::span<const std::vector<double>> direction) {
  const Real::Scope scope(kTangentPrecision);
  const Shapes shapes = shapes_or_die(contract, instance);
  TangentAlgebra algebra(direction);
  Evaluator<TangentAlgebra> evaluator(contract.program(), instance, shapes, inputs, algebra);
  std::vector<std::vector<double>> results;
  for (std::size_t k = 0; k < shapes.outputs.size(); ++k) {
    std::vector<double>& slopes = results.emplace_back();
    const std::int64_t n = count(shapes.outputs[k].shape);
    for (std::int64_t i = 0; i < n; ++i) {
      const TangentAlgebra::Value v = evaluator.output(k, i);
      slopes.push_back(v ? v->slope.to_double() : 0);
    }
  }
  return results;
}

}  // namespace assay
