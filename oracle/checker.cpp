#include "oracle/checker.h"

#include <algorithm>

#include "oracle/checker_parts.h"
#include "oracle/ranges.h"

namespace assay::lang {

Expected<void> Checker::run() {
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

Expected<void> Checker::conditions(const std::vector<ExprId>& list) {
  declare();
  for (const ExprId id : list) {
    resolve(id, {});
    if (!error_) condition_of_domain(id);
  }
  if (error_) return tl::unexpected(*error_);
  return {};
}

void Checker::fail(Position at, std::string message) {
  if (!error_) {
    error_ = Error{ErrorKind::usage, fmt::format("{}:{}:{}: {}", file_, at.line, at.column, message)};
  }
}

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
    if (!has(fmt::format("d{}", d.name)) && !has(fmt::format("d_{}", d.name))) {
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
