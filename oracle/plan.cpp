#include "oracle/plan.h"

#include <algorithm>
#include <utility>

#include "oracle/plan_parts.h"

namespace assay::lang {

Plan Lowering::run() {
  if (form_ >= 0) plan_.form = program_.forms[static_cast<std::size_t>(form_)].name;
  plan_.owners.assign(program_.variables.size(), {-1, 0});
  for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
    plan_.tables.push_back(table(Table::Kind::input, i, program_.inputs[i].shape.size()));
  }
  for (std::size_t i = 0; i < program_.definitions.size(); ++i) {
    plan_.tables.push_back(table(Table::Kind::definition, i, program_.definitions[i].rank));
  }
  find_dependencies();
  for (const auto& equations : active_) {
    for (const Equation* equation : equations) count_repeated(equation->body);
  }
  for (std::size_t d = 0; d < active_.size(); ++d) {
    std::vector<const Equation*> cases = active_[d];
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

Table Lowering::table(Table::Kind kind, std::size_t index, std::size_t rank) {
  Table t;
  t.kind = kind;
  t.index = static_cast<std::int32_t>(index);
  t.rank = rank;
  return t;
}

std::ptrdiff_t Lowering::constants(const Equation& e) {
  return std::count_if(e.patterns.begin(), e.patterns.end(),
                       [](const Equation::Pattern& p) { return p.name.empty(); });
}

Instruction& Lowering::emit(Op op, std::int32_t target) {
  Instruction instruction;
  instruction.op = op;
  instruction.target = target;
  build_->code.instructions.push_back(instruction);
  return build_->code.instructions.back();
}

Code Lowering::finish(Build& build, Operand result) {
  build.code.result = result;
  plan_.registers = std::max(plan_.registers, build.registers);
  plan_.references = std::max(plan_.references, build.references);
  plan_.truths = std::max(plan_.truths, build.truths);
  return std::move(build.code);
}

Code Lowering::define(const Equation& e, std::int32_t table_number) {
  Build build;
  Build* outer = std::exchange(build_, &build);
  definition_ = e.definition;
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

std::vector<std::uint8_t> Lowering::roundings(Symbol symbol) const {
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

Operand Lowering::allow(std::size_t number, const Equation& e, std::int32_t table_number, Operand result) {
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

Plan lower(const Program& program, int form) {
  return Lowering(program, form).run();
}

}  // namespace assay::lang
