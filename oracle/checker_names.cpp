#include <algorithm>

#include "oracle/checker_parts.h"
#include "oracle/words.h"

namespace assay::lang {

void Checker::declare(const std::string& name, Position at, Symbol::Kind kind, std::size_t index,
                      std::string_view what) {
  const auto [known, fresh] =
      names_.try_emplace(name, Known{{kind, static_cast<std::int32_t>(index)}, at, what});
  if (!fresh) {
    fail(at, fmt::format("'{}' is {} already ({}); choose another name", name, known->second.what,
                         place(known->second.at)));
  }
}

void Checker::declare() {
  for (std::size_t i = 0; i < program_.dims.size(); ++i) {
    declare(program_.dims[i], program_.dim_positions[i], Symbol::Kind::dimension, i, "a dimension");
  }
  for (std::size_t i = 0; i < program_.attributes.size(); ++i) {
    const AttributeDeclaration& a = program_.attributes[i];
    declare(a.name, a.at, Symbol::Kind::attribute, i, "an attribute");
  }
  for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
    declare(program_.inputs[i].name, program_.inputs[i].at, Symbol::Kind::input, i, "an input");
  }
}

void Checker::define() {
  for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
    const Declaration& output = program_.outputs[i];
    declare(output.name, output.at, Symbol::Kind::definition, i, "an output");
    program_.definitions.push_back({output.name, output.shape.size(), static_cast<std::int32_t>(i)});
  }
  if (program_.outputs.empty())
    return fail(program_.at, "the contract has no output; state 'output y[n] : like x'");
  define(program_.equations, nullptr);
  for (Form& form : program_.forms) define(form.equations, &form);
  std::set<std::string> forms;
  for (const Form& form : program_.forms) {
    if (!forms.insert(form.name).second) fail(form.at, fmt::format("a second form '{}'", form.name));
  }
  for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
    const bool defined =
        std::any_of(program_.equations.begin(), program_.equations.end(),
                    [&](const Equation& e) { return e.definition == static_cast<std::int32_t>(i); });
    if (!defined) {
      fail(program_.outputs[i].at, fmt::format("output '{}' has no equation; write '{} = ...'",
                                               program_.outputs[i].name, left_side(program_.outputs[i])));
    }
  }
}

std::string Checker::left_side(const Declaration& output) {
  if (output.shape.empty()) return output.name;
  std::vector<std::string> indices;
  for (std::size_t d = 0; d < output.shape.size(); ++d) indices.push_back(fmt::format("i{}", d));
  return fmt::format("{}[{}]", output.name, join(indices, ", "));
}

void Checker::define(std::vector<Equation>& equations, const Form* form) {
  for (std::size_t i = 0; i < equations.size() && !error_; ++i) {
    Equation& e = equations[i];
    const auto known = names_.find(e.name);
    if (known == names_.end()) {
      declare(e.name, e.at, Symbol::Kind::definition, program_.definitions.size(), "defined");
      program_.definitions.push_back({e.name, e.patterns.size(), -1});
    } else if (known->second.symbol.kind != Symbol::Kind::definition) {
      return fail(e.at, fmt::format("'{}' is {} ({}); an equation defines a new name or an output", e.name,
                                    known->second.what, place(known->second.at)));
    }
    e.definition = names_.at(e.name).symbol.index;
    const Definition& d = program_.definitions[static_cast<std::size_t>(e.definition)];
    if (d.rank != e.patterns.size()) {
      return fail(e.at, fmt::format("'{}' has {} ind{}, here {}", e.name, d.rank, d.rank == 1 ? "ex" : "ices",
                                    e.patterns.size()));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (equations[j].definition == e.definition && same_case(equations[j].patterns, e.patterns)) {
        return fail(
            e.at, fmt::format("a second equation for '{}'{}; the first is in {}", e.name,
                              form ? fmt::format(" in form '{}'", form->name) : "", place(equations[j].at)));
      }
    }
    bind(e.patterns);
  }
}

bool Checker::same_case(const Patterns& a, const Patterns& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].name.empty() != b[i].name.empty()) return false;
    if (a[i].name.empty() && a[i].constant != b[i].constant) return false;
  }
  return true;
}

std::int32_t Checker::new_variable(const std::string& name, Position at) {
  program_.variables.push_back({name, at});
  return static_cast<std::int32_t>(program_.variables.size()) - 1;
}

void Checker::bind(Patterns& patterns) {
  std::set<std::string> seen;
  for (Equation::Pattern& pattern : patterns) {
    if (pattern.name.empty()) continue;
    if (!seen.insert(pattern.name).second) {
      return fail(pattern.at, fmt::format("the index '{}' stands twice on the left side", pattern.name));
    }
    pattern.variable = new_variable(pattern.name, pattern.at);
  }
}

Checker::Scope Checker::scope_of(const Patterns& patterns) {
  Scope scope;
  for (const Equation::Pattern& pattern : patterns) {
    if (pattern.variable < 0) continue;
    shadow(pattern.name, pattern.at, {});
    scope.push_back(pattern.variable);
  }
  return scope;
}

void Checker::shadow(const std::string& name, Position at, const Scope& scope) {
  const auto known = names_.find(name);
  if (known != names_.end()) {
    fail(at, fmt::format("the index '{}' has the name of {} ({}); choose another name", name,
                         known->second.what == "defined" ? "an equation" : known->second.what,
                         place(known->second.at)));
  }
  for (const std::int32_t v : scope) {
    if (program_.variables[static_cast<std::size_t>(v)].name == name) {
      fail(at, fmt::format("the index '{}' is bound already; choose another name", name));
    }
  }
}

void Checker::resolve_all() {
  for (const AttributeDeclaration& a : program_.attributes) resolve(a.fallback, {});
  for (Declaration& d : program_.inputs) resolve(d);
  for (Declaration& d : program_.outputs) resolve(d);
  for (const ExprId id : program_.where) resolve(id, {});
  for (const Equation& e : program_.equations) resolve(e.body, scope_of(e.patterns));
  for (const Form& form : program_.forms) {
    for (const Equation& e : form.equations) resolve(e.body, scope_of(e.patterns));
  }
  resolve(program_.depth, {});
  for (Allowance& a : program_.allowances) {
    bind(a.patterns);
    resolve(a.guard, scope_of(a.patterns));
  }
  for (const Example& example : program_.examples) {
    for (const auto& value : example.values) resolve(value.second, {});
  }
}

void Checker::resolve(Declaration& d) {
  for (const ExprId id : d.shape) resolve(id, {});
  for (const ExprId id : {d.bound, d.ignore, d.low, d.high, d.ball}) resolve(id, {});
  if (d.like.empty() || error_) return;
  for (const Declaration& input : program_.inputs) {
    if (input.name == d.like && &input != &d) {
      if (!input.like.empty())
        return fail(d.at, fmt::format("'{}' is itself 'like {}'; name that one", d.like, input.like));
      d.type = input.type;
      d.bound = input.bound;
      d.ignore = input.ignore;
      d.is_offsets = input.is_offsets;
      return;
    }
  }
  std::vector<std::string> inputs;
  for (const Declaration& input : program_.inputs) inputs.push_back(input.name);
  fail(d.at, fmt::format("'like {}' names no input{}", d.like, suggestion(d.like, inputs)));
}

void Checker::resolve(ExprId id, Scope scope) {
  if (id == kNone || error_) return;
  Expr& e = program_[id];
  if (e.kind == Kind::name || e.kind == Kind::read) resolve_name(e, scope);
  for (Binder& binder : e.binders) {  // a range sees the binders before it
    resolve(binder.lower, scope);
    resolve(binder.upper, scope);
    shadow(binder.name, binder.at, scope);
    binder.variable = new_variable(binder.name, binder.at);
    Variable& variable = program_.variables.back();
    variable.lower = binder.lower;
    variable.upper = binder.upper;
    variable.closed = binder.closed;
    scope.push_back(binder.variable);
  }
  for (std::size_t i = 0; i < program_[id].children.size(); ++i) resolve(program_[id].children[i], scope);
  resolve(program_[id].otherwise, scope);
  resolve(program_[id].guard, scope);
}

void Checker::resolve_name(Expr& e, const Scope& scope) {
  if (e.kind == Kind::name) {
    if (e.text == "true" || e.text == "false") {
      e.kind = Kind::number;
      e.integral = true;
      e.constant.numerator = e.text == "true" ? 1 : 0;
      return;
    }
    if (e.text == "inf") e.symbol.kind = Symbol::Kind::infinity;
    if (e.text == "nan") e.symbol.kind = Symbol::Kind::nan;
    if (e.text == "pi") e.symbol.kind = Symbol::Kind::pi;
    if (e.symbol.kind != Symbol::Kind::none) return;
  }
  for (const std::int32_t v : scope) {
    if (program_.variables[static_cast<std::size_t>(v)].name == e.text)
      e.symbol = {Symbol::Kind::variable, v};
  }
  if (e.symbol.kind == Symbol::Kind::none) {
    const auto known = names_.find(e.text);
    if (known == names_.end()) return unknown(e, scope);
    e.symbol = known->second.symbol;
  }
  used_.insert(e.text);
  const bool tensor = e.symbol.kind == Symbol::Kind::input || e.symbol.kind == Symbol::Kind::definition;
  if (!tensor) {
    if (e.kind == Kind::read) fail(e.at, fmt::format("'{}' is a single number; it has no indices", e.text));
    return;
  }
  const std::size_t rank = rank_of(e.symbol);
  if (e.children.size() != rank) {
    fail(e.at, fmt::format("'{}' has {} ind{}, here {}; nothing is broadcast", e.text, rank,
                           rank == 1 ? "ex" : "ices", e.children.size()));
  }
  if (e.otherwise != kNone && e.symbol.kind != Symbol::Kind::input) {
    fail(e.at, fmt::format("'else' answers an index out of range of an input; '{}' is an equation", e.text));
  }
}

void Checker::unknown(const Expr& e, const Scope& scope) {
  if (parse_reduction(e.text) || std::any_of(callables().begin(), callables().end(),
                                             [&](const Callable& c) { return c.name == e.text; })) {
    return fail(e.at, fmt::format("'{}' is a function; give its arguments in ( )", e.text));
  }
  std::vector<std::string> candidates;
  for (const auto& known : names_) candidates.push_back(known.first);
  for (const std::int32_t v : scope)
    candidates.push_back(program_.variables[static_cast<std::size_t>(v)].name);
  fail(e.at, fmt::format("unknown name '{}'{}", e.text, suggestion(e.text, candidates)));
}

std::size_t Checker::rank_of(Symbol symbol) const {
  const auto i = static_cast<std::size_t>(symbol.index);
  return symbol.kind == Symbol::Kind::input ? program_.inputs[i].shape.size() : program_.definitions[i].rank;
}

}  // namespace assay::lang
