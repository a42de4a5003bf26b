#include "oracle/ranges.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/text.h"
#include "oracle/printer.h"

namespace assay::lang {
namespace {

// A dimension, and a read that shows it.
struct Evidence {
  ExprId extent;
  ExprId read;
};

class Ranges {
 public:
  explicit Ranges(Program& program) : program_(program) {}

  std::optional<Problem> run() {
    for (const auto* equations : all_equations()) {
      for (const Equation& e : *equations) {
        for (std::size_t i = 0; i < e.patterns.size(); ++i) {
          if (e.patterns[i].variable < 0) continue;
          const ExprId upper = of_index(e, i);
          program_.variables[static_cast<std::size_t>(e.patterns[i].variable)].upper = upper;
        }
      }
    }
    for (std::size_t id = 0; id < program_.exprs.size() && !problem_; ++id) infer_binders(program_.exprs[id]);
    return problem_;
  }

 private:
  std::vector<const std::vector<Equation>*> all_equations() const {
    std::vector<const std::vector<Equation>*> all = {&program_.equations};
    for (const Form& form : program_.forms) all.push_back(&form.equations);
    return all;
  }

  // Of an output its declared dimension, else what its own body shows, if that is one dimension.
  ExprId of_index(const Equation& e, std::size_t place) {
    const Definition& d = program_.definitions[static_cast<std::size_t>(e.definition)];
    if (d.output >= 0) return program_.outputs[static_cast<std::size_t>(d.output)].shape[place];
    std::vector<Evidence> evidence;
    bare_uses(e.body, e.patterns[place].variable, false, evidence);
    return evidence.size() == 1 ? evidence[0].extent : kNone;
  }

  ExprId of_definition(std::int32_t definition, std::size_t place) {
    const auto key = std::pair(definition, place);
    const auto [known, fresh] = known_.try_emplace(key, kNone);
    if (!fresh) return known->second;  // kNone while in progress: a recursion says nothing of itself
    ExprId found = kNone;
    for (const auto* equations : all_equations()) {
      for (const Equation& e : *equations) {
        if (e.definition == definition && e.patterns[place].variable >= 0 && found == kNone)
          found = of_index(e, place);
      }
    }
    return known_[key] = found;
  }

  // Adds every dimension, each once, that `variable` alone indexes in the expression.
  // A read with `else` may go beyond its dimension: it says something of a binder only.
  void bare_uses(ExprId id, std::int32_t variable, bool binder, std::vector<Evidence>& evidence) {
    if (id == kNone) return;
    const Expr& e = program_[id];
    for (std::size_t i = 0; i < e.children.size(); ++i) {
      const Expr& child = program_[e.children[i]];
      if (e.kind == Expr::Kind::read && (binder || e.otherwise == kNone) &&
          child.symbol.kind == Symbol::Kind::variable && child.symbol.index == variable) {
        add(extent(e.symbol, i), id, evidence);
      }
      bare_uses(e.children[i], variable, binder, evidence);
    }
    bare_uses(e.otherwise, variable, binder, evidence);
    bare_uses(e.guard, variable, binder, evidence);
  }

  ExprId extent(Symbol symbol, std::size_t place) {
    const auto i = static_cast<std::size_t>(symbol.index);
    if (symbol.kind == Symbol::Kind::input) return program_.inputs[i].shape[place];
    const std::int32_t output = program_.definitions[i].output;
    return output >= 0 ? program_.outputs[static_cast<std::size_t>(output)].shape[place]
                       : of_definition(symbol.index, place);
  }

  void add(ExprId extent, ExprId read, std::vector<Evidence>& evidence) {
    if (extent == kNone) return;
    const std::string text = to_string(program_, extent);
    for (const Evidence& known : evidence) {
      if (to_string(program_, known.extent) == text) return;
    }
    evidence.push_back({extent, read});
  }

  void infer_binders(Expr& e) {
    for (Binder& binder : e.binders) {
      if (!binder.inferred || problem_) continue;
      std::vector<Evidence> evidence;
      for (const ExprId child : e.children) bare_uses(child, binder.variable, true, evidence);
      bare_uses(e.guard, binder.variable, true, evidence);
      if (evidence.empty()) {
        problem_ = Problem{
            binder.at,
            fmt::format("cannot tell the range of '{}': it indexes no tensor alone; write 'for {} < N'",
                        binder.name, binder.name)};
      } else if (evidence.size() > 1) {
        problem_ = Problem{
            binder.at,
            fmt::format("cannot tell the range of '{}': {} says {}, {} says {}; write 'for {} < N'",
                        binder.name, to_string(program_, evidence[0].read),
                        to_string(program_, evidence[0].extent), to_string(program_, evidence[1].read),
                        to_string(program_, evidence[1].extent), binder.name)};
      } else {
        binder.upper = evidence[0].extent;
        program_.variables[static_cast<std::size_t>(binder.variable)].upper = binder.upper;
      }
    }
  }

  Program& program_;
  std::map<std::pair<std::int32_t, std::size_t>, ExprId> known_;
  std::optional<Problem> problem_;
};

}  // namespace

std::optional<Problem> infer_ranges(Program& program) {
  return Ranges(program).run();
}

}  // namespace assay::lang
