#include "oracle/recursion.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "oracle/plan.h"
#include "oracle/printer.h"

namespace assay::lang {
namespace {

using Kind = Expr::Kind;

// A read of one definition in the body of another's equation.
struct Use {
  std::size_t reader;
  std::size_t target;
  const Equation* equation;
  ExprId read;
};

void collect(const Program& program, ExprId id, std::size_t reader, const Equation& equation,
             std::vector<Use>& uses) {
  if (id == kNone) return;
  const Expr& e = program[id];
  if (e.symbol.kind == Symbol::Kind::definition) {
    uses.push_back({reader, static_cast<std::size_t>(e.symbol.index), &equation, id});
  }
  for (const ExprId child : e.children) collect(program, child, reader, equation, uses);
  collect(program, e.otherwise, reader, equation, uses);
  collect(program, e.guard, reader, equation, uses);
  for (const Binder& binder : e.binders) {
    collect(program, binder.lower, reader, equation, uses);
    collect(program, binder.upper, reader, equation, uses);
  }
}

bool is_variable(const Program& program, ExprId id, std::int32_t variable) {
  return id != kNone && program[id].symbol.kind == Symbol::Kind::variable &&
         program[id].symbol.index == variable;
}

std::optional<std::int64_t> integer_constant(const Program& program, ExprId id) {
  const Expr& e = program[id];
  if (e.kind == Kind::number && e.integral) return e.constant.numerator;
  if (e.kind == Kind::negate) {
    if (const auto inner = integer_constant(program, e.children[0])) return -*inner;
  }
  return std::nullopt;
}

// How much larger the read's index is than the reader's own, or nothing where that is no constant.
std::optional<std::int64_t> shift(const Program& program, const Equation::Pattern& own, ExprId index) {
  if (own.name.empty()) {
    const auto constant = integer_constant(program, index);
    return constant ? std::optional(*constant - own.constant) : std::nullopt;
  }
  if (is_variable(program, index, own.variable)) return 0;
  const Expr& e = program[index];
  if (e.symbol.kind == Symbol::Kind::variable) {  // bound below the reader's index: for j < i
    const Variable& variable = program.variables[static_cast<std::size_t>(e.symbol.index)];
    if (!variable.closed && is_variable(program, variable.upper, own.variable)) return -1;
  }
  if (e.kind == Kind::subtract || e.kind == Kind::add) {
    const auto constant = integer_constant(program, e.children[1]);
    if (constant && is_variable(program, e.children[0], own.variable)) {
      return e.kind == Kind::add ? *constant : -*constant;
    }
  }
  return std::nullopt;
}

class Search {
 public:
  Search(const Program& program, int form) : program_(program), count_(program.definitions.size()) {
    const auto equations = active_equations(program, form);
    for (std::size_t d = 0; d < count_; ++d) {
      for (const Equation* equation : equations[d]) collect(program, equation->body, d, *equation, uses_);
    }
    reach_.assign(count_, std::vector<char>(count_, 0));
    for (const Use& use : uses_) reach_[use.reader][use.target] = 1;
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t i = 0; i < count_; ++i) {
        for (std::size_t j = 0; j < count_; ++j) reach_[i][j] |= reach_[i][k] & reach_[k][j];
      }
    }
  }

  std::optional<Problem> run() {
    std::vector<char> done(count_, 0);
    for (std::size_t d = 0; d < count_; ++d) {
      if (done[d] || !reach_[d][d]) continue;
      std::vector<std::size_t> group;
      for (std::size_t other = 0; other < count_; ++other) {
        if (reach_[d][other] && reach_[other][d]) {
          group.push_back(other);
          done[other] = 1;
        }
      }
      if (!descends(group)) return problem(group);
    }
    return std::nullopt;
  }

 private:
  // Tries every choice of one index place a definition, the same place for all first.
  bool descends(const std::vector<std::size_t>& group) {
    std::size_t deepest = 0;
    for (const std::size_t d : group) deepest = std::max(deepest, program_.definitions[d].rank);
    for (std::size_t place = 0; place < deepest; ++place) {
      for (const int direction : {1, -1}) {
        if (descends(group, std::vector<std::size_t>(group.size(), place), direction)) return true;
      }
    }
    std::vector<std::size_t> places(group.size(), 0);
    for (int tries = 0; tries < 4096; ++tries) {
      if (descends(group, places, 1) || descends(group, places, -1)) return true;
      std::size_t k = 0;
      while (k < group.size() && ++places[k] >= program_.definitions[group[k]].rank) places[k++] = 0;
      if (k == group.size()) break;
    }
    return false;
  }

  // direction: 1 towards smaller indices, -1 towards larger ones.
  bool descends(const std::vector<std::size_t>& group, const std::vector<std::size_t>& places,
                int direction) {
    std::vector<std::vector<char>> level(count_, std::vector<char>(count_, 0));  // reads at the same index
    const auto place_of = [&](std::size_t d) -> std::optional<std::size_t> {
      const auto found = std::find(group.begin(), group.end(), d);
      if (found == group.end()) return std::nullopt;
      return places[static_cast<std::size_t>(found - group.begin())];
    };
    for (const Use& use : uses_) {
      const auto own = place_of(use.reader);
      const auto other = place_of(use.target);
      if (!own || !other) continue;
      const Expr& read = program_[use.read];
      if (*own >= use.equation->patterns.size() || *other >= read.children.size()) return false;
      const auto step = shift(program_, use.equation->patterns[*own], read.children[*other]);
      if (!step || *step * direction > 0) return false;
      if (*step == 0) level[use.reader][use.target] = 1;
    }
    for (const std::size_t k : group) {
      for (const std::size_t i : group) {
        for (const std::size_t j : group) level[i][j] |= level[i][k] & level[k][j];
      }
    }
    return std::none_of(group.begin(), group.end(), [&](std::size_t d) { return level[d][d] != 0; });
  }

  Problem problem(const std::vector<std::size_t>& group) const {
    for (const Use& use : uses_) {
      if (use.reader != group.front() || !reach_[use.target][use.reader]) continue;
      return {program_[use.read].at,
              fmt::format("the recursion of '{}' does not descend: {} depends on '{}' again; one index of "
                          "every such read "
                          "must be smaller, or in all of them larger, by a constant, as in {}[i-1], with a "
                          "base case such as {}[-1] = 0",
                          program_.definitions[group.front()].name, to_string(program_, use.read),
                          program_.definitions[group.front()].name, program_.definitions[group.front()].name,
                          program_.definitions[group.front()].name)};
    }
    assert(false && "a group has a use");
    return {};
  }

  const Program& program_;
  std::size_t count_;
  std::vector<Use> uses_;
  std::vector<std::vector<char>> reach_;
};

}  // namespace

std::vector<std::vector<const Equation*>> active_equations(const Program& program, int form) {
  std::vector<std::vector<const Equation*>> active(program.definitions.size());
  if (form >= 0) {
    for (const Equation& e : program.forms[static_cast<std::size_t>(form)].equations) {
      active[static_cast<std::size_t>(e.definition)].push_back(&e);
    }
  }
  std::vector<char> replaced(active.size(), 0);
  for (std::size_t d = 0; d < active.size(); ++d) replaced[d] = active[d].empty() ? 0 : 1;
  for (const Equation& e : program.equations) {
    if (!replaced[static_cast<std::size_t>(e.definition)]) {
      active[static_cast<std::size_t>(e.definition)].push_back(&e);
    }
  }
  return active;
}

std::optional<Problem> find_endless_recursion(const Program& program, int form) {
  return Search(program, form).run();
}

bool is_recursive(const Program& program) {
  return std::any_of(program.plans.begin(), program.plans.end(), [](const auto& plan) {
    return std::any_of(plan->tables.begin(), plan->tables.end(),
                       [](const Table& table) { return table.recursive; });
  });
}

}  // namespace assay::lang
