#include <algorithm>

#include <fmt/format.h>

#include "oracle/plan_parts.h"
#include "oracle/words.h"

namespace assay::lang {

void Lowering::free_variables(ExprId id, Variables& bound, Variables& free) const {
  if (id == kNone) return;
  const Expr& e = program_[id];
  if (e.symbol.kind == Symbol::Kind::variable) {
    const auto has = [&](const Variables& v) {
      return std::find(v.begin(), v.end(), e.symbol.index) != v.end();
    };
    if (!has(bound) && !has(free)) free.push_back(e.symbol.index);
  }
  const std::size_t outer = bound.size();
  for (const Binder& binder : e.binders) {
    if (!binder.inferred) {
      free_variables(binder.lower, bound, free);
      free_variables(binder.upper, bound, free);
    }
    bound.push_back(binder.variable);
  }
  for (const ExprId child : e.children) free_variables(child, bound, free);
  free_variables(e.otherwise, bound, free);
  free_variables(e.guard, bound, free);
  bound.resize(outer);
}

Lowering::Variables Lowering::free_variables(ExprId id) const {
  Variables bound;
  Variables free;
  free_variables(id, bound, free);
  return free;
}

bool Lowering::is_shared(ExprId id) const {
  const Expr& e = program_[id];
  if (e.kind == Kind::name && (e.type != Type::integer || e.symbol.kind == Symbol::Kind::variable))
    return false;
  if (e.kind == Kind::number || e.kind == Kind::read || constant_of(id)) return false;
  if (e.kind == Kind::negate && !is_operation(e.children[0])) return false;
  const Variables free = free_variables(id);
  return free.size() < build_->scope.size() ||
         (id != build_->root && (is_repeated(id, free) || scanned(id, free) >= 0));
}

std::int32_t Lowering::scanned(ExprId id, const Variables& scope) const {
  const Expr& e = program_[id];
  const bool is_fold = e.reduction == Reduction::sum || e.reduction == Reduction::prod;
  if (e.kind != Kind::reduction || e.type != Type::real || !is_fold || e.binders.size() != 1 ||
      e.guard != kNone || e.binders.front().inferred)
    return -1;
  const auto has = [](const Variables& list, std::int32_t v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  };
  Variables bounds;
  Variables none;
  free_variables(e.binders.front().lower, none, bounds);
  free_variables(e.binders.front().upper, none, bounds);
  const Variables term = free_variables(e.children[0]);
  std::int32_t found = -1;
  for (const std::int32_t v : scope) {
    if (!has(bounds, v) || has(term, v)) continue;
    if (found >= 0) return -1;
    found = v;
  }
  return found;
}

bool Lowering::is_operation(ExprId id) const {
  const Kind kind = program_[id].kind;
  return kind != Kind::name && kind != Kind::number && kind != Kind::read;
}

void Lowering::canonical(ExprId id, std::map<std::int32_t, int>& numbers, std::string& text) const {
  if (id == kNone) {
    text += '-';
    return;
  }
  const Expr& e = program_[id];
  text += fmt::format("({}", static_cast<int>(e.kind));
  if (e.kind == Kind::compare) text += name(e.comparison);
  if (e.kind == Kind::reduction) text += name(e.reduction);
  if (e.symbol.kind == Symbol::Kind::variable) {
    const auto [number, fresh] = numbers.try_emplace(e.symbol.index, static_cast<int>(numbers.size()));
    text += fmt::format("${}", number->second);
  } else {
    text += e.text;
  }
  for (const Binder& binder : e.binders) {
    text += ';';
    canonical(binder.lower, numbers, text);
    text += binder.closed ? "<=" : "<";
    canonical(binder.upper, numbers, text);
    numbers.try_emplace(binder.variable, static_cast<int>(numbers.size()));
  }
  for (const ExprId child : e.children) canonical(child, numbers, text);
  if (e.otherwise != kNone) {
    text += '|';
    canonical(e.otherwise, numbers, text);
  }
  if (e.guard != kNone) {
    text += '?';
    canonical(e.guard, numbers, text);
  }
  text += ')';
}

std::string Lowering::key_of(ExprId id, const Variables& free) const {
  std::map<std::int32_t, int> numbers;
  std::string key;
  canonical(id, numbers, key);
  for (const std::int32_t v : free) key += fmt::format("|{}", range_of(v));
  return key;
}

void Lowering::count_repeated(ExprId id) {
  if (id == kNone) return;
  const Expr& e = program_[id];
  if ((e.kind == Kind::call || e.kind == Kind::reduction) && e.type == Type::real) {
    const int count = ++occurrences_[key_of(id, free_variables(id))];
    if (count > 1) has_repeated_ = true;
  }
  for (const ExprId child : e.children) count_repeated(child);
  count_repeated(e.otherwise);
}

bool Lowering::is_repeated(ExprId id, const Variables& free) const {
  const Kind kind = program_[id].kind;
  if (!has_repeated_ || (kind != Kind::call && kind != Kind::reduction)) return false;
  const auto found = occurrences_.find(key_of(id, free));
  return found != occurrences_.end() && found->second > 1;
}

std::string Lowering::range_of(std::int32_t v) const {
  const Variable& variable = program_.variables[static_cast<std::size_t>(v)];
  if (variable.upper == kNone || !free_variables(variable.upper).empty() ||
      (variable.lower != kNone && !free_variables(variable.lower).empty())) {
    return fmt::format("#{}", v);
  }
  std::map<std::int32_t, int> none;
  std::string text;
  canonical(variable.lower, none, text);
  text += variable.closed ? "<=" : "<";
  canonical(variable.upper, none, text);
  return text;
}

Operand Lowering::element_of_shared(ExprId id) {
  const Variables free = free_variables(id);
  std::string key = key_of(id, free);
  const auto [known, fresh] =
      shared_.try_emplace(std::move(key), static_cast<std::int32_t>(plan_.tables.size()));
  const std::int32_t number = known->second;
  if (fresh) {
    Table t = table(Table::Kind::shared, 0, free.size());
    t.variables = free;
    if (const std::int32_t v = scanned(id, free); v >= 0) {
      t.scan = static_cast<std::int32_t>(std::find(free.begin(), free.end(), v) - free.begin());
      const Variables upper = free_variables(program_[id].binders.front().upper);
      t.falls = std::find(upper.begin(), upper.end(), v) == upper.end();
    }
    plan_.tables.push_back(std::move(t));
    Build build;
    build.scope = free;
    build.root = id;
    Build* outer = std::exchange(build_, &build);
    const Operand result = computed(id, -1);
    Code code = finish(build, result);
    build_ = outer;
    plan_.tables[static_cast<std::size_t>(number)].cases.push_back({{}, std::move(code)});
  }
  Access access;
  access.table = number;
  access.at = program_[id].at;
  for (const std::int32_t v : free) access.indices.push_back({kNone, v});
  const std::int32_t reference = new_reference();
  emit_access(std::move(access), reference);
  return ~reference;
}

void Lowering::find_components() {
  const std::size_t n = plan_.tables.size();
  std::vector<std::vector<char>> reach(n, std::vector<char>(n, 0));
  for (std::size_t t = 0; t < n; ++t) {
    for (const Table::Case& c : plan_.tables[t].cases) {
      for (const Instruction& i : c.code.instructions) {
        if (i.op != Op::element) continue;
        reach[t][static_cast<std::size_t>(plan_.accesses[static_cast<std::size_t>(i.operand)].table)] = 1;
      }
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!reach[i][k]) continue;
      for (std::size_t j = 0; j < n; ++j) reach[i][j] |= reach[k][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    Table& t = plan_.tables[i];
    t.recursive = reach[i][i] != 0;
    t.component = static_cast<std::int32_t>(i);
    for (std::size_t j = 0; j < i; ++j) {
      if (reach[i][j] && reach[j][i]) t.component = std::min(t.component, static_cast<std::int32_t>(j));
    }
  }
}

}  // namespace assay::lang
