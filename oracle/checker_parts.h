#pragma once

// The checker, whose members are spread over checker*.cpp: names and scopes, types, clauses.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "oracle/checker.h"
#include "oracle/recursion.h"

namespace assay::lang {

class Checker {
  using Kind = Expr::Kind;
  using Patterns = std::vector<Equation::Pattern>;

  static std::string place(Position at) { return fmt::format("line {}", at.line); }

 public:
  Checker(Program& program, std::string_view file) : program_(program), file_(file) {}

  Expected<void> run();
  Expected<void> conditions(const std::vector<ExprId>& list);

 private:
  struct Known {
    Symbol symbol;
    Position at;
    std::string_view what;
  };
  void fail(Position at, std::string message);

  // -- names

  void declare(const std::string& name, Position at, Symbol::Kind kind, std::size_t index,
               std::string_view what);
  void declare();

  // Definitions: the outputs first, then the other names that equations define.
  void define();

  static std::string left_side(const Declaration& output);
  void define(std::vector<Equation>& equations, const Form* form);
  static bool same_case(const Patterns& a, const Patterns& b);
  std::int32_t new_variable(const std::string& name, Position at);
  void bind(Patterns& patterns);

  using Scope = std::vector<std::int32_t>;  // variables, the innermost last

  Scope scope_of(const Patterns& patterns);
  void shadow(const std::string& name, Position at, const Scope& scope);
  void resolve_all();
  void resolve(Declaration& d);

  // The places of a name, by reads[id]: patterns of a scope are few, so that a linear search does.
  void resolve(ExprId id, Scope scope);

  void resolve_name(Expr& e, const Scope& scope);
  void unknown(const Expr& e, const Scope& scope);
  std::size_t rank_of(Symbol symbol) const;

  // -- integral attributes: those in indices, dimensions, // and %, and beside them in + - and comparisons

  void mark_integral_attributes();
  bool mark_in(const Expr& e);
  bool demand_integer(ExprId id);
  static bool is_integer_operation(Kind kind);
  bool could_be_integer(ExprId id) const;
  bool mentions_place(ExprId id) const;
  static bool is_integer(const ElementType& type);

  // -- types

  void type_all();
  bool is_of_integers(std::size_t definition);
  void type_body(const Equation& e);
  bool depends_only_on_constants(ExprId id) const;
  static std::string_view in_words(Type type);
  void demand(ExprId id, Type wanted, std::string_view what);
  void type(ExprId id);
  void type_read(Expr& e);
  void type_power(Expr& e);
  void type_call(Expr& e);
  void type_reduction(Expr& e);

  // -- declarations, clauses, what is left over

  void check_declarations();
  void check_values(const Declaration& d, bool is_input);
  void size(ExprId id, std::string_view what);
  void condition_of_domain(ExprId id);
  void only_sizes(ExprId id, std::string_view what);
  void check_recursions();

  // A form's own names are unknown outside of it.
  void check_defined(ExprId id, const std::vector<std::vector<const Equation*>>& active, int form);

  void check_clauses();
  std::vector<std::string> equation_names() const;
  void check_roundings(std::vector<Rounding>& roundings);
  void check_allowance(Allowance& a);
  bool reads(ExprId id, Symbol symbol) const;
  void check_accuracies();
  void check_subnormals();
  void check_example(const Example& example);

  // A backward contract has the forward's inputs, whether it needs them or not.
  void check_unused();

  void sign();

  Program& program_;
  std::string_view file_;
  std::map<std::string, Known> names_;
  std::set<std::string> used_;
  enum class Integers : std::uint8_t { unknown, asked, no, yes };
  std::vector<Integers> integers_;  // by definition
  std::optional<Error> error_;
};

}  // namespace assay::lang
