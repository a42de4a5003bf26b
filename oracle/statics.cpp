#include "oracle/statics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

namespace assay::lang {

using Kind = Expr::Kind;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

std::int64_t Statics::integer(ExprId id, std::int64_t* variables) const {
  const Expr& e = program_[id];
  const auto operand = [&](std::size_t i) { return integer(e.children[i], variables); };
  std::int64_t result = 0;
  switch (e.kind) {
    case Kind::number:
      return e.constant.numerator;
    case Kind::name:
    case Kind::read: {
      const auto i = static_cast<std::size_t>(e.symbol.index);
      if (e.symbol.kind == Symbol::Kind::variable) return variables[i];
      if (e.symbol.kind == Symbol::Kind::dimension) return instance_.dims[i];
      if (e.symbol.kind == Symbol::Kind::attribute) {
        const double value = instance_.attributes[i];
        return std::fabs(value) < 9e18 ? static_cast<std::int64_t>(value) : fail();
      }
      if (e.symbol.kind == Symbol::Kind::definition) return defined(e, variables);
      const std::int64_t at = offset(e, variables);
      return at < 0 ? fail() : inputs_[i].integer(at);
    }
    case Kind::negate:
      return __builtin_sub_overflow(std::int64_t{0}, operand(0), &result) ? fail() : result;
    case Kind::add:
      return __builtin_add_overflow(operand(0), operand(1), &result) ? fail() : result;
    case Kind::subtract:
      return __builtin_sub_overflow(operand(0), operand(1), &result) ? fail() : result;
    case Kind::multiply:
      return __builtin_mul_overflow(operand(0), operand(1), &result) ? fail() : result;
    case Kind::floor_divide:
    case Kind::modulo: {
      const std::int64_t a = operand(0);
      const std::int64_t b = operand(1);
      if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return fail();
      return e.kind == Kind::modulo ? modulo(a, b) : floor_divide(a, b);
    }
    case Kind::power: {
      const std::int64_t base = operand(0);
      result = 1;
      for (std::int64_t n = program_[e.children[1]].constant.numerator; n > 0; --n) {
        if (__builtin_mul_overflow(result, base, &result)) return fail();
      }
      return result;
    }
    case Kind::conditional:
      return operand(condition(e.children[1], variables) ? 0 : 2);
    case Kind::reduction:
      return count(e, variables);
    case Kind::call: {
      result = operand(0);
      if (e.text == "abs")
        return result == std::numeric_limits<std::int64_t>::min() ? fail() : std::abs(result);
      if (e.text == "clamp") return std::min(std::max(result, operand(1)), operand(2));
      for (std::size_t i = 1; i < e.children.size(); ++i) {
        result = e.text == "max" ? std::max(result, operand(i)) : std::min(result, operand(i));
      }
      return result;
    }
    default:
      break;
  }
  assert(false && "the checker lets integers pass only");
  return 0;
}

double Statics::number(ExprId id, std::int64_t* variables) const {
  const Expr& e = program_[id];
  if (e.type == Type::integer) return static_cast<double>(integer(id, variables));
  const auto operand = [&](std::size_t i) { return number(e.children[i], variables); };
  switch (e.kind) {
    case Kind::number:
      return std::strtod(e.text.c_str(), nullptr);
    case Kind::negate:
      return -operand(0);
    case Kind::add:
      return operand(0) + operand(1);
    case Kind::subtract:
      return operand(0) - operand(1);
    case Kind::multiply:
      return operand(0) * operand(1);
    case Kind::divide:
      return operand(0) / operand(1);
    case Kind::power:
      return std::pow(operand(0), static_cast<double>(program_[e.children[1]].constant.numerator));
    case Kind::conditional:
      return operand(condition(e.children[1], variables) ? 0 : 2);
    default:
      break;
  }
  switch (e.symbol.kind) {
    case Symbol::Kind::attribute:
      return instance_.attributes[static_cast<std::size_t>(e.symbol.index)];
    case Symbol::Kind::infinity:
      return std::numeric_limits<double>::infinity();
    case Symbol::Kind::nan:
      return std::numeric_limits<double>::quiet_NaN();
    case Symbol::Kind::pi:
      return std::numbers::pi;
    default:
      break;
  }
  assert(false && "the checker lets static numbers pass only");
  return 0;
}

bool Statics::condition(ExprId id, std::int64_t* variables) const {
  const Expr& e = program_[id];
  switch (e.kind) {
    case Kind::compare:
      if (program_[e.children[0]].type == Type::integer && program_[e.children[1]].type == Type::integer) {
        return holds(e.comparison, integer(e.children[0], variables), integer(e.children[1], variables));
      }
      return holds(e.comparison, number(e.children[0], variables), number(e.children[1], variables));
    case Kind::both:
      return condition(e.children[0], variables) && condition(e.children[1], variables);
    case Kind::either:
      return condition(e.children[0], variables) || condition(e.children[1], variables);
    case Kind::negation:
      return !condition(e.children[0], variables);
    case Kind::reduction:
      return quantified(e, variables);
    default:
      break;
  }
  const std::int64_t at = offset(e, variables);  // a bool input
  return at < 0 ? fail() != 0 : inputs_[static_cast<std::size_t>(e.symbol.index)].integer(at) != 0;
}

Statics::Range Statics::range(const Binder& binder, std::int64_t* variables) const {
  const std::int64_t lower = binder.lower == kNone ? 0 : integer(binder.lower, variables);
  const std::int64_t upper = integer(binder.upper, variables);
  if (!binder.closed) return {lower, upper};
  return {lower, upper == std::numeric_limits<std::int64_t>::max() ? fail() : upper + 1};
}

std::int64_t Statics::offset(const Expr& read, std::int64_t* variables) const {
  const Tensor& tensor = inputs_[static_cast<std::size_t>(read.symbol.index)];
  std::int64_t at = 0;
  for (std::size_t d = 0; d < read.children.size(); ++d) {
    const std::int64_t index = integer(read.children[d], variables);
    if (index < 0 || index >= tensor.shape()[d]) return -1;
    at = at * tensor.shape()[d] + index;
  }
  return at;
}

// An element of a definition of integers. Its equation's indices are variables of its own.
std::int64_t Statics::defined(const Expr& e, std::int64_t* variables) const {
  const auto d = static_cast<std::size_t>(e.symbol.index);
  const Equation& equation = program_.equations[static_cast<std::size_t>(program_.definitions[d].integer)];
  constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMostKnown = std::int64_t{1} << 20;
  std::int64_t* known = nullptr;
  if (e.children.size() == 1) {
    const std::int64_t index = integer(e.children[0], variables);
    if (index >= 0 && index < kMostKnown) {
      if (defined_.empty()) defined_.resize(program_.definitions.size());
      auto& list = defined_[d];
      if (static_cast<std::size_t>(index) >= list.size())
        list.resize(static_cast<std::size_t>(index) + 64, kUnknown);
      if (list[static_cast<std::size_t>(index)] != kUnknown) return list[static_cast<std::size_t>(index)];
      known = &list[static_cast<std::size_t>(index)];
    }
    variables[equation.patterns[0].variable] = index;
  } else {
    std::vector<std::int64_t> indices;
    for (const ExprId child : e.children) indices.push_back(integer(child, variables));
    for (std::size_t i = 0; i < indices.size(); ++i) variables[equation.patterns[i].variable] = indices[i];
  }
  const std::int64_t value = integer(equation.body, variables);
  if (known != nullptr) *known = value;
  return value;
}

template <class Visit>
bool Statics::for_each(const Expr& e, std::size_t binder, std::int64_t* variables, Visit&& visit) const {
  if (binder == e.binders.size()) return visit();
  const auto [lower, upper] = range(e.binders[binder], variables);
  for (std::int64_t i = lower; i < upper; ++i) {
    variables[e.binders[binder].variable] = i;
    if (!for_each(e, binder + 1, variables, visit)) return false;
  }
  return true;
}

// A reduction's binders are variables of its own, so that writing to them disturbs nobody.
std::int64_t Statics::count(const Expr& e, std::int64_t* variables) const {
  std::int64_t n = 0;
  for_each(e, 0, variables, [&] {
    n += condition(e.children[0], variables) ? 1 : 0;
    return true;
  });
  return n;
}

bool Statics::quantified(const Expr& e, std::int64_t* variables) const {
  const bool any = e.reduction == Reduction::any;
  const bool all_visited =
      for_each(e, 0, variables, [&] { return condition(e.children[0], variables) != any; });
  return any ? !all_visited : all_visited;
}

}  // namespace assay::lang
