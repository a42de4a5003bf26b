#include "oracle/checker.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "oracle/printer.h"
#include "oracle/ranges.h"
#include "oracle/recursion.h"
#include "oracle/statics.h"
#include "oracle/words.h"

namespace assay::lang {
namespace {

using Kind = Expr::Kind;
using Patterns = std::vector<Equation::Pattern>;

std::string place(Position at) {
  return fmt::format("line {}", at.line);
}

class Checker {
 public:
  Checker(Program& program, std::string_view file) : program_(program), file_(file) {}

  Expected<void> run() {
    declare();
    if (!error_) define();
    if (!error_) resolve_all();
    if (!error_) mark_integral_attributes();
    if (!error_) type_all();
    if (!error_) check_declarations();
    if (!error_) {
      if (auto problem = infer_ranges(program_)) fail(problem->at, problem->message);
    }
    if (!error_) check_recursions();
    if (!error_) check_clauses();
    if (!error_) check_unused();
    if (error_) return tl::unexpected(*error_);
    sign();
    return {};
  }

  Expected<void> conditions(const std::vector<ExprId>& list) {
    declare();
    for (const ExprId id : list) {
      resolve(id, {});
      if (!error_) condition_of_domain(id);
    }
    if (error_) return tl::unexpected(*error_);
    return {};
  }

 private:
  struct Known {
    Symbol symbol;
    Position at;
    std::string_view what;
  };

  void fail(Position at, std::string message) {
    if (!error_) {
      error_ = Error{ErrorKind::usage, fmt::format("{}:{}:{}: {}", file_, at.line, at.column, message)};
    }
  }

  // -- names

  void declare(const std::string& name, Position at, Symbol::Kind kind, std::size_t index,
               std::string_view what) {
    const auto [known, fresh] =
        names_.try_emplace(name, Known{{kind, static_cast<std::int32_t>(index)}, at, what});
    if (!fresh) {
      fail(at, fmt::format("'{}' is {} already ({}); choose another name", name, known->second.what,
                           place(known->second.at)));
    }
  }

  void declare() {
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

  // Definitions: the outputs first, then the other names that equations define.
  void define() {
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

  static std::string left_side(const Declaration& output) {
    if (output.shape.empty()) return output.name;
    std::vector<std::string> indices;
    for (std::size_t d = 0; d < output.shape.size(); ++d) indices.push_back(fmt::format("i{}", d));
    return fmt::format("{}[{}]", output.name, join(indices, ", "));
  }

  void define(std::vector<Equation>& equations, const Form* form) {
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
        return fail(e.at, fmt::format("'{}' has {} ind{}, here {}", e.name, d.rank,
                                      d.rank == 1 ? "ex" : "ices", e.patterns.size()));
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (equations[j].definition == e.definition && same_case(equations[j].patterns, e.patterns)) {
          return fail(e.at, fmt::format("a second equation for '{}'{}; the first is in {}", e.name,
                                        form ? fmt::format(" in form '{}'", form->name) : "",
                                        place(equations[j].at)));
        }
      }
      bind(e.patterns);
    }
  }

  static bool same_case(const Patterns& a, const Patterns& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].name.empty() != b[i].name.empty()) return false;
      if (a[i].name.empty() && a[i].constant != b[i].constant) return false;
    }
    return true;
  }

  std::int32_t new_variable(const std::string& name, Position at) {
    program_.variables.push_back({name, at});
    return static_cast<std::int32_t>(program_.variables.size()) - 1;
  }

  void bind(Patterns& patterns) {
    std::set<std::string> seen;
    for (Equation::Pattern& pattern : patterns) {
      if (pattern.name.empty()) continue;
      if (!seen.insert(pattern.name).second) {
        return fail(pattern.at, fmt::format("the index '{}' stands twice on the left side", pattern.name));
      }
      pattern.variable = new_variable(pattern.name, pattern.at);
    }
  }

  using Scope = std::vector<std::int32_t>;  // variables, the innermost last

  Scope scope_of(const Patterns& patterns) {
    Scope scope;
    for (const Equation::Pattern& pattern : patterns) {
      if (pattern.variable < 0) continue;
      shadow(pattern.name, pattern.at, {});
      scope.push_back(pattern.variable);
    }
    return scope;
  }

  void shadow(const std::string& name, Position at, const Scope& scope) {
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

  void resolve_all() {
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

  void resolve(Declaration& d) {
    for (const ExprId id : d.shape) resolve(id, {});
    resolve(d.bound, {});
    resolve(d.ignore, {});
    if (d.like.empty() || error_) return;
    for (const Declaration& input : program_.inputs) {
      if (input.name == d.like && &input != &d) {
        if (!input.like.empty())
          return fail(d.at, fmt::format("'{}' is itself 'like {}'; name that one", d.like, input.like));
        d.type = input.type;
        d.bound = input.bound;
        d.ignore = input.ignore;
        return;
      }
    }
    std::vector<std::string> inputs;
    for (const Declaration& input : program_.inputs) inputs.push_back(input.name);
    fail(d.at, fmt::format("'like {}' names no input{}", d.like, suggestion(d.like, inputs)));
  }

  // The places of a name, by reads[id]: patterns of a scope are few, so that a linear search does.
  void resolve(ExprId id, Scope scope) {
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

  void resolve_name(Expr& e, const Scope& scope) {
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
      fail(e.at,
           fmt::format("'else' answers an index out of range of an input; '{}' is an equation", e.text));
    }
  }

  void unknown(const Expr& e, const Scope& scope) {
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

  std::size_t rank_of(Symbol symbol) const {
    const auto i = static_cast<std::size_t>(symbol.index);
    return symbol.kind == Symbol::Kind::input ? program_.inputs[i].shape.size()
                                              : program_.definitions[i].rank;
  }

  // -- integral attributes: those in indices, dimensions, // and %, and those compared with integers only

  void mark_integral_attributes() {
    for (AttributeDeclaration& a : program_.attributes) {
      if (a.fallback == kNone) continue;
      const Expr& e = program_[a.fallback];
      if (e.text == "true" || e.text == "false") a.integral = true;
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
      for (ExprId id = 0; id < static_cast<ExprId>(program_.exprs.size()); ++id)
        again |= mark_in(program_[id]);
    }
  }

  bool mark_in(const Expr& e) {
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
    if (e.kind == Kind::compare && could_be_integer(e.children[0]) && could_be_integer(e.children[1])) {
      changed |= demand_integer(e.children[0]);
      changed |= demand_integer(e.children[1]);
    }
    return changed;
  }

  bool demand_integer(ExprId id) {
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

  static bool is_integer_operation(Kind kind) {
    return kind == Kind::negate || kind == Kind::add || kind == Kind::subtract || kind == Kind::multiply ||
           kind == Kind::floor_divide || kind == Kind::modulo;
  }

  bool could_be_integer(ExprId id) const {
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

  static bool is_integer(const ElementType& type) {
    return type.kind == ElementType::Kind::index ||
           (type.kind == ElementType::Kind::fixed && (type.fixed == DType::i32 || type.fixed == DType::i64));
  }

  // -- types

  void type_all() {
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

  void type_body(const Equation& e) {
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

  bool depends_only_on_constants(ExprId id) const {
    const Expr& e = program_[id];
    if (e.symbol.kind == Symbol::Kind::dimension || e.symbol.kind == Symbol::Kind::attribute) return false;
    return e.is_static && std::all_of(e.children.begin(), e.children.end(),
                                      [&](ExprId child) { return depends_only_on_constants(child); });
  }

  static std::string_view in_words(Type type) {
    return type == Type::integer ? "an integer" : type == Type::real ? "a number" : "a condition";
  }

  void demand(ExprId id, Type wanted, std::string_view what) {
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

  void type(ExprId id) {
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

  void type_read(Expr& e) {
    for (const ExprId index : e.children) demand(index, Type::integer, "an integer index");
    if (e.otherwise != kNone) demand(e.otherwise, Type::real, "a number");
    switch (e.symbol.kind) {
      case Symbol::Kind::dimension:
      case Symbol::Kind::variable:
        e.type = Type::integer;
        e.is_static = true;
        return;
      case Symbol::Kind::attribute:
        e.type = program_.attributes[static_cast<std::size_t>(e.symbol.index)].integral ? Type::integer
                                                                                        : Type::real;
        e.is_static = true;
        return;
      case Symbol::Kind::input: {
        const ElementType& type = program_.inputs[static_cast<std::size_t>(e.symbol.index)].type;
        const bool boolean = type.kind == ElementType::Kind::fixed && type.fixed == DType::boolean;
        e.type = boolean ? Type::boolean : is_integer(type) ? Type::integer : Type::real;
        e.is_static = e.type != Type::real;
        if (e.otherwise != kNone && e.is_static) {
          fail(e.at, fmt::format("'else' inside [ ] is for float inputs; guard the read of '{}' with 'if'",
                                 e.text));
        }
        return;
      }
      case Symbol::Kind::definition:
        e.type = Type::real;
        e.is_static = false;
        return;
      default:  // inf, nan, pi
        e.type = Type::real;
        e.is_static = true;
    }
  }

  void type_power(Expr& e) {
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

  void type_call(Expr& e) {
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

  void type_reduction(Expr& e) {
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

  // -- declarations, clauses, what is left over

  void check_declarations() {
    for (const auto* list : {&program_.inputs, &program_.outputs}) {
      for (const Declaration& d : *list) {
        for (const ExprId id : d.shape) size(id, "a dimension");
        if (d.bound != kNone) size(d.bound, "the bound of an index");
        if (d.ignore != kNone) size(d.ignore, "the value to ignore");
      }
    }
    if (program_.depth != kNone) size(program_.depth, "the depth of sums");
    for (const ExprId id : program_.where) condition_of_domain(id);
  }

  void size(ExprId id, std::string_view what) {
    demand(id, Type::integer, fmt::format("an integer as {}", what));
    if (!error_) only_sizes(id, what);
  }

  void condition_of_domain(ExprId id) {
    demand(id, Type::boolean, "a condition over dimensions and attributes");
    if (!error_) only_sizes(id, "a condition of the domain");
  }

  void only_sizes(ExprId id, std::string_view what) {
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

  void check_recursions() {
    for (int form = -1; form < static_cast<int>(program_.forms.size()) && !error_; ++form) {
      const auto active = active_equations(program_, form);
      for (const auto& equations : active) {
        for (const Equation* e : equations) check_defined(e->body, active, form);
      }
      if (error_) return;
      if (auto endless = find_endless_recursion(program_, form)) fail(endless->at, endless->message);
    }
  }

  // A form's own names are unknown outside of it.
  void check_defined(ExprId id, const std::vector<std::vector<const Equation*>>& active, int form) {
    if (id == kNone) return;
    const Expr& e = program_[id];
    if (e.symbol.kind == Symbol::Kind::definition &&
        active[static_cast<std::size_t>(e.symbol.index)].empty()) {
      fail(e.at, fmt::format("'{}' is defined in another form only; {} cannot read it", e.text,
                             form < 0 ? "the contract's own definitions"
                                      : fmt::format("form '{}'",
                                                    program_.forms[static_cast<std::size_t>(form)].name)));
    }
    for (const ExprId child : e.children) check_defined(child, active, form);
    check_defined(e.otherwise, active, form);
    check_defined(e.guard, active, form);
  }

  void check_clauses() {
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

  std::vector<std::string> equation_names() const {
    std::vector<std::string> names;
    for (const Definition& d : program_.definitions) names.push_back(d.name);
    return names;
  }

  void check_roundings(std::vector<Rounding>& roundings) {
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
        return fail(r.at,
                    fmt::format("a second 'round {}'; the first is in {}", r.name, place(first->second)));
    }
  }

  void check_allowance(Allowance& a) {
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

  bool reads(ExprId id, Symbol symbol) const {
    if (id == kNone) return false;
    const Expr& e = program_[id];
    if (e.symbol.kind == symbol.kind && e.symbol.index == symbol.index) return true;
    return std::any_of(e.children.begin(), e.children.end(),
                       [&](ExprId child) { return reads(child, symbol); });
  }

  void check_accuracies() {
    for (std::size_t i = 0; i < program_.accuracies.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (program_.accuracies[i].function == program_.accuracies[j].function) {
          fail(program_.accuracies[i].at,
               fmt::format("a second 'accuracy {}'; the first is in {}",
                           name(program_.accuracies[i].function), place(program_.accuracies[j].at)));
        }
      }
    }
  }

  void check_subnormals() {
    for (std::size_t i = 0; i < program_.subnormals.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Subnormals& a = program_.subnormals[i];
        const Subnormals& b = program_.subnormals[j];
        const bool meet = a.dtypes.empty() || b.dtypes.empty() ||
                          std::any_of(a.dtypes.begin(), a.dtypes.end(), [&](DType d) {
                            return std::find(b.dtypes.begin(), b.dtypes.end(), d) != b.dtypes.end();
                          });
        if (meet) {
          fail(a.at, fmt::format("a second 'subnormals' clause for the same dtype; the first is in {}",
                                 place(b.at)));
        }
      }
    }
  }

  void check_example(const Example& example) {
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

  // A backward contract has the forward's inputs, whether it needs them or not.
  void check_unused() {
    for (const auto& [name, known] : names_) {
      if (used_.count(name) != 0) continue;
      const bool output = known.symbol.kind == Symbol::Kind::definition &&
                          program_.definitions[static_cast<std::size_t>(known.symbol.index)].output >= 0;
      const bool kept = known.symbol.kind == Symbol::Kind::input && !program_.adjoint_of.empty();
      if (output || kept) continue;
      if (known.symbol.kind == Symbol::Kind::definition) {
        fail(known.at, fmt::format("'{}' is defined but never read; use it or drop its equation", name));
      } else {
        fail(known.at, fmt::format("'{}' is {} that nothing reads; use it or drop it", name, known.what));
      }
    }
  }

  void sign() {
    Signature& s = program_.signature;
    s.name = program_.name;
    s.dims = program_.dims;
    for (const AttributeDeclaration& a : program_.attributes) {
      std::optional<double> fallback;
      if (a.fallback != kNone) fallback = Statics(program_, {}, {}).number(a.fallback);
      s.attributes.push_back({a.name, fallback, a.integral});
    }
    for (const Declaration& d : program_.inputs) s.inputs.push_back({d.name, d.shape.size(), d.type});
    for (const Declaration& d : program_.outputs) s.outputs.push_back({d.name, d.shape.size(), d.type});
  }

  Program& program_;
  std::string_view file_;
  std::map<std::string, Known> names_;
  std::set<std::string> used_;
  std::optional<Error> error_;
};

}  // namespace

Expected<void> check(Program& program) {
  return Checker(program, program.file).run();
}

Expected<void> check_conditions(Program& program, const std::vector<ExprId>& conditions,
                                std::string_view file) {
  return Checker(program, file).conditions(conditions);
}

Expected<void> check_adjoint(const Program& backward, const Program& forward) {
  const auto where = [&] {
    return fmt::format("{}:{}:{}", backward.file, backward.adjoint_at.line, backward.adjoint_at.column);
  };
  std::vector<std::string> inputs;
  for (const Declaration& d : backward.inputs) inputs.push_back(d.name);
  const auto has = [&](const std::string& name) {
    return std::find(inputs.begin(), inputs.end(), name) != inputs.end();
  };
  for (const Declaration& d : forward.inputs) {
    if (!has(d.name)) {
      return usage_error("{}: 'adjoint of {}' needs the forward's input '{}'; declare it", where(),
                         forward.name, d.name);
    }
  }
  for (const Declaration& d : forward.outputs) {
    if (!has(fmt::format("d{}", d.name))) {
      return usage_error("{}: 'adjoint of {}' needs an input 'd{}', the gradient of its output '{}'", where(),
                         forward.name, d.name, d.name);
    }
  }
  for (const Declaration& d : backward.outputs) {
    const bool known =
        std::any_of(forward.inputs.begin(), forward.inputs.end(),
                    [&](const Declaration& input) { return fmt::format("d{}", input.name) == d.name; });
    if (!known) {
      return usage_error("{}: the output '{}' of an 'adjoint of {}' is 'd' and the name of a forward input",
                         where(), d.name, forward.name);
    }
  }
  return {};
}

}  // namespace assay::lang
