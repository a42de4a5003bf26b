#include "oracle/imposters.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.h"
#include "oracle/plan.h"
#include "oracle/printer.h"
#include "oracle/program.h"
#include "oracle/words.h"

namespace assay {
namespace {

using lang::Binder;
using lang::Expr;
using lang::ExprId;
using lang::kNone;
using lang::Program;
using lang::Reduction;
using lang::Type;
using Kind = Expr::Kind;

constexpr std::size_t kLongest = 44;  // letters of an expression in a fault's name

// Nodes for a program that is checked already.
class Builder {
 public:
  explicit Builder(Program& p) : p_(p) {}

  ExprId integer(std::int64_t n) {
    Expr e;
    e.text = fmt::format("{}", n);
    e.constant.numerator = n;
    e.integral = e.is_static = true;
    e.type = Type::integer;
    return add(std::move(e));
  }
  ExprId decimal(std::int64_t digits, int exponent) {
    Expr e;
    e.text = fmt::format("{}e{}", digits, exponent);
    e.constant.numerator = digits;
    e.constant.exponent = exponent;
    e.is_static = true;
    return add(std::move(e));
  }
  ExprId variable(std::int32_t v) {
    Expr e;
    e.kind = Kind::name;
    e.text = p_.variables[static_cast<std::size_t>(v)].name;
    e.symbol = {lang::Symbol::Kind::variable, v};
    e.type = Type::integer;
    e.is_static = true;
    return add(std::move(e));
  }
  ExprId node(Kind kind, Type type, std::vector<ExprId> children, std::string text = {}) {
    Expr e;
    e.kind = kind;
    e.type = type;
    e.text = std::move(text);
    e.is_static = std::all_of(children.begin(), children.end(), [&](ExprId c) { return p_[c].is_static; });
    e.children = std::move(children);
    return add(std::move(e));
  }

 private:
  ExprId add(Expr e) {
    p_.exprs.push_back(std::move(e));
    return static_cast<ExprId>(p_.exprs.size()) - 1;
  }
  Program& p_;
};

class Mutator {
 public:
  explicit Mutator(const Contract& contract) : contract_(contract), p_(contract.program()) {}

  std::vector<Imposter> run() {
    for (const lang::Equation& e : p_.equations) visit(e.body);
    arithmetic();
    outputs();
    return std::move(list_);
  }

 private:
  // -- faults in the definitions

  std::string shown(ExprId id) const {
    std::string text = to_string(p_, id);
    if (text.size() > kLongest) text.replace(kLongest - 3, std::string::npos, "...");
    return text;
  }
  std::string at(ExprId id) const { return fmt::format("{} in line {}", shown(id), p_[id].at.line); }

  void mutant(std::string fault, const std::function<void(Program&)>& change) {
    if (!seen_.insert(fault).second) return;
    auto program = std::make_shared<Program>(p_);
    program->forms.clear();
    change(*program);
    program->plans = {std::make_shared<const lang::Plan>(lang::lower(*program, -1))};
    list_.push_back({std::move(fault), Contract(std::move(program)), {}, false, {}});
  }

  void becomes(ExprId id, ExprId other) {
    mutant(fmt::format("{} becomes {}", at(id), shown(other)), [=](Program& p) { p[id] = Expr(p[other]); });
  }

  void visit(ExprId id) {
    if (id == kNone) return;
    const Expr& e = p_[id];
    if (e.is_static && e.kind != Kind::read) return;
    switch (e.kind) {
      case Kind::reduction:
        reduction(id);
        break;
      case Kind::read:
        shift(id);
        break;
      case Kind::call:
        call(id);
        break;
      case Kind::multiply:
      case Kind::add:
        becomes(id, e.children[1]);
        becomes(id, e.children[0]);
        break;
      case Kind::subtract:
      case Kind::divide:
      case Kind::power:
      case Kind::negate:
        becomes(id, e.children[0]);
        break;
      case Kind::conditional:
        becomes(id, e.children[0]);
        becomes(id, e.children[2]);
        break;
      case Kind::compare:
        strictness(id);
        break;
      default:
        break;
    }
    if (e.kind == Kind::read) return;  // indices are shifted as a whole
    for (const ExprId child : e.children) visit(child);
  }

  void reduction(ExprId id) {
    const Expr& e = p_[id];
    mutant(at(id) + " loses its last term", [=](Program& p) {
      Builder build(p);
      const Binder last = p[id].binders.back();
      const ExprId upper = last.closed
                               ? last.upper
                               : build.node(Kind::subtract, Type::integer, {last.upper, build.integer(1)});
      p[id].binders.back().upper = upper;
      p[id].binders.back().closed = false;
    });
    mutant(at(id) + " loses its first term", [=](Program& p) {
      Builder build(p);
      const ExprId lower = p[id].binders.back().lower;
      const ExprId next =
          lower == kNone ? build.integer(1) : build.node(Kind::add, Type::integer, {lower, build.integer(1)});
      p[id].binders.back().lower = next;
    });
    if (e.reduction == Reduction::sum || e.reduction == Reduction::mean) {
      mutant(at(id) + " takes its first term twice", [=](Program& p) {
        Builder build(p);
        const Binder last = p[id].binders.back();
        const ExprId lower = last.lower == kNone ? build.integer(0) : last.lower;
        const ExprId first = build.node(Kind::compare, Type::boolean, {build.variable(last.variable), lower});
        p[first].comparison = Comparison::equal;
        const ExprId factor =
            build.node(Kind::conditional, Type::integer, {build.integer(2), first, build.integer(1)});
        const ExprId term = p[id].children[0];
        p[id].children[0] = build.node(Kind::multiply, Type::real, {term, factor});
        p[p[id].children[0]].is_static = false;
      });
    }
    if (e.guard != kNone) mutant(at(id) + " forgets its condition", [=](Program& p) { p[id].guard = kNone; });
    if (e.reduction == Reduction::mean)
      mutant(at(id) + " is not divided", [=](Program& p) { p[id].reduction = Reduction::sum; });
    const auto drops = [&](Reduction own, Reduction other) {
      if (e.reduction == own)
        mutant(fmt::format("{} is {}, which {} NaN", at(id), lang::name(other),
                           other == Reduction::fmax || other == Reduction::fmin ? "drops" : "keeps"),
               [=](Program& p) { p[id].reduction = other; });
    };
    drops(Reduction::max, Reduction::fmax);
    drops(Reduction::min, Reduction::fmin);
    drops(Reduction::fmax, Reduction::max);
    drops(Reduction::fmin, Reduction::min);
  }

  void shift(ExprId id) {
    const Expr& e = p_[id];
    if (e.symbol.kind != lang::Symbol::Kind::input || e.children.empty()) return;
    mutant(at(id) + " is read one element before", [=](Program& p) {
      Builder build(p);
      const ExprId before =
          build.node(Kind::subtract, Type::integer, {p[id].children.back(), build.integer(1)});
      const ExprId zero = build.integer(0);
      const ExprId index = build.node(Kind::call, Type::integer, {before, zero}, "max");
      p[id].children.back() = index;
    });
  }

  void call(ExprId id) {
    const Expr& e = p_[id];
    const std::vector<std::pair<std::string_view, std::string_view>> twins = {
        {"max", "fmax"}, {"min", "fmin"}, {"fmax", "max"}, {"fmin", "min"}};
    for (const auto& [own, other] : twins) {
      if (e.text == own)
        mutant(fmt::format("{} is {}, which {} NaN", at(id), other, other[0] == 'f' ? "drops" : "keeps"),
               [id, word = std::string(other)](Program& p) { p[id].text = word; });
    }
    if (e.text == "erf") {
      mutant(at(id) + " is its tanh approximation", [=](Program& p) {
        Builder build(p);  // erf(u) is nearly tanh(1.128379 u + 0.100909 u^3)
        const ExprId u = p[id].children[0];
        const ExprId linear =
            build.node(Kind::multiply, Type::real, {build.decimal(112837916709551257, -17), u});
        const ExprId cube = build.node(Kind::power, Type::real, {u, build.integer(3)});
        const ExprId cubic = build.node(Kind::multiply, Type::real, {build.decimal(100909045, -9), cube});
        const ExprId sum = build.node(Kind::add, Type::real, {linear, cubic});
        p[id].text = "tanh";
        p[id].children = {sum};
      });
    }
    if (e.text == "rsqrt" || e.text == "sqrt") eps(id);
    if (e.text == "clamp" || ((e.text == "max" || e.text == "min") && e.children.size() == 2))
      becomes(id, e.children[0]);
  }

  // f(v + eps) for attributes and constants.
  void eps(ExprId id) {
    const Expr& inner = p_[p_[id].children[0]];
    if (inner.kind != Kind::add || !p_[inner.children[1]].is_static) return;
    const ExprId eps = inner.children[1];
    mutant(fmt::format("{} is added outside of {}", shown(eps), at(id)), [=](Program& p) {
      Builder build(p);
      Expr root = p[id];
      root.children = {p[p[id].children[0]].children[0]};
      p.exprs.push_back(std::move(root));
      const auto moved = static_cast<ExprId>(p.exprs.size()) - 1;
      Expr sum;
      sum.kind = Kind::add;
      sum.at = p[id].at;
      sum.children = {moved, eps};
      p[id] = std::move(sum);
    });
    mutant(fmt::format("{} in line {} is ten times as large", shown(eps), p_[id].at.line), [=](Program& p) {
      Builder build(p);
      const ExprId inner_id = p[id].children[0];
      p[inner_id].children[1] = build.node(Kind::multiply, Type::real, {build.integer(10), eps});
    });
  }

  void strictness(ExprId id) {
    const Comparison op = p_[id].comparison;
    const auto other = op == Comparison::less            ? Comparison::less_equal
                       : op == Comparison::less_equal    ? Comparison::less
                       : op == Comparison::greater       ? Comparison::greater_equal
                       : op == Comparison::greater_equal ? Comparison::greater
                       : op == Comparison::equal         ? Comparison::not_equal
                                                         : Comparison::equal;
    mutant(fmt::format("{} compares by {}", at(id), lang::name(other)),
           [=](Program& p) { p[id].comparison = other; });
  }

  // -- faults of arithmetic

  void arithmetic() {
    if (contract_.has_reduction()) {
      for (const DType narrow : {DType::f32, DType::f16, DType::bf16})
        list_.push_back({fmt::format("all arithmetic is in {}", name(narrow)), contract_, narrow, false, {}});
    }
    const bool multiplies = std::any_of(p_.exprs.begin(), p_.exprs.end(), [&](const Expr& e) {
      return e.kind == Kind::reduction && e.reduction == Reduction::sum &&
             p_[e.children[0]].kind == Kind::multiply;
    });
    if (multiplies) list_.push_back({"operands of products are rounded to TF32", contract_, {}, true, {}});
    spoiler("subnormal results become zeros", [](std::span<const Tensor>, Tensor& t) {
      if (!is_float(t.dtype())) return false;
      for (std::int64_t i = 0; i < t.size(); ++i)
        if (std::fabs(t.value(i)) < format_of(t.dtype()).least_normal())
          t.set_bits(i, encode(t.dtype(), std::copysign(0.0, t.value(i))));
      return true;
    });
  }

  // -- faults of outputs

  void spoiler(std::string fault, std::function<bool(std::span<const Tensor>, Tensor&)> spoil) {
    list_.push_back({std::move(fault), contract_, {}, false, std::move(spoil)});
  }

  static void set(Tensor& t, std::int64_t i, double x) {
    t.set_bits(i, is_float(t.dtype()) ? encode(t.dtype(), x)
                                      : encode_integer(t.dtype(), std::isfinite(x) ? std::llround(x) : 0));
  }

  void outputs() {
    spoiler("the output is all zeros", [](std::span<const Tensor>, Tensor& t) {
      for (std::int64_t i = 0; i < t.size(); ++i) set(t, i, 0);
      return true;
    });
    spoiler("the output is all ones", [](std::span<const Tensor>, Tensor& t) {
      for (std::int64_t i = 0; i < t.size(); ++i) set(t, i, 1);
      return true;
    });
    spoiler("the output is the first element, everywhere", [](std::span<const Tensor>, Tensor& t) {
      for (std::int64_t i = 1; i < t.size(); ++i) t.set_bits(i, t.bits(0));
      return true;
    });
    spoiler("the output is an input", [](std::span<const Tensor> inputs, Tensor& t) {
      for (const Tensor& input : inputs) {
        if (!is_float(input.dtype()) || input.shape() != t.shape()) continue;
        for (std::int64_t i = 0; i < t.size(); ++i) set(t, i, input.value(i));
        return true;
      }
      return false;
    });
    spoiler("the last element stays 0", [](std::span<const Tensor>, Tensor& t) {
      if (t.size() > 0) set(t, t.size() - 1, 0);
      return true;
    });
    spoiler("elements after the last multiple of 4 stay 0", [](std::span<const Tensor>, Tensor& t) {
      for (std::int64_t i = t.size() / 4 * 4; i < t.size(); ++i) set(t, i, 0);
      return true;
    });
    spoiler("NaN becomes 0", [](std::span<const Tensor>, Tensor& t) {
      if (!is_float(t.dtype())) return false;
      for (std::int64_t i = 0; i < t.size(); ++i)
        if (std::isnan(t.value(i))) set(t, i, 0);
      return true;
    });
    const auto& list = p_.outputs;
    if (std::any_of(list.begin(), list.end(), [](const lang::Declaration& d) { return d.shape.size() >= 2; }))
      spoiler("the output is transposed", transpose);
  }

  static bool transpose(std::span<const Tensor>, Tensor& t) {
    if (t.shape().size() < 2) return false;
    const std::int64_t columns = t.shape().back(), rows = t.shape()[t.shape().size() - 2];
    const Tensor whole = t;
    for (std::int64_t i = 0; i < t.size(); ++i) {
      const std::int64_t matrix = i / (rows * columns) * (rows * columns), place = i % (rows * columns);
      t.set_bits(matrix + place % columns * rows + place / columns, whole.bits(i));
    }
    return true;
  }

  const Contract& contract_;
  const Program& p_;
  std::vector<Imposter> list_;
  std::set<std::string> seen_;
};

int width(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 53;
    case DType::f32:
      return 24;
    case DType::f16:
      return 11;
    default:
      return 8;
  }
}

}  // namespace

std::vector<Imposter> imposters(const Contract& contract) {
  return Mutator(contract).run();
}

std::optional<std::vector<Tensor>> answer(const Imposter& imposter, const Instance& instance,
                                          std::span<const Tensor> inputs) {
  Simulation simulation{imposter.contract.accumulator(instance.dtype), imposter.tf32};
  if (imposter.tf32 && simulation.accumulator == DType::f64) return std::nullopt;
  if (imposter.accumulator) {
    if (width(*imposter.accumulator) >= width(simulation.accumulator)) return std::nullopt;
    simulation.accumulator = *imposter.accumulator;
  }
  std::vector<Tensor> outputs = simulate(imposter.contract, instance, inputs, simulation);
  if (imposter.spoil) {
    bool any = false;
    for (Tensor& output : outputs) any |= imposter.spoil(inputs, output);
    if (!any) return std::nullopt;
  }
  return outputs;
}

}  // namespace assay
