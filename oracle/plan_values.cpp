#include <algorithm>
#include <cassert>
#include <utility>

#include "oracle/plan_parts.h"
#include "oracle/words.h"

namespace assay::lang {

Operand Lowering::value(ExprId id, std::int32_t into) {
  if (is_shared(id)) return place(element_of_shared(id), into);
  return computed(id, into);
}

Operand Lowering::place(Operand from, std::int32_t into) {
  if (into < 0 || from == into) return from;
  Instruction& copy = emit(Op::copy, into);
  copy.operand = from;
  return into;
}

Operand Lowering::computed(ExprId id, std::int32_t into) {
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

std::optional<Constant> Lowering::constant_of(ExprId id) const {
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

Operand Lowering::literal(Literal l) {
  for (std::size_t i = 0; i < plan_.literals.size(); ++i) {
    const Literal& other = plan_.literals[i];
    if (other.attribute == l.attribute && other.round == l.round && same(other.constant, l.constant)) {
      return reference_to_literal(i);
    }
  }
  plan_.literals.push_back(std::move(l));
  return reference_to_literal(plan_.literals.size() - 1);
}

bool Lowering::same(const Constant& a, const Constant& b) {
  return a.kind == b.kind && a.numerator == b.numerator && a.denominator == b.denominator &&
         a.exponent == b.exponent;
}

Operand Lowering::reference_to_literal(std::size_t number) {
  Instruction& constant = emit(Op::constant, new_reference());
  constant.operand = static_cast<std::int32_t>(number);
  return ~constant.target;
}

Operand Lowering::attribute(Symbol symbol) {
  const AttributeDeclaration& a = program_.attributes[static_cast<std::size_t>(symbol.index)];
  Literal l;
  l.attribute = symbol.index;
  l.round = roundings(symbol);
  const auto text = a.fallback == kNone ? std::nullopt : constant_of(a.fallback);
  l.constant = text.value_or(Constant{Constant::Kind::real, 0, 1, 0, 0});
  return literal(std::move(l));
}

Operand Lowering::integer(ExprId id, std::int32_t into) {
  Instruction& integer = emit(Op::integer, target(into));
  integer.expr = id;
  return integer.target;
}

Operand Lowering::read(const Expr& e) {
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

void Lowering::emit_access(Access access, std::int32_t reference) {
  plan_.accesses.push_back(std::move(access));
  Instruction& element = emit(Op::element, reference);
  element.operand = static_cast<std::int32_t>(plan_.accesses.size()) - 1;
}

void Lowering::alias(std::int32_t reference, Operand operand) {
  Instruction& alias = emit(Op::alias, reference);
  alias.operand = operand;
}

void Lowering::terms(ExprId id, bool negative, std::vector<std::pair<ExprId, bool>>& list) const {
  const Expr& e = program_[id];
  const bool chain =
      e.type == Type::real && !constant_of(id) && (e.kind == Kind::add || e.kind == Kind::subtract);
  if (!chain) return list.emplace_back(id, negative), void();
  terms(e.children[0], negative, list);
  terms(e.children[1], negative != (e.kind == Kind::subtract), list);
}

Operand Lowering::sum_of_terms(ExprId id, std::int32_t into) {
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
  const Operand sum = over_block(Op::sum, static_cast<std::uint8_t>(Sum::terms), first, list.size(), into);
  build_->code.instructions.back().jump = static_cast<std::int32_t>(sums_among(list));
  return sum;
}

std::int32_t Lowering::block(std::size_t n) {
  const std::int32_t first = build_->registers;
  build_->registers += static_cast<std::int32_t>(n);
  return first;
}

Operand Lowering::over_block(Op op, std::uint8_t detail, std::int32_t first, std::size_t n,
                             std::int32_t into) {
  Instruction& instruction = emit(op, target(into));
  instruction.detail = detail;
  instruction.operand = first;
  instruction.count = static_cast<std::int32_t>(n);
  return instruction.target;
}

void Lowering::factors(ExprId id, std::vector<ExprId>& list) const {
  const Expr& e = program_[id];
  if (e.kind != Kind::multiply || e.type != Type::real) return list.push_back(id);
  factors(e.children[0], list);
  factors(e.children[1], list);
}

Operand Lowering::product_of_factors(ExprId id, std::int32_t into) {
  std::vector<ExprId> list;
  factors(id, list);
  const std::int32_t first = block(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) value(list[i], first + static_cast<std::int32_t>(i));
  return over_block(Op::product, 0, first, list.size(), into);
}

Operand Lowering::quotient(const Expr& e, std::int32_t into) {
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

Operand Lowering::call(const Expr& e, std::int32_t into) {
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
  return over_block(Op::extreme, static_cast<std::uint8_t>(extreme(e.text)), first, e.children.size(), into);
}

Extreme Lowering::extreme(std::string_view word) {
  if (word == "max") return Extreme::max;
  if (word == "min") return Extreme::min;
  return word == "fmax" ? Extreme::fmax : Extreme::fmin;
}

Operand Lowering::branches(ExprId condition, ExprId yes, ExprId no) {
  std::vector<Operand> compared;
  const std::int32_t t = truth(condition, &compared);
  return branches(t, std::move(compared), [&] { return value(yes, -1); }, [&] { return value(no, -1); });
}

Operand Lowering::branches(std::int32_t t, std::vector<Operand> compared, const std::function<Operand()>& yes,
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

Operand Lowering::choose(ExprId condition) {
  std::vector<Operand> compared;
  const std::int32_t t = truth(condition, &compared);
  const auto whole = [&](std::int64_t n) {
    Constant c;
    c.numerator = n;
    return literal({c, -1, {}});
  };
  return branches(t, std::move(compared), [&] { return whole(1); }, [&] { return whole(0); });
}

Operand Lowering::reduction(ExprId id, std::int32_t into) {
  const Expr& e = program_[id];
  const std::int32_t place_of_reduce = begin_reduction(Op::reduce, id);
  const Operand term = e.reduction == Reduction::count ? choose(e.children[0]) : value(e.children[0], -1);
  at(place_of_reduce).count = is_sum_of_sums(e);
  end_reduction(place_of_reduce, e, term);
  return at(place_of_reduce).target = target(into);
}

std::int32_t Lowering::begin_reduction(Op op, ExprId id) {
  const Expr& e = program_[id];
  const std::int32_t place_of_reduce = here();
  Instruction& reduce = emit(op);
  reduce.detail = static_cast<std::uint8_t>(e.reduction);
  reduce.operand = static_cast<std::int32_t>(plan_.reductions.size());
  plan_.reductions.push_back(id);
  for (const Binder& binder : e.binders) build_->scope.push_back(binder.variable);
  return place_of_reduce;
}

void Lowering::end_reduction(std::int32_t place_of_reduce, const Expr& e, std::int32_t term) {
  build_->scope.resize(build_->scope.size() - e.binders.size());
  at(place_of_reduce).other = term;
  at(place_of_reduce).jump = here();
}

}  // namespace assay::lang
