#include "oracle/plan.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "oracle/recursion.h"
#include "oracle/words.h"

namespace assay::lang {
namespace {

using Kind = Expr::Kind;
using Variables = std::vector<std::int32_t>;

class Lowering {
 public:
  Lowering(const Program& program, int form) : program_(program), form_(form) {}

  Plan run() {
    if (form_ >= 0) plan_.form = program_.forms[static_cast<std::size_t>(form_)].name;
    plan_.owners.assign(program_.variables.size(), {-1, 0});
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      plan_.tables.push_back(table(Table::Kind::input, i, program_.inputs[i].shape.size()));
    }
    for (std::size_t i = 0; i < program_.definitions.size(); ++i) {
      plan_.tables.push_back(table(Table::Kind::definition, i, program_.definitions[i].rank));
    }
    const auto active = active_equations(program_, form_);
    for (const auto& equations : active) {
      for (const Equation* equation : equations) count_repeated(equation->body);
    }
    for (std::size_t d = 0; d < active.size(); ++d) {
      std::vector<const Equation*> cases = active[d];
      std::stable_sort(cases.begin(), cases.end(),
                       [](const Equation* a, const Equation* b) { return constants(*a) > constants(*b); });
      for (const Equation* equation : cases) {
        Table::Case one{equation->patterns,
                        define(*equation, static_cast<std::int32_t>(program_.inputs.size() + d))};
        plan_.tables[program_.inputs.size() + d].cases.push_back(std::move(one));
      }
    }
    find_components();
    return std::move(plan_);
  }

 private:
  static Table table(Table::Kind kind, std::size_t index, std::size_t rank) {
    Table t;
    t.kind = kind;
    t.index = static_cast<std::int32_t>(index);
    t.rank = rank;
    return t;
  }

  static std::ptrdiff_t constants(const Equation& e) {
    return std::count_if(e.patterns.begin(), e.patterns.end(),
                         [](const Equation::Pattern& p) { return p.name.empty(); });
  }

  // -- code under construction; building a shared table suspends the one that needs it

  struct Build {
    Code code;
    std::int32_t registers = 0;
    std::int32_t references = 0;
    std::int32_t truths = 0;
    Variables scope;
    ExprId root = kNone;                       // of a shared table: the expression itself
    std::vector<Operand>* compared = nullptr;  // of the condition under construction
  };

  Instruction& emit(Op op, std::int32_t target = 0) {
    Instruction instruction;
    instruction.op = op;
    instruction.target = target;
    build_->code.instructions.push_back(instruction);
    return build_->code.instructions.back();
  }

  std::int32_t here() const { return static_cast<std::int32_t>(build_->code.instructions.size()); }
  Instruction& at(std::int32_t place) { return build_->code.instructions[static_cast<std::size_t>(place)]; }
  std::int32_t new_register() { return build_->registers++; }
  std::int32_t new_reference() { return build_->references++; }
  std::int32_t new_truth() { return build_->truths++; }

  Code finish(Build& build, Operand result) {
    build.code.result = result;
    plan_.registers = std::max(plan_.registers, build.registers);
    plan_.references = std::max(plan_.references, build.references);
    plan_.truths = std::max(plan_.truths, build.truths);
    return std::move(build.code);
  }

  Code define(const Equation& e, std::int32_t table_number) {
    Build build;
    Build* outer = std::exchange(build_, &build);
    for (std::size_t i = 0; i < e.patterns.size(); ++i) {
      if (e.patterns[i].variable < 0) continue;
      build.scope.push_back(e.patterns[i].variable);
      plan_.owners[static_cast<std::size_t>(e.patterns[i].variable)] = {table_number, i};
    }
    Operand result = program_[e.body].type == Type::boolean ? choose(e.body) : value(e.body, -1);
    for (const std::uint8_t dtype : roundings({Symbol::Kind::definition, e.definition})) {
      Instruction& round = emit(Op::round, new_register());
      round.detail = dtype;
      round.operand = result;
      result = round.target;
    }
    for (std::size_t i = 0; i < program_.allowances.size(); ++i) {
      if (program_.allowances[i].definition == e.definition) result = allow(i, e, table_number, result);
    }
    Code code = finish(build, result);
    build_ = outer;
    return code;
  }

  // Those of the contract, unless the form has an equation of its own for the name; then the form's.
  std::vector<std::uint8_t> roundings(Symbol symbol) const {
    std::vector<std::uint8_t> dtypes;
    const auto add = [&](const std::vector<Rounding>& list) {
      for (const Rounding& r : list) {
        if (r.symbol.kind != symbol.kind || r.symbol.index != symbol.index) continue;
        dtypes.push_back(r.dtype ? static_cast<std::uint8_t>(*r.dtype) : kInstanceDType);
      }
    };
    bool redefined = false;
    if (form_ >= 0) {
      const Form& form = program_.forms[static_cast<std::size_t>(form_)];
      redefined = symbol.kind == Symbol::Kind::definition &&
                  std::any_of(form.equations.begin(), form.equations.end(),
                              [&](const Equation& e) { return e.definition == symbol.index; });
      add(form.roundings);
    }
    if (!redefined) add(program_.roundings);
    return dtypes;
  }

  Operand allow(std::size_t number, const Equation& e, std::int32_t table_number, Operand result) {
    const Allowance& a = program_.allowances[number];
    std::int32_t guard = -1;
    if (a.guard != kNone) {
      const Variables outer = std::exchange(build_->scope, {});
      for (std::size_t i = 0; i < a.patterns.size(); ++i) {
        Instruction& set = emit(Op::set, a.patterns[i].variable);
        set.operand = e.patterns[i].variable;
        set.jump = static_cast<std::int32_t>(e.patterns[i].constant);
        plan_.owners[static_cast<std::size_t>(a.patterns[i].variable)] = {table_number, i};
        build_->scope.push_back(a.patterns[i].variable);
      }
      guard = truth(a.guard);
      build_->scope = outer;
    }
    Instruction& allow = emit(Op::allow, new_register());
    allow.operand = result;
    allow.other = guard;
    allow.jump = static_cast<std::int32_t>(number);
    return allow.target;
  }

  // -- numbers

  // `into`: the register that must hold the value, or -1 for wherever it comes to lie.
  Operand value(ExprId id, std::int32_t into) {
    if (is_shared(id)) return place(element_of_shared(id), into);
    return computed(id, into);
  }

  Operand place(Operand from, std::int32_t into) {
    if (into < 0 || from == into) return from;
    Instruction& copy = emit(Op::copy, into);
    copy.operand = from;
    return into;
  }

  std::int32_t target(std::int32_t into) { return into < 0 ? new_register() : into; }

  Operand computed(ExprId id, std::int32_t into) {
    const Expr& e = program_[id];
    if (const auto constant = constant_of(id)) return place(literal({*constant, -1, {}}), into);
    if (e.type == Type::integer) return integer(id, into);
    switch (e.kind) {
      case Kind::name:
      case Kind::read:
        if (e.symbol.kind == Symbol::Kind::attribute) return place(attribute(e.symbol), into);
        return place(read(e), into);
      case Kind::negate: {
        const Operand operand = value(e.children[0], -1);
        Instruction& negate = emit(Op::negate, target(into));
        negate.operand = operand;
        return negate.target;
      }
      case Kind::add:
      case Kind::subtract:
        return sum_of_terms(id, into);
      case Kind::multiply:
        return product_of_factors(id, into);
      case Kind::divide:
        return quotient(e, into);
      case Kind::power: {
        const Operand base = value(e.children[0], -1);
        Instruction& power = emit(Op::power, target(into));
        power.operand = base;
        power.jump = static_cast<std::int32_t>(program_[e.children[1]].constant.numerator);
        return power.target;
      }
      case Kind::conditional:
        return place(conditional(e), into);
      case Kind::call:
        return call(e, into);
      case Kind::reduction:
        return reduction(id, into);
      default:
        break;
    }
    assert(false && "the checker lets numbers pass only");
    return 0;
  }

  // Literals, their negation and the quotient of two integers; pi, inf, nan.
  std::optional<Constant> constant_of(ExprId id) const {
    const Expr& e = program_[id];
    Constant c;
    switch (e.symbol.kind) {
      case Symbol::Kind::infinity:
        c.kind = Constant::Kind::infinity;
        c.numerator = 1;
        return c;
      case Symbol::Kind::nan:
        c.kind = Constant::Kind::nan;
        return c;
      case Symbol::Kind::pi:
        c.kind = Constant::Kind::pi;
        return c;
      default:
        break;
    }
    if (e.kind == Kind::number) return e.constant;
    if (e.kind == Kind::negate) {
      auto inner = constant_of(e.children[0]);
      if (!inner || inner->kind == Constant::Kind::pi || inner->kind == Constant::Kind::nan)
        return std::nullopt;
      if (inner->kind == Constant::Kind::rational && inner->numerator == 0)
        return std::nullopt;  // -0 is no rational
      inner->numerator = -inner->numerator;
      return inner;
    }
    if (e.kind == Kind::divide) {
      const auto a = constant_of(e.children[0]);
      const auto b = constant_of(e.children[1]);
      const auto integral = [](const std::optional<Constant>& x) {
        return x && x->kind == Constant::Kind::rational && x->denominator == 1 && x->exponent == 0;
      };
      if (!integral(a) || !integral(b) || b->numerator == 0 || a->numerator == 0) return std::nullopt;
      c.numerator = b->numerator < 0 ? -a->numerator : a->numerator;
      c.denominator = b->numerator < 0 ? -b->numerator : b->numerator;
      return c;
    }
    return std::nullopt;
  }

  Operand literal(Literal l) {
    for (std::size_t i = 0; i < plan_.literals.size(); ++i) {
      const Literal& other = plan_.literals[i];
      if (other.attribute == l.attribute && other.round == l.round && same(other.constant, l.constant)) {
        return reference_to_literal(i);
      }
    }
    plan_.literals.push_back(std::move(l));
    return reference_to_literal(plan_.literals.size() - 1);
  }

  static bool same(const Constant& a, const Constant& b) {
    return a.kind == b.kind && a.numerator == b.numerator && a.denominator == b.denominator &&
           a.exponent == b.exponent;
  }

  Operand reference_to_literal(std::size_t number) {
    Instruction& constant = emit(Op::constant, new_reference());
    constant.operand = static_cast<std::int32_t>(number);
    return ~constant.target;
  }

  Operand attribute(Symbol symbol) {
    const AttributeDeclaration& a = program_.attributes[static_cast<std::size_t>(symbol.index)];
    Literal l;
    l.attribute = symbol.index;
    l.round = roundings(symbol);
    const auto text = a.fallback == kNone ? std::nullopt : constant_of(a.fallback);
    l.constant = text.value_or(Constant{Constant::Kind::real, 0, 1, 0, 0});
    return literal(std::move(l));
  }

  Operand integer(ExprId id, std::int32_t into) {
    Instruction& integer = emit(Op::integer, target(into));
    integer.expr = id;
    return integer.target;
  }

  Operand read(const Expr& e) {
    Access access;
    access.table = e.symbol.kind == Symbol::Kind::input
                       ? e.symbol.index
                       : static_cast<std::int32_t>(program_.inputs.size()) + e.symbol.index;
    access.at = e.at;
    for (const ExprId index : e.children) access.indices.push_back({index, -1});
    const std::int32_t place = here();
    const std::int32_t reference = new_reference();
    emit_access(std::move(access), reference);
    if (e.otherwise != kNone) {
      alias(reference, value(e.otherwise, -1));
      at(place).jump = here();
    }
    return ~reference;
  }

  void emit_access(Access access, std::int32_t reference) {
    plan_.accesses.push_back(std::move(access));
    Instruction& element = emit(Op::element, reference);
    element.operand = static_cast<std::int32_t>(plan_.accesses.size()) - 1;
  }

  void alias(std::int32_t reference, Operand operand) {
    Instruction& alias = emit(Op::alias, reference);
    alias.operand = operand;
  }

  // Terms of a chain of + and -, whatever its parentheses: they promise no order.
  void terms(ExprId id, bool negative, std::vector<std::pair<ExprId, bool>>& list) const {
    const Expr& e = program_[id];
    const bool chain =
        e.type == Type::real && !constant_of(id) && (e.kind == Kind::add || e.kind == Kind::subtract);
    if (!chain) return list.emplace_back(id, negative), void();
    terms(e.children[0], negative, list);
    terms(e.children[1], negative != (e.kind == Kind::subtract), list);
  }

  Operand sum_of_terms(ExprId id, std::int32_t into) {
    std::vector<std::pair<ExprId, bool>> list;
    terms(id, false, list);
    const std::int32_t first = block(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::int32_t own = first + static_cast<std::int32_t>(i);
      value(list[i].first, own);
      if (list[i].second) {
        Instruction& negate = emit(Op::negate, own);
        negate.operand = own;
      }
    }
    return over_block(Op::sum, static_cast<std::uint8_t>(Sum::terms), first, list.size(), into);
  }

  std::int32_t block(std::size_t n) {
    const std::int32_t first = build_->registers;
    build_->registers += static_cast<std::int32_t>(n);
    return first;
  }

  Operand over_block(Op op, std::uint8_t detail, std::int32_t first, std::size_t n, std::int32_t into) {
    Instruction& instruction = emit(op, target(into));
    instruction.detail = detail;
    instruction.operand = first;
    instruction.count = static_cast<std::int32_t>(n);
    return instruction.target;
  }

  void factors(ExprId id, std::vector<ExprId>& list) const {
    const Expr& e = program_[id];
    if (e.kind != Kind::multiply || e.type != Type::real) return list.push_back(id);
    factors(e.children[0], list);
    factors(e.children[1], list);
  }

  Operand product_of_factors(ExprId id, std::int32_t into) {
    std::vector<ExprId> list;
    factors(id, list);
    const std::int32_t first = block(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) value(list[i], first + static_cast<std::int32_t>(i));
    return over_block(Op::product, 0, first, list.size(), into);
  }

  Operand quotient(const Expr& e, std::int32_t into) {
    if (program_[e.children[0]].type == Type::integer && program_[e.children[1]].type == Type::integer) {
      Instruction& ratio = emit(Op::ratio, target(into));
      ratio.expr = e.children[0];
      ratio.second = e.children[1];
      return ratio.target;
    }
    const Operand a = value(e.children[0], -1);
    const Operand b = value(e.children[1], -1);
    Instruction& divide = emit(Op::divide, target(into));
    divide.operand = a;
    divide.other = b;
    return divide.target;
  }

  Operand call(const Expr& e, std::int32_t into) {
    if (const auto function = parse_function(e.text)) {
      const Operand operand = value(e.children[0], -1);
      Instruction& call = emit(Op::call, target(into));
      call.detail = static_cast<std::uint8_t>(*function);
      call.operand = operand;
      return call.target;
    }
    if (e.text == "clamp") {  // min(max(x, a), b)
      const std::int32_t outer = block(2);
      const std::int32_t inner = block(2);
      value(e.children[0], inner);
      value(e.children[1], inner + 1);
      over_block(Op::extreme, static_cast<std::uint8_t>(Extreme::max), inner, 2, outer);
      value(e.children[2], outer + 1);
      return over_block(Op::extreme, static_cast<std::uint8_t>(Extreme::min), outer, 2, into);
    }
    const std::int32_t first = block(e.children.size());
    for (std::size_t i = 0; i < e.children.size(); ++i)
      value(e.children[i], first + static_cast<std::int32_t>(i));
    return over_block(Op::extreme, static_cast<std::uint8_t>(extreme(e.text)), first, e.children.size(),
                      into);
  }

  static Extreme extreme(std::string_view word) {
    if (word == "max") return Extreme::max;
    if (word == "min") return Extreme::min;
    return word == "fmax" ? Extreme::fmax : Extreme::fmin;
  }

  // Only branches that are possible are evaluated.
  Operand conditional(const Expr& e) { return branches(e.children[1], e.children[0], e.children[2]); }

  Operand branches(ExprId condition, ExprId yes, ExprId no) {
    std::vector<Operand> compared;
    const std::int32_t t = truth(condition, &compared);
    return branches(t, std::move(compared), [&] { return value(yes, -1); }, [&] { return value(no, -1); });
  }

  Operand branches(std::int32_t t, std::vector<Operand> compared, const std::function<Operand()>& yes,
                   const std::function<Operand()>& no) {
    const std::int32_t reference = new_reference();
    const std::int32_t yes_reference = new_reference();
    const std::int32_t no_reference = new_reference();
    const std::int32_t own = new_register();
    const std::int32_t skip_yes = here();
    emit(Op::skip_unless_possible).operand = t;
    alias(yes_reference, yes());
    at(skip_yes).jump = here();
    const std::int32_t skip_no = here();
    emit(Op::skip_if_certain).operand = t;
    alias(no_reference, no());
    at(skip_no).jump = here();
    Instruction& select = emit(Op::select, reference);
    select.count = t;
    select.operand = yes_reference;
    select.other = no_reference;
    select.second = own;
    if (!compared.empty()) {
      select.jump = static_cast<std::int32_t>(plan_.compared.size());
      plan_.compared.push_back(std::move(compared));
    }
    return ~reference;
  }

  // A condition as a number: 1 or 0.
  Operand choose(ExprId condition) {
    std::vector<Operand> compared;
    const std::int32_t t = truth(condition, &compared);
    const auto whole = [&](std::int64_t n) {
      Constant c;
      c.numerator = n;
      return literal({c, -1, {}});
    };
    return branches(t, std::move(compared), [&] { return whole(1); }, [&] { return whole(0); });
  }

  Operand reduction(ExprId id, std::int32_t into) {
    const Expr& e = program_[id];
    const std::int32_t place_of_reduce = begin_reduction(Op::reduce, id);
    const Operand term = e.reduction == Reduction::count ? choose(e.children[0]) : value(e.children[0], -1);
    end_reduction(place_of_reduce, e, term);
    return at(place_of_reduce).target = target(into);
  }

  std::int32_t begin_reduction(Op op, ExprId id) {
    const Expr& e = program_[id];
    const std::int32_t place_of_reduce = here();
    Instruction& reduce = emit(op);
    reduce.detail = static_cast<std::uint8_t>(e.reduction);
    reduce.operand = static_cast<std::int32_t>(plan_.reductions.size());
    plan_.reductions.push_back(id);
    for (const Binder& binder : e.binders) build_->scope.push_back(binder.variable);
    return place_of_reduce;
  }

  void end_reduction(std::int32_t place_of_reduce, const Expr& e, std::int32_t term) {
    build_->scope.resize(build_->scope.size() - e.binders.size());
    at(place_of_reduce).other = term;
    at(place_of_reduce).jump = here();
  }

  // -- conditions

  std::int32_t truth(ExprId id, std::vector<Operand>* compared) {
    std::vector<Operand>* outer = std::exchange(build_->compared, compared);
    const std::int32_t t = truth(id);
    build_->compared = outer;
    return t;
  }

  std::int32_t truth(ExprId id) {
    const Expr& e = program_[id];
    if (e.is_static) {
      Instruction& fixed = emit(Op::fixed, new_truth());
      fixed.expr = id;
      return fixed.target;
    }
    switch (e.kind) {
      case Kind::compare: {
        const Operand a = value(e.children[0], -1);
        const Operand b = value(e.children[1], -1);
        return test(Op::compare, static_cast<std::uint8_t>(e.comparison), a, b);
      }
      case Kind::call: {
        const Operand a = value(e.children[0], -1);
        return test(Op::classify,
                    static_cast<std::uint8_t>(e.text == "isnan" ? Classify::nan : Classify::infinite), a, a);
      }
      case Kind::both:
      case Kind::either: {
        const std::int32_t a = truth(e.children[0]);
        const std::int32_t b = truth(e.children[1]);
        Instruction& both = emit(e.kind == Kind::both ? Op::both : Op::either, new_truth());
        both.operand = a;
        both.other = b;
        return both.target;
      }
      case Kind::negation: {
        const std::int32_t a = truth(e.children[0]);
        Instruction& inverse = emit(Op::inverse, new_truth());
        inverse.operand = a;
        return inverse.target;
      }
      case Kind::reduction: {
        const std::int32_t place_of_reduce = begin_reduction(Op::quantify, id);
        const std::int32_t term = truth(e.children[0], nullptr);
        end_reduction(place_of_reduce, e, term);
        return at(place_of_reduce).target = new_truth();
      }
      default:
        break;
    }
    assert(false && "the checker lets conditions pass only");
    return 0;
  }

  std::int32_t test(Op op, std::uint8_t detail, Operand a, Operand b) {
    if (build_->compared != nullptr) {
      build_->compared->push_back(a);
      if (op == Op::compare) build_->compared->push_back(b);
    }
    Instruction& test = emit(op, new_truth());
    test.detail = detail;
    test.operand = a;
    test.other = b;
    return test.target;
  }

  // -- shared subexpressions

  void free_variables(ExprId id, Variables& bound, Variables& free) const {
    if (id == kNone) return;
    const Expr& e = program_[id];
    if (e.symbol.kind == Symbol::Kind::variable) {
      const auto has = [&](const Variables& v) {
        return std::find(v.begin(), v.end(), e.symbol.index) != v.end();
      };
      if (!has(bound) && !has(free)) free.push_back(e.symbol.index);
    }
    const std::size_t outer = bound.size();
    for (const Binder& binder : e.binders) {
      if (!binder.inferred) {
        free_variables(binder.lower, bound, free);
        free_variables(binder.upper, bound, free);
      }
      bound.push_back(binder.variable);
    }
    for (const ExprId child : e.children) free_variables(child, bound, free);
    free_variables(e.otherwise, bound, free);
    free_variables(e.guard, bound, free);
    bound.resize(outer);
  }

  Variables free_variables(ExprId id) const {
    Variables bound;
    Variables free;
    free_variables(id, bound, free);
    return free;
  }

  // Worth a table of its own: an operation that does not depend on every index in scope.
  bool is_shared(ExprId id) const {
    const Expr& e = program_[id];
    if (e.kind == Kind::name && (e.type != Type::integer || e.symbol.kind == Symbol::Kind::variable))
      return false;
    if (e.kind == Kind::number || e.kind == Kind::read || constant_of(id)) return false;
    if (e.kind == Kind::negate && !is_operation(e.children[0])) return false;
    const Variables free = free_variables(id);
    return free.size() < build_->scope.size() || (id != build_->root && is_repeated(id, free));
  }

  bool is_operation(ExprId id) const {
    const Kind kind = program_[id].kind;
    return kind != Kind::name && kind != Kind::number && kind != Kind::read;
  }

  // Adds the expression with its variables numbered in order of appearance: equal texts are equal functions.
  void canonical(ExprId id, std::map<std::int32_t, int>& numbers, std::string& text) const {
    if (id == kNone) {
      text += '-';
      return;
    }
    const Expr& e = program_[id];
    text += fmt::format("({}", static_cast<int>(e.kind));
    if (e.kind == Kind::compare) text += name(e.comparison);
    if (e.kind == Kind::reduction) text += name(e.reduction);
    if (e.symbol.kind == Symbol::Kind::variable) {
      const auto [number, fresh] = numbers.try_emplace(e.symbol.index, static_cast<int>(numbers.size()));
      text += fmt::format("${}", number->second);
    } else {
      text += e.text;
    }
    for (const Binder& binder : e.binders) {
      text += ';';
      canonical(binder.lower, numbers, text);
      text += binder.closed ? "<=" : "<";
      canonical(binder.upper, numbers, text);
      numbers.try_emplace(binder.variable, static_cast<int>(numbers.size()));
    }
    for (const ExprId child : e.children) canonical(child, numbers, text);
    if (e.otherwise != kNone) {
      text += '|';
      canonical(e.otherwise, numbers, text);
    }
    if (e.guard != kNone) {
      text += '?';
      canonical(e.guard, numbers, text);
    }
    text += ')';
  }

  // Of equal functions over equal ranges, and of them only.
  std::string key_of(ExprId id, const Variables& free) const {
    std::map<std::int32_t, int> numbers;
    std::string key;
    canonical(id, numbers, key);
    for (const std::int32_t v : free) key += fmt::format("|{}", range_of(v));
    return key;
  }

  // Functions and reductions that stand in several places are worth a table even if they depend on every
  // index.
  void count_repeated(ExprId id) {
    if (id == kNone) return;
    const Expr& e = program_[id];
    if ((e.kind == Kind::call || e.kind == Kind::reduction) && e.type == Type::real) {
      const int count = ++occurrences_[key_of(id, free_variables(id))];
      if (count > 1) has_repeated_ = true;
    }
    for (const ExprId child : e.children) count_repeated(child);
    count_repeated(e.otherwise);
  }

  bool is_repeated(ExprId id, const Variables& free) const {
    const Kind kind = program_[id].kind;
    if (!has_repeated_ || (kind != Kind::call && kind != Kind::reduction)) return false;
    const auto found = occurrences_.find(key_of(id, free));
    return found != occurrences_.end() && found->second > 1;
  }

  // Equal expressions over indices of different ranges stay apart.
  std::string range_of(std::int32_t v) const {
    const Variable& variable = program_.variables[static_cast<std::size_t>(v)];
    if (variable.upper == kNone || !free_variables(variable.upper).empty() ||
        (variable.lower != kNone && !free_variables(variable.lower).empty())) {
      return fmt::format("#{}", v);
    }
    std::map<std::int32_t, int> none;
    std::string text;
    canonical(variable.lower, none, text);
    text += variable.closed ? "<=" : "<";
    canonical(variable.upper, none, text);
    return text;
  }

  Operand element_of_shared(ExprId id) {
    const Variables free = free_variables(id);
    std::string key = key_of(id, free);
    const auto [known, fresh] =
        shared_.try_emplace(std::move(key), static_cast<std::int32_t>(plan_.tables.size()));
    const std::int32_t number = known->second;
    if (fresh) {
      Table t = table(Table::Kind::shared, 0, free.size());
      t.variables = free;
      plan_.tables.push_back(std::move(t));
      Build build;
      build.scope = free;
      build.root = id;
      Build* outer = std::exchange(build_, &build);
      const Operand result = computed(id, -1);
      Code code = finish(build, result);
      build_ = outer;
      plan_.tables[static_cast<std::size_t>(number)].cases.push_back({{}, std::move(code)});
    }
    Access access;
    access.table = number;
    access.at = program_[id].at;
    for (const std::int32_t v : free) access.indices.push_back({kNone, v});
    const std::int32_t reference = new_reference();
    emit_access(std::move(access), reference);
    return ~reference;
  }

  // -- which tables depend on themselves

  void find_components() {
    const std::size_t n = plan_.tables.size();
    std::vector<std::vector<char>> reach(n, std::vector<char>(n, 0));
    for (std::size_t t = 0; t < n; ++t) {
      for (const Table::Case& c : plan_.tables[t].cases) {
        for (const Instruction& i : c.code.instructions) {
          if (i.op != Op::element) continue;
          reach[t][static_cast<std::size_t>(plan_.accesses[static_cast<std::size_t>(i.operand)].table)] = 1;
        }
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        if (!reach[i][k]) continue;
        for (std::size_t j = 0; j < n; ++j) reach[i][j] |= reach[k][j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      Table& t = plan_.tables[i];
      t.recursive = reach[i][i] != 0;
      t.component = static_cast<std::int32_t>(i);
      for (std::size_t j = 0; j < i; ++j) {
        if (reach[i][j] && reach[j][i]) t.component = std::min(t.component, static_cast<std::int32_t>(j));
      }
    }
  }

  const Program& program_;
  int form_;
  Plan plan_;
  Build* build_ = nullptr;
  std::map<std::string, std::int32_t> shared_;
  std::map<std::string, int> occurrences_;
  bool has_repeated_ = false;
};

}  // namespace

Plan lower(const Program& program, int form) {
  return Lowering(program, form).run();
}

}  // namespace assay::lang
