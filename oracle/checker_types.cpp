#include <algorithm>

#include "oracle/checker_parts.h"
#include "oracle/printer.h"
#include "oracle/words.h"

namespace assay::lang {

void Checker::mark_integral_attributes() {
  for (AttributeDeclaration& a : program_.attributes) {
    if (a.fallback == kNone) continue;
    const Expr& e = program_[a.fallback];
    if (e.text == "true" || e.text == "false") a.integral = a.is_switch = true;
  }
  for (const auto* list : {&program_.inputs, &program_.outputs}) {
    for (const Declaration& d : *list) {
      for (const ExprId id : d.shape) demand_integer(id);
      demand_integer(d.bound);
      demand_integer(d.ignore);
    }
  }
  demand_integer(program_.depth);
  for (bool again = true; again;) {
    again = false;
    for (ExprId id = 0; id < static_cast<ExprId>(program_.exprs.size()); ++id) again |= mark_in(program_[id]);
  }
}

bool Checker::mark_in(const Expr& e) {
  bool changed = false;
  if (e.kind == Kind::read) {
    for (const ExprId index : e.children) changed |= demand_integer(index);
  }
  if (e.kind == Kind::floor_divide || e.kind == Kind::modulo) {
    for (const ExprId operand : e.children) changed |= demand_integer(operand);
  }
  for (const Binder& binder : e.binders) {
    changed |= demand_integer(binder.lower);
    changed |= demand_integer(binder.upper);
  }
  // Compared with, added to or taken from a place or an extent, it is one; beside a constant it may be
  // anything.
  if (e.kind == Kind::compare || e.kind == Kind::add || e.kind == Kind::subtract) {
    const bool whole = could_be_integer(e.children[0]) && could_be_integer(e.children[1]);
    if (whole && (mentions_place(e.children[0]) || mentions_place(e.children[1]))) {
      changed |= demand_integer(e.children[0]);
      changed |= demand_integer(e.children[1]);
    }
  }
  return changed;
}

bool Checker::demand_integer(ExprId id) {
  if (id == kNone) return false;
  const Expr& e = program_[id];
  bool changed = false;
  if (e.symbol.kind == Symbol::Kind::attribute) {
    AttributeDeclaration& a = program_.attributes[static_cast<std::size_t>(e.symbol.index)];
    changed = !a.integral;
    a.integral = true;
  } else if (is_integer_operation(e.kind)) {
    for (const ExprId child : e.children) changed |= demand_integer(child);
  }
  return changed;
}

bool Checker::is_integer_operation(Kind kind) {
  return kind == Kind::negate || kind == Kind::add || kind == Kind::subtract || kind == Kind::multiply ||
         kind == Kind::floor_divide || kind == Kind::modulo;
}

bool Checker::could_be_integer(ExprId id) const {
  const Expr& e = program_[id];
  switch (e.symbol.kind) {
    case Symbol::Kind::dimension:
    case Symbol::Kind::variable:
      return true;
    case Symbol::Kind::attribute: {
      const AttributeDeclaration& a = program_.attributes[static_cast<std::size_t>(e.symbol.index)];
      return a.integral || (a.fallback != kNone && could_be_integer(a.fallback));
    }
    case Symbol::Kind::input:
      return is_integer(program_.inputs[static_cast<std::size_t>(e.symbol.index)].type);
    case Symbol::Kind::none:
      break;
    default:
      return false;
  }
  if (e.kind == Kind::number) return e.integral;
  if (e.kind == Kind::reduction) return e.reduction == Reduction::count;
  return is_integer_operation(e.kind) && std::all_of(e.children.begin(), e.children.end(),
                                                     [&](ExprId child) { return could_be_integer(child); });
}

// Whether a dimension, a bound index or an index input stands in it.
bool Checker::mentions_place(ExprId id) const {
  const Expr& e = program_[id];
  if (e.symbol.kind == Symbol::Kind::dimension || e.symbol.kind == Symbol::Kind::variable) return true;
  if (e.symbol.kind == Symbol::Kind::input)
    return is_integer(program_.inputs[static_cast<std::size_t>(e.symbol.index)].type);
  return std::any_of(e.children.begin(), e.children.end(),
                     [&](ExprId child) { return mentions_place(child); });
}

bool Checker::is_integer(const ElementType& type) {
  return type.kind == ElementType::Kind::index ||
         (type.kind == ElementType::Kind::fixed && (type.fixed == DType::i32 || type.fixed == DType::i64));
}

// A name whose one equation is of integers that depend on no float value is an integer itself: it may stand
// in brackets, ranges and guards.
bool Checker::is_of_integers(std::size_t definition) {
  integers_.resize(program_.definitions.size(), Integers::unknown);
  Integers& known = integers_[definition];
  if (known != Integers::unknown) return known == Integers::yes;  // a recursion is none
  known = Integers::asked;
  Definition& d = program_.definitions[definition];
  const auto defines = [&](const Equation& e) {
    return e.definition == static_cast<std::int32_t>(definition);
  };
  const auto count = [&](const std::vector<Equation>& list) {
    return std::count_if(list.begin(), list.end(), defines);
  };
  bool only = d.output < 0 && count(program_.equations) == 1;
  for (const Form& form : program_.forms) only &= count(form.equations) == 0;
  if (only) {
    const auto equation = std::find_if(program_.equations.begin(), program_.equations.end(), defines);
    only = std::all_of(equation->patterns.begin(), equation->patterns.end(),
                       [](const Equation::Pattern& p) { return p.variable >= 0; });
    if (only) {
      type(equation->body);
      const Expr& body = program_[equation->body];
      only = !error_ && body.type == Type::integer && body.is_static && body.kind != Kind::number;
      if (only) d.integer = static_cast<std::int32_t>(equation - program_.equations.begin());
    }
  }
  integers_[definition] = only ? Integers::yes : Integers::no;
  return only;
}

void Checker::type_all() {
  for (const AttributeDeclaration& a : program_.attributes) {
    if (a.fallback == kNone) continue;
    type(a.fallback);
    if (error_) return;
    const Expr& e = program_[a.fallback];
    if (!depends_only_on_constants(a.fallback)) {
      return fail(e.at, fmt::format("the default of '{}' must be a number", a.name));
    }
    if (a.integral && e.type != Type::integer) {
      return fail(e.at, fmt::format("'{}' is used as an integer; its default must be one", a.name));
    }
  }
  for (Equation& e : program_.equations) type_body(e);
  for (Form& form : program_.forms) {
    for (Equation& e : form.equations) type_body(e);
  }
  for (const Allowance& a : program_.allowances) {
    if (a.guard != kNone) demand(a.guard, Type::boolean, "a condition");
  }
}

void Checker::type_body(const Equation& e) {
  type(e.body);
  if (error_) return;
  const Definition& d = program_.definitions[static_cast<std::size_t>(e.definition)];
  const bool boolean_output =
      d.output >= 0 && program_.outputs[static_cast<std::size_t>(d.output)].type.fixed == DType::boolean &&
      program_.outputs[static_cast<std::size_t>(d.output)].type.kind == ElementType::Kind::fixed;
  if (program_[e.body].type == Type::boolean && !boolean_output) {
    fail(program_[e.body].at,
         fmt::format("'{}' is a number, not a condition; write (1 if CONDITION else 0)", e.name));
  }
}

bool Checker::depends_only_on_constants(ExprId id) const {
  const Expr& e = program_[id];
  if (e.symbol.kind == Symbol::Kind::dimension || e.symbol.kind == Symbol::Kind::attribute) return false;
  return e.is_static && std::all_of(e.children.begin(), e.children.end(),
                                    [&](ExprId child) { return depends_only_on_constants(child); });
}

std::string_view Checker::in_words(Type type) {
  return type == Type::integer ? "an integer" : type == Type::real ? "a number" : "a condition";
}

void Checker::demand(ExprId id, Type wanted, std::string_view what) {
  type(id);
  if (error_) return;
  const Expr& e = program_[id];
  if (e.type == wanted || (wanted == Type::real && e.type == Type::integer)) return;
  std::string hint;
  if (wanted == Type::integer && e.kind == Kind::divide)
    hint = "; '/' is real division, use // for floor division";
  else if (wanted == Type::integer && e.symbol.kind == Symbol::Kind::input)
    hint = "; declare the input as index(n) or int";
  else if (wanted == Type::boolean)
    hint = fmt::format("; write {} != 0", to_string(program_, id));
  else if (e.type == Type::boolean)
    hint = "; write (1 if CONDITION else 0)";
  fail(e.at,
       fmt::format("expected {}, found {}, {}{}", what, to_string(program_, id), in_words(e.type), hint));
}

void Checker::type(ExprId id) {
  if (id == kNone || error_) return;
  Expr& e = program_[id];
  const auto statically = [&] {
    return std::all_of(e.children.begin(), e.children.end(),
                       [&](ExprId child) { return program_[child].is_static; });
  };
  switch (e.kind) {
    case Kind::number:
      e.type = e.integral ? Type::integer : Type::real;
      e.is_static = true;
      return;
    case Kind::name:
    case Kind::read:
      return type_read(e);
    case Kind::call:
      return type_call(e);
    case Kind::reduction:
      return type_reduction(e);
    case Kind::negate:
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply:
      e.type = Type::integer;
      for (const ExprId child : e.children) {
        demand(child, Type::real, "a number");
        if (program_[child].type == Type::real) e.type = Type::real;
      }
      e.is_static = statically();
      return;
    case Kind::divide:
      for (const ExprId child : e.children) demand(child, Type::real, "a number");
      e.type = Type::real;
      e.is_static = statically();
      return;
    case Kind::floor_divide:
    case Kind::modulo:
      for (const ExprId child : e.children) demand(child, Type::integer, "an integer");
      e.type = Type::integer;
      e.is_static = true;
      return;
    case Kind::power:
      return type_power(e);
    case Kind::compare:
      for (const ExprId child : e.children) demand(child, Type::real, "a number");
      e.type = Type::boolean;
      e.is_static = statically();
      return;
    case Kind::both:
    case Kind::either:
    case Kind::negation:
      for (const ExprId child : e.children) demand(child, Type::boolean, "a condition");
      e.type = Type::boolean;
      e.is_static = statically();
      return;
    case Kind::conditional:
      demand(e.children[1], Type::boolean, "a condition");
      demand(e.children[0], Type::real, "a number");
      demand(e.children[2], Type::real, "a number");
      e.is_static = statically();
      e.type = e.is_static && program_[e.children[0]].type == Type::integer &&
                       program_[e.children[2]].type == Type::integer
                   ? Type::integer
                   : Type::real;
      return;
  }
}

void Checker::type_read(Expr& e) {
  for (const ExprId index : e.children) demand(index, Type::integer, "an integer index");
  if (e.otherwise != kNone) demand(e.otherwise, Type::real, "a number");
  switch (e.symbol.kind) {
    case Symbol::Kind::dimension:
    case Symbol::Kind::variable:
      e.type = Type::integer;
      e.is_static = true;
      return;
    case Symbol::Kind::attribute:
      e.type =
          program_.attributes[static_cast<std::size_t>(e.symbol.index)].integral ? Type::integer : Type::real;
      e.is_static = true;
      return;
    case Symbol::Kind::input: {
      const ElementType& type = program_.inputs[static_cast<std::size_t>(e.symbol.index)].type;
      const bool boolean = type.kind == ElementType::Kind::fixed && type.fixed == DType::boolean;
      e.type = boolean ? Type::boolean : is_integer(type) ? Type::integer : Type::real;
      e.is_static = e.type != Type::real;
      if (e.otherwise != kNone && e.is_static) {
        fail(e.at,
             fmt::format("'else' inside [ ] is for float inputs; guard the read of '{}' with 'if'", e.text));
      }
      return;
    }
    case Symbol::Kind::definition:
      e.is_static = is_of_integers(static_cast<std::size_t>(e.symbol.index));
      e.type = e.is_static ? Type::integer : Type::real;
      return;
    default:  // inf, nan, pi
      e.type = Type::real;
      e.is_static = true;
  }
}

void Checker::type_power(Expr& e) {
  demand(e.children[0], Type::real, "a number");
  type(e.children[1]);
  if (error_) return;
  const Expr& exponent = program_[e.children[1]];
  if (exponent.kind != Kind::number || !exponent.integral || exponent.constant.numerator < 1 ||
      exponent.constant.numerator > 1024) {
    return fail(exponent.at,
                fmt::format("the exponent of ^ is an integer from 1 to 1024, found {}; write sqrt, 1 / x^n "
                            "or exp(p * log(x))",
                            to_string(program_, e.children[1])));
  }
  e.type = program_[e.children[0]].type;
  e.is_static = program_[e.children[0]].is_static;
}

void Checker::type_call(Expr& e) {
  for (const ExprId child : e.children) demand(child, Type::real, "a number");
  if (e.text == "isnan" || e.text == "isinf") {
    e.type = Type::boolean;
    e.is_static = false;
    return;
  }
  const bool whole = e.text == "max" || e.text == "min" || e.text == "clamp" || e.text == "abs";
  const bool integers = std::all_of(e.children.begin(), e.children.end(), [&](ExprId child) {
    return program_[child].type == Type::integer && program_[child].is_static;
  });
  e.type = whole && integers ? Type::integer : Type::real;
  e.is_static = whole && integers;
}

void Checker::type_reduction(Expr& e) {
  for (const Binder& binder : e.binders) {
    if (binder.lower != kNone) demand(binder.lower, Type::integer, "an integer");
    if (binder.upper != kNone) demand(binder.upper, Type::integer, "an integer");
  }
  if (e.guard != kNone) {
    demand(e.guard, Type::boolean, "a condition");
    if (!error_ && !program_[e.guard].is_static) {
      return fail(
          program_[e.guard].at,
          fmt::format(
              "this guard depends on float values, so that the number of terms would; write {}((A if {} "
              "else NEUTRAL) for ...)",
              name(e.reduction), to_string(program_, e.guard)));
    }
  }
  const bool conditions =
      e.reduction == Reduction::count || e.reduction == Reduction::any || e.reduction == Reduction::all;
  if (conditions && e.guard != kNone) {
    return fail(program_[e.guard].at,
                fmt::format("'{}' has no guard; write {}(CONDITION and {} for ...)", name(e.reduction),
                            name(e.reduction), to_string(program_, e.guard)));
  }
  demand(e.children[0], conditions ? Type::boolean : Type::real, conditions ? "a condition" : "a number");
  if (error_) return;
  const bool search = e.reduction == Reduction::argmax || e.reduction == Reduction::argmin;
  if (search && (e.binders.size() != 1 || e.guard != kNone || e.binders[0].lower != kNone)) {
    return fail(e.at, fmt::format("'{}' runs over one index from 0, without a guard", name(e.reduction)));
  }
  const bool is_static = conditions && program_[e.children[0]].is_static;
  e.is_static = is_static;
  e.type = e.reduction == Reduction::any || e.reduction == Reduction::all ? Type::boolean
           : e.reduction == Reduction::count && is_static                 ? Type::integer
                                                                          : Type::real;
}

}  // namespace assay::lang
