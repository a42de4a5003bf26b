#pragma once

// Lowering to code, whose members are spread over plan*.cpp: definitions, numbers, choices and conditions,
// shared subexpressions.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/plan.h"

namespace assay::lang {

class Lowering {
  using Kind = Expr::Kind;
  using Variables = std::vector<std::int32_t>;

 public:
  Lowering(const Program& program, int form) : program_(program), form_(form) {}

  Plan run();

 private:
  static Table table(Table::Kind kind, std::size_t index, std::size_t rank);
  static std::ptrdiff_t constants(const Equation& e);

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
  Instruction& emit(Op op, std::int32_t target = 0);
  std::int32_t here() const { return static_cast<std::int32_t>(build_->code.instructions.size()); }
  Instruction& at(std::int32_t place) { return build_->code.instructions[static_cast<std::size_t>(place)]; }
  std::int32_t new_register() { return build_->registers++; }
  std::int32_t new_reference() { return build_->references++; }
  std::int32_t new_truth() { return build_->truths++; }

  Code finish(Build& build, Operand result);
  Code define(const Equation& e, std::int32_t table_number);

  // Those of the contract, unless the form has an equation of its own for the name; then the form's.
  std::vector<std::uint8_t> roundings(Symbol symbol) const;

  Operand allow(std::size_t number, const Equation& e, std::int32_t table_number, Operand result);

  // -- numbers

  // `into`: the register that must hold the value, or -1 for wherever it comes to lie.
  Operand value(ExprId id, std::int32_t into);

  Operand place(Operand from, std::int32_t into);
  std::int32_t target(std::int32_t into) { return into < 0 ? new_register() : into; }

  Operand computed(ExprId id, std::int32_t into);

  // Literals, their negation and the quotient of two integers; pi, inf, nan.
  std::optional<Constant> constant_of(ExprId id) const;

  Operand literal(Literal l);
  static bool same(const Constant& a, const Constant& b);
  Operand reference_to_literal(std::size_t number);
  Operand attribute(Symbol symbol);
  Operand integer(ExprId id, std::int32_t into);
  Operand read(const Expr& e);
  void emit_access(Access access, std::int32_t reference);
  void alias(std::int32_t reference, Operand operand);

  // Terms of a chain of + and -, whatever its parentheses: they promise no order.
  void terms(ExprId id, bool negative, std::vector<std::pair<ExprId, bool>>& list) const;

  Operand sum_of_terms(ExprId id, std::int32_t into);
  std::int32_t block(std::size_t n);
  Operand over_block(Op op, std::uint8_t detail, std::int32_t first, std::size_t n, std::int32_t into);
  void factors(ExprId id, std::vector<ExprId>& list) const;
  Operand product_of_factors(ExprId id, std::int32_t into);
  Operand quotient(const Expr& e, std::int32_t into);
  Operand call(const Expr& e, std::int32_t into);
  static Extreme extreme(std::string_view word);

  // Only branches that are possible are evaluated.
  Operand conditional(const Expr& e) { return branches(e.children[1], e.children[0], e.children[2]); }

  Operand branches(ExprId condition, ExprId yes, ExprId no);
  Operand branches(std::int32_t t, std::vector<Operand> compared, const std::function<Operand()>& yes,
                   const std::function<Operand()>& no);

  // A condition as a number: 1 or 0.
  Operand choose(ExprId condition);

  Operand reduction(ExprId id, std::int32_t into);
  std::int32_t begin_reduction(Op op, ExprId id);
  void end_reduction(std::int32_t place_of_reduce, const Expr& e, std::int32_t term);

  // -- conditions

  std::int32_t truth(ExprId id, std::vector<Operand>* compared);
  std::int32_t truth(ExprId id);
  std::int32_t test(Op op, std::uint8_t detail, Operand a, Operand b);

  // -- shared subexpressions

  void free_variables(ExprId id, Variables& bound, Variables& free) const;
  Variables free_variables(ExprId id) const;

  // Worth a table of its own: an operation that does not depend on every index in scope.
  bool is_shared(ExprId id) const;

  bool is_operation(ExprId id) const;

  // Adds the expression with its variables numbered in order of appearance: equal texts are equal functions.
  void canonical(ExprId id, std::map<std::int32_t, int>& numbers, std::string& text) const;

  // Of equal functions over equal ranges, and of them only.
  std::string key_of(ExprId id, const Variables& free) const;

  // Functions and reductions that stand in several places are worth a table even if they depend on every
  // index.
  void count_repeated(ExprId id);

  bool is_repeated(ExprId id, const Variables& free) const;

  // Equal expressions over indices of different ranges stay apart.
  std::string range_of(std::int32_t v) const;

  Operand element_of_shared(ExprId id);

  // The index in scope that makes a sum or product a scan, or -1.
  std::int32_t scanned(ExprId id, const Variables& scope) const;

  // -- sums of sums (oracle/plan_sums.cpp)

  void find_dependencies();
  void note_reads(ExprId id, std::vector<char>& definitions) const;
  void own_sums(ExprId id, std::size_t scope, bool may_scale, std::vector<ExprId>& sums) const;
  std::string text_of(ExprId id) const;
  void sums_below(ExprId id, std::vector<char>& seen, std::set<std::string>& texts) const;

  // By term of a chain: a bit where it is a sum that an accumulator may run through with the other terms.
  std::uint32_t sums_among(const std::vector<std::pair<ExprId, bool>>& list) const;
  // The reduction adds up plain sums.
  bool is_sum_of_sums(const Expr& e) const;

  // -- which tables depend on themselves

  void find_components();

  const Program& program_;
  int form_;
  Plan plan_;
  Build* build_ = nullptr;
  std::map<std::string, std::int32_t> shared_;
  std::map<std::string, int> occurrences_;
  bool has_repeated_ = false;
  std::vector<std::vector<const Equation*>> active_;  // equations, by definition
  std::vector<std::vector<char>> reach_;              // which definitions a definition needs
  std::int32_t definition_ = 0;                       // that is being lowered
};

}  // namespace assay::lang
