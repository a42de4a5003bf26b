// Which terms of a sum are sums themselves, so that one accumulator may run through all of them.
//
// A kernel that adds a bias may start its accumulator at the bias, one that multiplies twice may go on adding
// where the first product ended. It can where the sum is made for this very element (it depends on every
// index in scope) and where all else that is added is known before the sum is: s - max(s) is no such chain.

#include <algorithm>

#include "oracle/plan_parts.h"
#include "oracle/recursion.h"

namespace assay::lang {

void Lowering::find_dependencies() {
  active_ = active_equations(program_, form_);
  const std::size_t n = active_.size();
  reach_.assign(n, std::vector<char>(n, 0));
  for (std::size_t d = 0; d < n; ++d) {
    for (const Equation* equation : active_[d]) note_reads(equation->body, reach_[d]);
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!reach_[i][k]) continue;
      for (std::size_t j = 0; j < n; ++j) reach_[i][j] |= reach_[k][j];
    }
  }
}

void Lowering::note_reads(ExprId id, std::vector<char>& definitions) const {
  if (id == kNone) return;
  const Expr& e = program_[id];
  if (e.symbol.kind == Symbol::Kind::definition) definitions[static_cast<std::size_t>(e.symbol.index)] = 1;
  for (const ExprId child : e.children) note_reads(child, definitions);
  note_reads(e.otherwise, definitions);
  note_reads(e.guard, definitions);
}

// Adds the sums that make the value an accumulation: of terms, perhaps negated, scaled or with an addend of
// its own.
void Lowering::own_sums(ExprId id, std::size_t scope, bool may_scale, std::vector<ExprId>& sums) const {
  const Expr& e = program_[id];
  if (e.type != Type::real || constant_of(id)) return;
  switch (e.kind) {
    case Kind::negate:
      return own_sums(e.children[0], scope, may_scale, sums);
    case Kind::add:
    case Kind::subtract:
      own_sums(e.children[0], scope, may_scale, sums);
      return own_sums(e.children[1], scope, may_scale, sums);
    case Kind::multiply: {
      std::vector<ExprId> list;
      factors(id, list);
      std::vector<ExprId> found;
      int accumulations = 0;
      for (const ExprId factor : list) {
        const std::size_t before = found.size();
        own_sums(factor, scope, may_scale, found);
        accumulations += found.size() > before;
      }
      if (may_scale && accumulations == 1) sums.insert(sums.end(), found.begin(), found.end());
      return;
    }
    case Kind::reduction:
      if (e.reduction == Reduction::sum && free_variables(id).size() == scope) sums.push_back(id);
      return;
    case Kind::name:
    case Kind::read: {
      if (e.symbol.kind != Symbol::Kind::definition || e.otherwise != kNone) return;
      const auto d = static_cast<std::size_t>(e.symbol.index);
      if (reach_[d][d] || free_variables(id).size() != scope) return;
      for (const Equation* equation : active_[d]) {
        const auto variables = static_cast<std::size_t>(
            std::count_if(equation->patterns.begin(), equation->patterns.end(),
                          [](const Equation::Pattern& p) { return p.variable >= 0; }));
        own_sums(equation->body, variables, may_scale, sums);
      }
      return;
    }
    default:
      return;
  }
}

std::string Lowering::text_of(ExprId id) const {
  std::map<std::int32_t, int> numbers;
  std::string text;
  canonical(id, numbers, text);
  return text;
}

// The texts of all sums that a value depends on; what a recurrence brings from earlier elements does not
// count.
void Lowering::sums_below(ExprId id, std::vector<char>& seen, std::set<std::string>& texts) const {
  if (id == kNone) return;
  const Expr& e = program_[id];
  if (e.kind == Kind::reduction && e.reduction == Reduction::sum) texts.insert(text_of(id));
  if (e.symbol.kind == Symbol::Kind::definition) {
    const auto d = static_cast<std::size_t>(e.symbol.index);
    const auto own = static_cast<std::size_t>(definition_);
    const bool earlier = reach_[own][d] && reach_[d][own];
    if (!seen[d] && !earlier) {
      seen[d] = 1;
      for (const Equation* equation : active_[d]) sums_below(equation->body, seen, texts);
    }
  }
  for (const ExprId child : e.children) sums_below(child, seen, texts);
  sums_below(e.otherwise, seen, texts);
}

std::uint32_t Lowering::sums_among(const std::vector<std::pair<ExprId, bool>>& list) const {
  std::vector<std::vector<ExprId>> sums(list.size());
  bool any = false;
  for (std::size_t i = 0; i < list.size() && i < 31; ++i) {
    own_sums(list[i].first, build_->scope.size(), true, sums[i]);
    any |= !sums[i].empty();
  }
  if (!any) return 0;
  std::vector<std::set<std::string>> below(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::vector<char> seen(active_.size(), 0);
    sums_below(list[i].first, seen, below[i]);
  }
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto known_before = [&](ExprId sum) {
      const std::string text = text_of(sum);
      for (std::size_t j = 0; j < list.size(); ++j)
        if (j != i && below[j].contains(text)) return false;
      return true;
    };
    if (!sums[i].empty() && std::all_of(sums[i].begin(), sums[i].end(), known_before)) mask |= 1u << i;
  }
  return mask;
}

bool Lowering::is_sum_of_sums(const Expr& e) const {
  if (e.reduction != Reduction::sum) return false;
  std::vector<ExprId> sums;
  own_sums(e.children[0], build_->scope.size(), false, sums);
  return !sums.empty();
}

}  // namespace assay::lang
