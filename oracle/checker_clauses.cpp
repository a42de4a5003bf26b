#include <algorithm>

#include "oracle/checker_parts.h"
#include "oracle/printer.h"
#include "oracle/statics.h"
#include "oracle/words.h"

namespace assay::lang {

void Checker::check_declarations() {
  for (const auto* list : {&program_.inputs, &program_.outputs}) {
    for (const Declaration& d : *list) {
      for (const ExprId id : d.shape) size(id, "a dimension");
      if (d.bound != kNone) size(d.bound, "the bound of an index");
      check_values(d, list == &program_.inputs);
      if (d.ignore != kNone) size(d.ignore, "the value to ignore");
    }
  }
  if (program_.depth != kNone) size(program_.depth, "the depth of sums");
  for (const ExprId id : program_.where) condition_of_domain(id);
}

void Checker::check_values(const Declaration& d, bool is_input) {
  if (d.is_offsets && d.shape.size() != 1)
    return fail(d.at, fmt::format("offsets are a list; write '{}[n + 1] : offsets(...)'", d.name));
  if (d.is_offsets && !is_input) return fail(d.at, "offsets are an input; an output is of int or index(n)");
  if (d.low == kNone && d.ball == kNone) return;
  const bool is_float =
      d.type.kind == ElementType::Kind::floating || (!d.is_offsets && assay::is_float(d.type.fixed));
  if (!is_input || !is_float || d.type.kind == ElementType::Kind::index)
    return fail(d.at, fmt::format("'in' limits what a float input may hold; '{}' is {}", d.name,
                                  is_input ? "of integers" : "an output"));
  if (d.ball != kNone && d.shape.empty())
    return fail(d.at, "a ball limits the rows of a tensor; a single number is 'in [LOW, HIGH]'");
  for (const ExprId id : {d.low, d.high, d.ball}) {
    if (id == kNone) continue;
    demand(id, Type::real, "a number");
    if (!error_) only_sizes(id, "a limit of values");
  }
}

void Checker::size(ExprId id, std::string_view what) {
  demand(id, Type::integer, fmt::format("an integer as {}", what));
  if (!error_) only_sizes(id, what);
}

void Checker::condition_of_domain(ExprId id) {
  demand(id, Type::boolean, "a condition over dimensions and attributes");
  if (!error_) only_sizes(id, "a condition of the domain");
}

void Checker::only_sizes(ExprId id, std::string_view what) {
  if (id == kNone || error_) return;
  const Expr& e = program_[id];
  const bool leaf = e.symbol.kind == Symbol::Kind::input || e.symbol.kind == Symbol::Kind::definition ||
                    e.kind == Kind::reduction;
  if (!leaf) {
    for (const ExprId child : e.children) only_sizes(child, what);
  }
  if (leaf || !e.is_static) {
    fail(e.at, fmt::format("{} depends on dimensions and attributes only, not on {}", what,
                           to_string(program_, id)));
  }
}

void Checker::check_recursions() {
  for (int form = -1; form < static_cast<int>(program_.forms.size()) && !error_; ++form) {
    const auto active = active_equations(program_, form);
    for (const auto& equations : active) {
      for (const Equation* e : equations) check_defined(e->body, active, form);
    }
    if (error_) return;
    if (auto endless = find_endless_recursion(program_, form)) fail(endless->at, endless->message);
  }
}

void Checker::check_defined(ExprId id, const std::vector<std::vector<const Equation*>>& active, int form) {
  if (id == kNone) return;
  const Expr& e = program_[id];
  if (e.symbol.kind == Symbol::Kind::definition && active[static_cast<std::size_t>(e.symbol.index)].empty()) {
    fail(e.at, fmt::format(
                   "'{}' is defined in another form only; {} cannot read it", e.text,
                   form < 0 ? "the contract's own definitions"
                            : fmt::format("form '{}'", program_.forms[static_cast<std::size_t>(form)].name)));
  }
  for (const ExprId child : e.children) check_defined(child, active, form);
  check_defined(e.otherwise, active, form);
  check_defined(e.guard, active, form);
}

void Checker::check_clauses() {
  check_roundings(program_.roundings);
  for (Form& form : program_.forms) {
    check_roundings(form.roundings);
    if (form.equations.empty() && form.roundings.empty()) {
      fail(form.at,
           fmt::format("form '{}' is empty; it states equations or 'round' that differ from the contract's",
                       form.name));
    }
  }
  for (Allowance& a : program_.allowances) check_allowance(a);
  check_accuracies();
  check_subnormals();
  for (const std::string& name : program_.stops) {
    if (names_.count(name) == 0 || names_.at(name).symbol.kind != Symbol::Kind::definition) {
      fail(program_.at,
           fmt::format("'stop {}' names no equation{}", name, suggestion(name, equation_names())));
    }
  }
  for (const Example& example : program_.examples) check_example(example);
}

std::vector<std::string> Checker::equation_names() const {
  std::vector<std::string> names;
  for (const Definition& d : program_.definitions) names.push_back(d.name);
  return names;
}

void Checker::check_roundings(std::vector<Rounding>& roundings) {
  std::map<std::string, Position> seen;
  for (Rounding& r : roundings) {
    const auto known = names_.find(r.name);
    if (known == names_.end() || (known->second.symbol.kind != Symbol::Kind::definition &&
                                  known->second.symbol.kind != Symbol::Kind::attribute)) {
      std::vector<std::string> candidates = equation_names();
      for (const AttributeDeclaration& a : program_.attributes) candidates.push_back(a.name);
      return fail(r.at, fmt::format("'round {}' names no equation or attribute{}", r.name,
                                    suggestion(r.name, candidates)));
    }
    r.symbol = known->second.symbol;
    const auto [first, fresh] = seen.try_emplace(r.name, r.at);
    if (!fresh)
      return fail(r.at, fmt::format("a second 'round {}'; the first is in {}", r.name, place(first->second)));
  }
}

void Checker::check_allowance(Allowance& a) {
  const auto known = names_.find(a.name);
  if (known == names_.end() || known->second.symbol.kind != Symbol::Kind::definition) {
    return fail(a.at, fmt::format("'allow ... in {}' names no equation{}", a.name,
                                  suggestion(a.name, equation_names())));
  }
  a.definition = known->second.symbol.index;
  const std::size_t rank = program_.definitions[static_cast<std::size_t>(a.definition)].rank;
  if (!a.patterns.empty() && a.patterns.size() != rank) {
    return fail(a.at, fmt::format("'{}' has {} ind{}, here {}", a.name, rank, rank == 1 ? "ex" : "ices",
                                  a.patterns.size()));
  }
  for (const Equation::Pattern& pattern : a.patterns) {
    if (pattern.name.empty())
      return fail(pattern.at, "'allow' names every index; state a constant in its guard");
  }
  if (reads(a.guard, known->second.symbol)) {
    fail(a.at, fmt::format("the guard of 'allow ... in {}' depends on '{}' itself", a.name, a.name));
  }
}

bool Checker::reads(ExprId id, Symbol symbol) const {
  if (id == kNone) return false;
  const Expr& e = program_[id];
  if (e.symbol.kind == symbol.kind && e.symbol.index == symbol.index) return true;
  return std::any_of(e.children.begin(), e.children.end(),
                     [&](ExprId child) { return reads(child, symbol); });
}

void Checker::check_accuracies() {
  for (std::size_t i = 0; i < program_.accuracies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (program_.accuracies[i].function == program_.accuracies[j].function) {
        fail(program_.accuracies[i].at,
             fmt::format("a second 'accuracy {}'; the first is in {}", name(program_.accuracies[i].function),
                         place(program_.accuracies[j].at)));
      }
    }
  }
}

void Checker::check_subnormals() {
  for (std::size_t i = 0; i < program_.subnormals.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Subnormals& a = program_.subnormals[i];
      const Subnormals& b = program_.subnormals[j];
      const bool meet =
          a.dtypes.empty() || b.dtypes.empty() || std::any_of(a.dtypes.begin(), a.dtypes.end(), [&](DType d) {
            return std::find(b.dtypes.begin(), b.dtypes.end(), d) != b.dtypes.end();
          });
      if (meet) {
        fail(a.at,
             fmt::format("a second 'subnormals' clause for the same dtype; the first is in {}", place(b.at)));
      }
    }
  }
}

void Checker::check_example(const Example& example) {
  for (const auto& [key, value] : example.values) {
    const auto known = names_.find(key);
    if (known == names_.end() || (known->second.symbol.kind != Symbol::Kind::dimension &&
                                  known->second.symbol.kind != Symbol::Kind::attribute)) {
      std::vector<std::string> candidates = program_.dims;
      for (const AttributeDeclaration& a : program_.attributes) candidates.push_back(a.name);
      return fail(example.at, fmt::format("example '{}' sets unknown '{}'{}", example.name, key,
                                          suggestion(key, candidates)));
    }
    demand(value, Type::real, "a number");
    if (!error_ && !depends_only_on_constants(value)) {
      fail(program_[value].at, "an example's sizes are numbers");
    }
  }
}

void Checker::check_unused() {
  for (const auto& [name, known] : names_) {
    if (used_.count(name) != 0) continue;
    const bool output = known.symbol.kind == Symbol::Kind::definition &&
                        program_.definitions[static_cast<std::size_t>(known.symbol.index)].output >= 0;
    const bool kept = !program_.adjoint_of.empty() && known.symbol.kind != Symbol::Kind::definition;
    if (output || kept) continue;
    if (known.symbol.kind == Symbol::Kind::definition) {
      fail(known.at, fmt::format("'{}' is defined but never read; use it or drop its equation", name));
    } else {
      fail(known.at, fmt::format("'{}' is {} that nothing reads; use it or drop it", name, known.what));
    }
  }
}

void Checker::sign() {
  Signature& s = program_.signature;
  s.name = program_.name;
  s.dims = program_.dims;
  for (const AttributeDeclaration& a : program_.attributes) {
    std::optional<double> fallback;
    if (a.fallback != kNone) fallback = Statics(program_, {}, {}).number(a.fallback);
    s.attributes.push_back({a.name, fallback, a.integral, a.is_switch});
  }
  for (const Declaration& d : program_.inputs) s.inputs.push_back({d.name, d.shape.size(), d.type});
  for (const Declaration& d : program_.outputs) s.outputs.push_back({d.name, d.shape.size(), d.type});
}

}  // namespace assay::lang
