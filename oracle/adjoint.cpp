#include "oracle/adjoint.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/text.h"
#include "oracle/printer.h"
#include "oracle/recursion.h"
#include "oracle/words.h"

namespace assay::lang {
namespace {

using Kind = Expr::Kind;
using SymbolKey = std::pair<Symbol::Kind, std::int32_t>;

SymbolKey key(const Symbol& symbol) {
  return {symbol.kind, symbol.index};
}

// An index that runs: of an equation's left side or of a reduction.
struct Loop {
  std::int32_t variable = -1;
  ExprId lower = kNone;
  ExprId upper = kNone;
  bool closed = false;
};

// What stands around a place in a definition.
struct Path {
  std::vector<Loop> loops;
  std::vector<ExprId> guards;      // over indices
  std::vector<ExprId> conditions;  // over values
};

// gradient of `target` at `indices` += seed, over the path.
struct Contribution {
  std::vector<ExprId> indices;
  ExprId seed = kNone;
  Path path;
};

class Reverse {
 public:
  Reverse(const Program& forward, std::string name, const std::vector<std::string>& wrt)
      : forward_(forward), p_(forward), name_(std::move(name)), wrt_(wrt) {}

  Expected<std::string> run() {
    collect_names();
    if (problem_.empty()) find_wanted();
    if (problem_.empty()) find_extents();
    if (problem_.empty()) name_gradients();
    for (std::size_t d = 0; d < forward_.definitions.size() && problem_.empty(); ++d) differentiate(d);
    Program backward = problem_.empty() ? program() : Program();
    if (!problem_.empty()) return usage_error("{}", problem_);
    return to_string(backward);
  }

 private:
  void refuse(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }
  void refuse(const Expr& e, std::string_view why) {
    refuse(fmt::format("{} in line {} of '{}' {}",
                       e.kind == Kind::reduction ? fmt::format("'{}'", lang::name(e.reduction))
                                                 : fmt::format("'{}'", e.text),
                       e.at.line, forward_.name, why));
  }

  // -- building expressions; a reference into p_.exprs dies with the next one built

  ExprId build(Expr e) {
    p_.exprs.push_back(std::move(e));
    return static_cast<ExprId>(p_.exprs.size()) - 1;
  }
  ExprId build(Kind kind, std::vector<ExprId> children) {
    Expr e;
    e.kind = kind;
    e.children = std::move(children);
    return build(std::move(e));
  }
  ExprId number(std::string text) {
    Expr e;
    e.text = std::move(text);
    return build(std::move(e));
  }
  ExprId named(std::string text) {
    Expr e;
    e.kind = Kind::name;
    e.text = std::move(text);
    return build(std::move(e));
  }
  ExprId variable(std::int32_t v) {
    Expr e;
    e.kind = Kind::name;
    e.text = p_.variables[static_cast<std::size_t>(v)].name;
    e.symbol = {Symbol::Kind::variable, v};
    return build(std::move(e));
  }
  ExprId read(std::string text, std::vector<ExprId> indices) {
    if (indices.empty()) return named(std::move(text));
    Expr e;
    e.kind = Kind::read;
    e.text = std::move(text);
    e.children = std::move(indices);
    return build(std::move(e));
  }
  ExprId call(std::string_view function, ExprId argument) {
    Expr e;
    e.kind = Kind::call;
    e.text = std::string(function);
    e.children = {argument};
    return build(std::move(e));
  }
  ExprId compare(Comparison op, ExprId a, ExprId b) {
    Expr e;
    e.kind = Kind::compare;
    e.comparison = op;
    e.children = {a, b};
    return build(std::move(e));
  }
  ExprId times(ExprId a, ExprId b) { return build(Kind::multiply, {a, b}); }
  ExprId over(ExprId a, ExprId b) { return build(Kind::divide, {a, b}); }
  ExprId minus(ExprId a) { return build(Kind::negate, {a}); }
  ExprId half(bool negative) {
    const ExprId h = over(number("1"), number("2"));
    return negative ? minus(h) : h;
  }

  // A copy with variables replaced, but those that it binds itself: they keep their names, which no new name
  // equals. Ranges are spelt out.
  ExprId clone(ExprId id, std::map<std::int32_t, ExprId> map) {
    if (id == kNone) return kNone;
    if (p_[id].symbol.kind == Symbol::Kind::variable) {
      const auto found = map.find(p_[id].symbol.index);
      if (found != map.end()) return found->second;
    }
    Expr copy = p_[id];
    for (const Binder& b : copy.binders) map.erase(b.variable);
    for (ExprId& child : copy.children) child = clone(child, map);
    copy.otherwise = clone(copy.otherwise, map);
    copy.guard = clone(copy.guard, map);
    for (Binder& b : copy.binders) {
      b.lower = clone(b.lower, map);
      b.upper = clone(b.upper, map);
      b.inferred = false;
    }
    return build(std::move(copy));
  }

  // -- names

  void collect_names() {
    for (const auto& d : forward_.dims) names_.insert(d);
    for (const auto& a : forward_.attributes) names_.insert(a.name);
    for (const auto& i : forward_.inputs) names_.insert(i.name);
    for (const auto& d : forward_.definitions) names_.insert(d.name);
    for (const auto& v : forward_.variables) names_.insert(v.name);
    for (const auto* list : {&forward_.inputs, &forward_.outputs}) {
      for (const Declaration& d : *list) {
        const std::string gradient = "d" + d.name;
        if (names_.count(gradient) != 0)
          refuse(fmt::format("'{}' has a '{}', which is the gradient's name; choose another", forward_.name,
                             gradient));
      }
    }
    for (const auto* list : {&forward_.inputs, &forward_.outputs})
      for (const Declaration& d : *list) names_.insert("d" + d.name);
  }

  std::string fresh(const std::string& base, std::set<std::string>& used) const {
    std::string text = base;
    for (int n = 2; used.count(text) != 0 || is_reserved(text); ++n) text = fmt::format("{}{}", base, n);
    used.insert(text);
    return text;
  }

  // -- what has a gradient

  void find_wanted() {
    for (const std::string& w : wrt_) {
      const auto at = std::find_if(forward_.inputs.begin(), forward_.inputs.end(),
                                   [&](const Declaration& d) { return d.name == w; });
      std::vector<std::string> inputs;
      for (const Declaration& d : forward_.inputs) inputs.push_back(d.name);
      if (at == forward_.inputs.end())
        return refuse(fmt::format("'{}' is no input of '{}'{}", w, forward_.name, suggestion(w, inputs)));
    }
    for (std::size_t i = 0; i < forward_.inputs.size(); ++i) {
      const Declaration& d = forward_.inputs[i];
      const bool asked = wrt_.empty() || std::find(wrt_.begin(), wrt_.end(), d.name) != wrt_.end();
      const bool real = d.type.kind == ElementType::Kind::floating ||
                        (d.type.kind == ElementType::Kind::fixed && is_float(d.type.fixed));
      if (asked && real) wanted_.insert({Symbol::Kind::input, static_cast<std::int32_t>(i)});
      if (asked && !real && !wrt_.empty())
        return refuse(fmt::format("'{}' holds no floats, and has no gradient", d.name));
    }
    if (wanted_.empty()) return refuse(fmt::format("'{}' has no float input", forward_.name));
    for (bool again = true; again;) {
      again = false;
      for (const Equation& e : forward_.equations) {
        const bool stopped =
            std::find(forward_.stops.begin(), forward_.stops.end(), e.name) != forward_.stops.end();
        if (!stopped && depends(e.body))
          again |= wanted_.insert({Symbol::Kind::definition, e.definition}).second;
      }
    }
    for (const Equation& e : forward_.equations) {
      if (wanted_.count({Symbol::Kind::definition, e.definition}) == 0) continue;
      const bool base_case = std::any_of(e.patterns.begin(), e.patterns.end(),
                                         [](const Equation::Pattern& p) { return p.name.empty(); });
      if (base_case || reaches(e.definition, e.definition, {}))
        return refuse(fmt::format("'{}' is a recursion", e.name));
    }
  }

  bool depends(ExprId id) const {
    if (id == kNone) return false;
    const Expr& e = p_[id];
    if (wanted_.count(key(e.symbol)) != 0) return true;
    return std::any_of(e.children.begin(), e.children.end(), [&](ExprId child) { return depends(child); });
  }

  void definitions_in(ExprId id, std::set<std::int32_t>& found) const {
    if (id == kNone) return;
    const Expr& e = p_[id];
    if (e.symbol.kind == Symbol::Kind::definition) found.insert(e.symbol.index);
    for (const ExprId child : e.children) definitions_in(child, found);
    definitions_in(e.otherwise, found);
    definitions_in(e.guard, found);
  }

  bool reaches(std::int32_t from, std::int32_t to, std::set<std::int32_t> seen) const {
    if (!seen.insert(from).second) return false;
    for (const Equation& e : forward_.equations) {
      if (e.definition != from) continue;
      std::set<std::int32_t> found;
      definitions_in(e.body, found);
      for (const std::int32_t next : found)
        if (next == to || reaches(next, to, seen)) return true;
    }
    return false;
  }

  // -- extents: the declared ones, or those of the indices that read

  void find_extents() {
    for (std::size_t i = 0; i < forward_.inputs.size(); ++i)
      extents_[{Symbol::Kind::input, static_cast<std::int32_t>(i)}] = forward_.inputs[i].shape;
    for (std::size_t d = 0; d < forward_.definitions.size(); ++d) {
      const Definition& definition = forward_.definitions[d];
      auto& extents = extents_[{Symbol::Kind::definition, static_cast<std::int32_t>(d)}];
      extents = definition.output >= 0 ? forward_.outputs[static_cast<std::size_t>(definition.output)].shape
                                       : std::vector<ExprId>(definition.rank, kNone);
    }
    for (bool again = true; again;) {
      again = false;
      for (const Equation& e : forward_.equations) {
        auto& own = extents_[{Symbol::Kind::definition, e.definition}];
        for (std::size_t q = 0; q < e.patterns.size(); ++q) {
          const std::int32_t v = e.patterns[q].variable;
          if (v < 0) continue;
          Variable& variable = p_.variables[static_cast<std::size_t>(v)];
          if (own[q] == kNone && variable.upper != kNone && variable.lower == kNone && !variable.closed) {
            own[q] = variable.upper;
            again = true;
          }
          if (own[q] != kNone && variable.upper == kNone) {
            variable.upper = own[q];
            again = true;
          }
        }
        again |= extents_of_reads(e.body);
      }
    }
  }

  bool extents_of_reads(ExprId id) {
    if (id == kNone) return false;
    const Expr& e = p_[id];
    bool changed = false;
    if (e.symbol.kind == Symbol::Kind::definition) {
      auto& extents = extents_[key(e.symbol)];
      for (std::size_t q = 0; q < e.children.size(); ++q) {
        const Expr& index = p_[e.children[q]];
        if (index.symbol.kind != Symbol::Kind::variable) continue;
        Variable& v = p_.variables[static_cast<std::size_t>(index.symbol.index)];
        if (extents[q] == kNone && v.upper != kNone && v.lower == kNone && !v.closed && sizes_only(v.upper)) {
          extents[q] = v.upper;
          changed = true;
        }
      }
    }
    for (const ExprId child : e.children) changed |= extents_of_reads(child);
    return changed | extents_of_reads(e.otherwise) | extents_of_reads(e.guard);
  }

  bool sizes_only(ExprId id) const {
    const Expr& e = p_[id];
    return e.symbol.kind != Symbol::Kind::variable && e.symbol.kind != Symbol::Kind::input &&
           std::all_of(e.children.begin(), e.children.end(), [&](ExprId c) { return sizes_only(c); });
  }

  // -- gradients by name

  void name_gradients() {
    for (std::size_t d = 0; d < forward_.definitions.size(); ++d) {
      const Definition& definition = forward_.definitions[d];
      bool is_read = false;
      for (const Equation& e : forward_.equations) {
        std::set<std::int32_t> found;
        definitions_in(e.body, found);
        is_read |= found.count(static_cast<std::int32_t>(d)) != 0;
      }
      gradients_.push_back(definition.output < 0 ? fresh("d" + definition.name, names_)
                           : is_read             ? fresh("g" + definition.name, names_)
                                                 : "d" + definition.name);
    }
  }

  // -- reverse mode

  void differentiate(std::size_t d) {
    const SymbolKey symbol{Symbol::Kind::definition, static_cast<std::int32_t>(d)};
    if (wanted_.count(symbol) == 0) return;
    for (std::size_t n = 0; n < forward_.equations.size(); ++n) {
      const Equation& e = forward_.equations[n];
      if (e.definition != symbol.second) continue;
      Path path;
      std::vector<ExprId> indices;
      for (const Equation::Pattern& pattern : e.patterns) {
        const Variable& v = p_.variables[static_cast<std::size_t>(pattern.variable)];
        if (v.upper == kNone) {
          return refuse(
              fmt::format("nothing says how far the index '{}' of '{}' runs", pattern.name, e.name));
        }
        path.loops.push_back({pattern.variable, v.lower, v.upper, v.closed});
        indices.push_back(variable(pattern.variable));
      }
      back(e.body, read(gradients_[d], indices), std::move(path));
    }
  }

  void back(ExprId id, ExprId seed, Path path) {
    if (!problem_.empty() || !depends(id)) return;
    const Expr e = p_[id];
    const auto child = [&](std::size_t i) { return e.children[i]; };
    switch (e.kind) {
      case Kind::name:
      case Kind::read:
        if (depends(e.otherwise)) return refuse(e, "has an 'else' that depends on values");
        contributions_[key(e.symbol)].push_back({e.children, seed, std::move(path)});
        return;
      case Kind::negate:
        return back(child(0), minus(seed), std::move(path));
      case Kind::add:
      case Kind::subtract:
        back(child(0), seed, path);
        return back(child(1), e.kind == Kind::add ? seed : minus(seed), std::move(path));
      case Kind::multiply:
        back(child(0), times(seed, child(1)), path);
        return back(child(1), times(seed, child(0)), std::move(path));
      case Kind::divide:
        back(child(0), over(seed, child(1)), path);
        return back(child(1), minus(over(times(seed, over(child(0), child(1))), child(1))), std::move(path));
      case Kind::power: {
        const std::int64_t n = p_[child(1)].constant.numerator;
        ExprId factor = times(seed, number(fmt::format("{}", n)));
        if (n == 1) factor = seed;
        if (n == 2) factor = times(factor, child(0));
        if (n > 2) factor = times(factor, build(Kind::power, {child(0), number(fmt::format("{}", n - 1))}));
        return back(child(0), factor, std::move(path));
      }
      case Kind::call:
        return back_call(e, seed, std::move(path));
      case Kind::conditional: {
        const bool is_static = p_[child(1)].is_static;
        Path yes = path;
        Path no = std::move(path);
        (is_static ? yes.guards : yes.conditions).push_back(child(1));
        (is_static ? no.guards : no.conditions).push_back(build(Kind::negation, {child(1)}));
        back(child(0), seed, std::move(yes));
        return back(child(2), seed, std::move(no));
      }
      case Kind::reduction:
        return back_reduction(e, seed, std::move(path));
      default:
        return;  // conditions are flat
    }
  }

  void back_call(const Expr& e, ExprId seed, Path path) {
    const auto function = parse_function(e.text);
    if (!function)
      return refuse(e,
                    "has no derivative where its arguments tie; write 'a if a > b else b', or state 'stop'");
    const ExprId x = e.children[0];
    const auto square = [&](ExprId a) { return build(Kind::power, {a, number("2")}); };
    const auto less = [&](ExprId a, ExprId b) { return build(Kind::subtract, {a, b}); };
    const auto again = [&](std::string_view f) { return call(f, x); };
    ExprId slope = kNone;
    switch (*function) {
      case Function::exp:
      case Function::expm1:
        slope = times(seed, again("exp"));
        break;
      case Function::log:
        slope = over(seed, x);
        break;
      case Function::log1p:
        slope = over(seed, build(Kind::add, {number("1"), x}));
        break;
      case Function::sqrt:
        slope = times(times(seed, half(false)), again("rsqrt"));
        break;
      case Function::rsqrt:
        slope = times(times(seed, half(true)), build(Kind::power, {again("rsqrt"), number("3")}));
        break;
      case Function::tanh:
        slope = times(seed, less(number("1"), square(again("tanh"))));
        break;
      case Function::erf:
        slope =
            times(times(seed, over(number("2"), call("sqrt", named("pi")))), call("exp", minus(square(x))));
        break;
      case Function::sin:
        slope = times(seed, again("cos"));
        break;
      case Function::cos:
        slope = minus(times(seed, again("sin")));
        break;
      case Function::abs:
        slope = times(seed, again("sign"));
        break;
      case Function::floor:
      case Function::sign:
        return;
    }
    back(x, slope, std::move(path));
  }

  void back_reduction(const Expr& e, ExprId seed, Path path) {
    switch (e.reduction) {
      case Reduction::sum:
        break;
      case Reduction::mean:
        seed = over(seed, terms(e));
        break;
      case Reduction::argmax:
      case Reduction::argmin:
      case Reduction::count:
      case Reduction::any:
      case Reduction::all:
        return;
      case Reduction::prod:
        return refuse(e, "is a product whose factors may be 0; write its gradient out");
      default:
        return refuse(
            e,
            "has no derivative where terms tie; state 'stop' for its equation if the outputs do not "
            "depend on it");
    }
    if (!problem_.empty()) return;
    for (const Binder& b : e.binders) path.loops.push_back({b.variable, b.lower, b.upper, b.closed});
    if (e.guard != kNone) path.guards.push_back(e.guard);
    back(e.children[0], seed, std::move(path));
  }

  // How many terms a mean has.
  ExprId terms(const Expr& e) {
    ExprId product = kNone;
    if (e.guard != kNone) refuse(e, "has a guard, so that its number of terms is not a product");
    for (const Binder& b : e.binders) {
      ExprId n = b.upper;
      if (!sizes_only(n) || (b.lower != kNone && !sizes_only(b.lower)))
        refuse(e, "has ranges that depend on indices, so that its number of terms is not a product");
      if (b.closed) n = build(Kind::add, {n, number("1")});
      if (b.lower != kNone) n = build(Kind::subtract, {n, b.lower});
      product = product == kNone ? n : times(product, n);
    }
    return product;
  }

  // -- the equations of gradients

  Equation equation(const std::string& gradient, SymbolKey target, ExprId first) {
    Equation result;
    result.name = gradient;
    std::set<std::string> used = names_;
    const auto& extents = extents_.at(target);
    std::vector<ExprId> own;
    for (std::size_t q = 0; q < extents.size(); ++q) {
      Equation::Pattern pattern;
      pattern.name = fresh(index_name(target, q), used);
      own.push_back(named(pattern.name));
      result.patterns.push_back(std::move(pattern));
    }
    ExprId total = first;
    if (first != kNone) total = own.empty() ? first : read(p_[first].text, own);
    for (const Contribution& c : contributions_[target]) {
      const ExprId t = term(c, extents, own, used);
      total = total == kNone ? t : build(Kind::add, {total, t});
    }
    result.body = total == kNone ? number("0") : total;
    return result;
  }

  // Names of forward indices are taken; a gradient's index is named like the first that reads there.
  std::string index_name(SymbolKey target, std::size_t q) {
    for (const Contribution& c : contributions_[target]) {
      const Expr& index = p_[c.indices[q]];
      if (index.symbol.kind == Symbol::Kind::variable) return index.text;
    }
    return fmt::format("i{}", q);
  }

  ExprId term(const Contribution& c, const std::vector<ExprId>& extents, const std::vector<ExprId>& own,
              std::set<std::string> used) {
    std::map<std::int32_t, ExprId> map;
    std::vector<ExprId> guards;
    std::vector<std::size_t> unsolved;
    for (std::size_t q = 0; q < own.size(); ++q) {
      const Symbol symbol = p_[c.indices[q]].symbol;
      if (symbol.kind == Symbol::Kind::variable && map.try_emplace(symbol.index, own[q]).second) continue;
      unsolved.push_back(q);
    }
    std::vector<Binder> binders;
    for (const Loop& loop : c.path.loops) {
      if (map.count(loop.variable) != 0) continue;
      Binder b;
      b.name = fresh(p_.variables[static_cast<std::size_t>(loop.variable)].name, used);
      map[loop.variable] = named(b.name);
      b.lower = loop.lower;
      b.upper = loop.upper;
      b.closed = loop.closed;
      binders.push_back(std::move(b));
    }
    for (Binder& b : binders) {
      b.lower = clone(b.lower, map);
      b.upper = clone(b.upper, map);
    }
    for (const std::size_t q : unsolved)
      guards.push_back(compare(Comparison::equal, clone(c.indices[q], map), own[q]));
    for (std::size_t q = 0; q < own.size(); ++q) {  // an index that the read fixes has a range, too
      if (std::find(unsolved.begin(), unsolved.end(), q) != unsolved.end()) continue;
      for (const Loop& loop : c.path.loops) {
        if (loop.variable != p_[c.indices[q]].symbol.index) continue;
        if (loop.lower != kNone)
          guards.push_back(compare(Comparison::greater_equal, own[q], clone(loop.lower, map)));
        const bool whole =
            !loop.closed && extents[q] != kNone && to_string(p_, loop.upper) == to_string(p_, extents[q]);
        if (!whole)
          guards.push_back(compare(loop.closed ? Comparison::less_equal : Comparison::less, own[q],
                                   clone(loop.upper, map)));
      }
    }
    for (const ExprId guard : c.path.guards) guards.push_back(clone(guard, map));
    ExprId value = clone(c.seed, map);
    for (const ExprId condition : c.path.conditions) value = choose(value, clone(condition, map));
    if (binders.empty()) {
      for (const ExprId guard : guards) value = choose(value, guard);
      return value;
    }
    Expr sum;
    sum.kind = Kind::reduction;
    sum.reduction = Reduction::sum;
    sum.children = {value};
    sum.binders = std::move(binders);
    for (const ExprId guard : guards)
      sum.guard = sum.guard == kNone ? guard : build(Kind::both, {sum.guard, guard});
    return build(std::move(sum));
  }

  ExprId choose(ExprId value, ExprId condition) {
    return build(Kind::conditional, {value, condition, number("0")});
  }

  // -- the contract

  Program program() {
    std::vector<Equation> gradients;
    for (std::size_t d = 0; d < forward_.definitions.size(); ++d) {
      const SymbolKey target{Symbol::Kind::definition, static_cast<std::int32_t>(d)};
      const Definition& definition = forward_.definitions[d];
      if (wanted_.count(target) == 0) continue;
      const std::string handed = "d" + definition.name;  // of an output
      if (definition.output >= 0 && gradients_[d] == handed) continue;
      gradients.push_back(
          equation(gradients_[d], target, definition.output >= 0 ? named(handed) : ExprId{kNone}));
    }
    Program b;
    for (std::size_t i = 0; i < forward_.inputs.size(); ++i) {
      const SymbolKey target{Symbol::Kind::input, static_cast<std::int32_t>(i)};
      const Declaration& input = forward_.inputs[i];
      if (wanted_.count(target) == 0) continue;
      gradients.push_back(equation("d" + input.name, target, kNone));
      Declaration output = input;
      output.name = "d" + input.name;
      output.like = input.like.empty() ? input.name : input.like;
      b.outputs.push_back(std::move(output));
    }
    drop_unread(gradients);
    b.inputs = forward_.inputs;
    for (Declaration output : forward_.outputs) {
      output.name = "d" + output.name;
      b.inputs.push_back(std::move(output));
    }
    keep_needed(gradients, b);
    b.name = name_;
    b.summary = fmt::format("gradients of {}, derived from its definitions", forward_.name);
    b.dims = forward_.dims;
    b.attributes = forward_.attributes;
    b.where = forward_.where;
    b.states_accumulator = forward_.states_accumulator;
    b.accumulator = forward_.accumulator;
    b.accuracies = forward_.accuracies;
    b.subnormals = forward_.subnormals;
    b.dtypes = forward_.dtypes;
    b.alignment = forward_.alignment;
    b.states_alignment = forward_.states_alignment;
    b.adjoint_of = forward_.name;
    b.exprs = std::move(p_.exprs);
    return b;
  }

  // What a flat function alone reads has a gradient that nothing needs.
  void drop_unread(std::vector<Equation>& gradients) const {
    for (std::size_t n = gradients.size(); n-- > 0;) {
      const auto is_output = [&](const Declaration& d) { return "d" + d.name == gradients[n].name; };
      if (std::any_of(forward_.inputs.begin(), forward_.inputs.end(), is_output)) continue;
      const bool is_read = std::any_of(gradients.begin(), gradients.end(), [&](const Equation& e) {
        return mentions(e.body, gradients[n].name);
      });
      if (is_read) continue;
      gradients.erase(gradients.begin() + static_cast<std::ptrdiff_t>(n));
      n = gradients.size();
    }
  }

  bool mentions(ExprId id, const std::string& gradient) const {
    const Expr& e = p_[id];
    return ((e.kind == Kind::name || e.kind == Kind::read) && e.text == gradient) ||
           std::any_of(e.children.begin(), e.children.end(),
                       [&](ExprId child) { return mentions(child, gradient); });
  }

  // The forward definitions that gradients read, with their roundings, and then the gradients.
  void keep_needed(std::vector<Equation>& gradients, Program& b) {
    std::set<std::int32_t> needed;
    for (const Equation& e : gradients) definitions_in(e.body, needed);
    for (bool again = true; again;) {
      const std::size_t before = needed.size();
      for (const Equation& e : forward_.equations)
        if (needed.count(e.definition) != 0) definitions_in(e.body, needed);
      again = needed.size() != before;
    }
    for (const Equation& e : forward_.equations) {
      if (needed.count(e.definition) == 0) continue;
      Equation kept = e;
      kept.body = clone(e.body, {});
      b.equations.push_back(std::move(kept));
    }
    std::move(gradients.begin(), gradients.end(), std::back_inserter(b.equations));
    for (const Rounding& r : forward_.roundings)
      if (r.symbol.kind == Symbol::Kind::attribute || needed.count(r.symbol.index) != 0)
        b.roundings.push_back(r);
  }

  const Program& forward_;
  Program p_;  // a copy that grows
  std::string name_;
  const std::vector<std::string>& wrt_;
  std::set<std::string> names_;
  std::set<SymbolKey> wanted_;
  std::map<SymbolKey, std::vector<ExprId>> extents_;
  std::vector<std::string> gradients_;  // by definition
  std::map<SymbolKey, std::vector<Contribution>> contributions_;
  std::string problem_;
};

}  // namespace

Expected<std::string> adjoint_text(const Program& forward, const std::string& name,
                                   const std::vector<std::string>& wrt) {
  return Reverse(forward, name, wrt).run();
}

}  // namespace assay::lang
