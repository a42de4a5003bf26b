#include "oracle/contract.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/text.h"
#include "oracle/adjoint.h"
#include "oracle/checker.h"
#include "oracle/library.h"
#include "oracle/parser.h"
#include "oracle/plan.h"
#include "oracle/printer.h"
#include "oracle/statics.h"
#include "oracle/trial.h"

namespace assay {
namespace {

using lang::Program;

constexpr std::string_view kExtension = ".contract";

const lang::LibraryText* find_library(std::string_view name) {
  for (const lang::LibraryText& entry : lang::library_texts()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// The forward contract of an adjoint: one above it in the same text, or the library's.
Expected<Contract> find_forward(const Program& backward, const std::vector<Contract>& above) {
  for (const Contract& contract : above) {
    if (contract.signature().name == backward.adjoint_of) return contract;
  }
  if (find_library(backward.adjoint_of) == nullptr) {
    std::vector<std::string> names = library_contracts();
    for (const Contract& contract : above) names.push_back(contract.signature().name);
    return usage_error("{}:{}:{}: 'adjoint of {}' names no contract above this one or in the library{}",
                       backward.file, backward.adjoint_at.line, backward.adjoint_at.column,
                       backward.adjoint_of, suggestion(backward.adjoint_of, names));
  }
  if (backward.adjoint_of == backward.name) {
    return usage_error("{}:{}:{}: '{}' is not its own adjoint", backward.file, backward.adjoint_at.line,
                       backward.adjoint_at.column, backward.name);
  }
  return load_contract(backward.adjoint_of);
}

// `contract X = adjoint of Y` becomes the contract that it stands for.
Expected<void> derive(Program& program, const Program& forward) {
  const auto refuse = [&](std::string_view why) {
    return usage_error("{}:{}:{}: no adjoint of '{}' can be derived: {}", program.file,
                       program.adjoint_at.line, program.adjoint_at.column, forward.name, why);
  };
  const auto text = lang::adjoint_text(forward, program.name, program.wrt);
  if (!text) return refuse(text.error().message);
  auto derived = lang::parse(*text, program.file);
  if (!derived) return refuse(derived.error().message);
  derived->front().file = program.file;
  derived->front().source = program.source;
  derived->front().is_derived = true;
  derived->front().adjoint_at = program.adjoint_at;
  if (auto checked = lang::check(derived->front()); !checked) return refuse(checked.error().message);
  program = std::move(derived->front());
  return {};
}

Expected<Contract> last_of(Expected<std::vector<Contract>> contracts) {
  if (!contracts) return tl::unexpected(contracts.error());
  return contracts->back();
}

bool contains_reduction(const Program& program, std::initializer_list<lang::Reduction> kinds) {
  return std::any_of(program.exprs.begin(), program.exprs.end(), [&](const lang::Expr& e) {
    return e.kind == lang::Expr::Kind::reduction &&
           std::find(kinds.begin(), kinds.end(), e.reduction) != kinds.end();
  });
}

std::string instance_text(const Signature& signature, const Instance& instance) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < signature.dims.size(); ++i) {
    parts.push_back(fmt::format("{}={}", signature.dims[i], instance.dims[i]));
  }
  for (std::size_t i = 0; i < signature.attributes.size(); ++i) {
    parts.push_back(fmt::format("{}={}", signature.attributes[i].name, instance.attributes[i]));
  }
  return join(parts, " ");
}

}  // namespace

Contract::Contract(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

const Signature& Contract::signature() const {
  return program_->signature;
}
std::string_view Contract::summary() const {
  return program_->summary;
}
std::string_view Contract::source() const {
  return program_->source;
}

const std::vector<DType>& Contract::dtypes() const {
  static const std::vector<DType> all = {DType::f32, DType::f16, DType::bf16, DType::f64};
  return program_->dtypes.empty() ? all : program_->dtypes;
}

bool Contract::has_reduction() const {
  using lang::Reduction;
  return contains_reduction(*program_, {Reduction::sum, Reduction::prod, Reduction::mean});
}

bool Contract::has_sum() const {
  return contains_reduction(*program_, {lang::Reduction::sum});
}
bool Contract::allows_nondeterminism() const {
  return program_->allows_nondeterminism;
}

bool Contract::is_argument_search() const {
  return contains_reduction(*program_, {lang::Reduction::argmax, lang::Reduction::argmin});
}

std::size_t Contract::alignment() const {
  return static_cast<std::size_t>(program_->alignment);
}

std::optional<std::string> Contract::adjoint_of() const {
  if (program_->adjoint_of.empty()) return std::nullopt;
  return program_->adjoint_of;
}

std::optional<Contract> Contract::forward() const {
  if (!program_->forward) return std::nullopt;
  return Contract(program_->forward);
}

DType Contract::accumulator(DType dtype) const {
  // Sums of i32 are exact, and every product and sum of them is a double.
  if (program_->accumulator == DType::i32) return DType::f64;
  if (program_->states_accumulator) return program_->accumulator.value_or(dtype);
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

Expected<std::vector<Contract>> parse_contracts(std::string_view text, std::string_view file) {
  auto programs = lang::parse(text, file);
  if (!programs) return tl::unexpected(programs.error());
  std::vector<Contract> contracts;
  for (Program& program : *programs) {
    std::optional<Contract> forward;
    if (!program.adjoint_of.empty()) {
      auto found = find_forward(program, contracts);
      if (!found) return tl::unexpected(found.error());
      forward = std::move(*found);
    }
    const auto checked = program.is_derived ? derive(program, forward->program()) : lang::check(program);
    if (!checked) return tl::unexpected(checked.error());
    if (forward && !program.is_derived) {
      const auto adjoint = lang::check_adjoint(program, forward->program());
      if (!adjoint) return tl::unexpected(adjoint.error());
    }
    if (forward) program.forward = std::make_shared<const Program>(forward->program());
    for (int form = -1; form < static_cast<int>(program.forms.size()); ++form) {
      program.plans.push_back(std::make_shared<const lang::Plan>(lang::lower(program, form)));
    }
    contracts.emplace_back(std::make_shared<const Program>(std::move(program)));
  }
  return contracts;
}

Expected<Contract> load_contract(std::string_view name_or_path) {
  if (name_or_path.size() > kExtension.size() && name_or_path.ends_with(kExtension)) {
    std::ifstream file{std::string(name_or_path)};
    if (!file) return usage_error("{}: cannot read this contract file", name_or_path);
    if (std::filesystem::is_directory(name_or_path))
      return usage_error("{}: is a folder; a contract file is needed", name_or_path);
    std::stringstream text;
    text << file.rdbuf();
    auto contract = last_of(parse_contracts(text.str(), name_or_path));
    if (contract)
      if (auto tried = try_out(*contract); !tried) return tl::unexpected(tried.error());
    return contract;
  }
  const lang::LibraryText* entry = find_library(name_or_path);
  if (entry == nullptr) {
    return usage_error("no contract '{}'{}; a contract of your own is a path that ends in .contract",
                       name_or_path, suggestion(name_or_path, library_contracts()));
  }
  return last_of(parse_contracts(entry->text, fmt::format("{}{}", entry->name, kExtension)));
}

std::vector<std::string> library_contracts() {
  std::vector<std::string> names;
  for (const lang::LibraryText& entry : lang::library_texts()) names.emplace_back(entry.name);
  return names;
}

Expected<Shapes> shapes_of(const Contract& contract, const Instance& instance) {
  const Program& program = contract.program();
  const Signature& signature = contract.signature();
  if (instance.dims.size() != signature.dims.size() ||
      instance.attributes.size() != signature.attributes.size()) {
    return usage_error("contract '{}' has {} dimensions and {} attributes, the instance has {} and {}",
                       signature.name, signature.dims.size(), signature.attributes.size(),
                       instance.dims.size(), instance.attributes.size());
  }
  const auto refuse = [&](std::string_view why) {
    return usage_error("{} is not in the domain of '{}': {}", instance_text(signature, instance),
                       signature.name, why);
  };
  const auto& dtypes = contract.dtypes();
  if (std::find(dtypes.begin(), dtypes.end(), instance.dtype) == dtypes.end()) {
    return refuse(fmt::format("it has no dtype {}", name(instance.dtype)));
  }
  for (std::size_t i = 0; i < instance.dims.size(); ++i) {
    if (instance.dims[i] < 0) return refuse(fmt::format("{} is negative", signature.dims[i]));
  }
  for (std::size_t i = 0; i < instance.attributes.size(); ++i) {
    const double value = instance.attributes[i];
    if (signature.attributes[i].integral && !(std::fabs(value) < 9e15 && value == std::trunc(value))) {
      return refuse(fmt::format("{} must be an integer", signature.attributes[i].name));
    }
    if (signature.attributes[i].is_switch && value != 0 && value != 1)
      return refuse(fmt::format("{} must be 0 or 1", signature.attributes[i].name));
  }
  const lang::Statics statics(program, instance, {});
  for (const lang::ExprId condition : program.where) {
    if (!statics.condition(condition))
      return refuse(fmt::format("'where {}' does not hold", to_string(program, condition)));
  }
  Shapes shapes;
  for (const bool output : {false, true}) {
    for (const lang::Declaration& d : output ? program.outputs : program.inputs) {
      TensorSpec spec;
      spec.dtype = d.type.kind == ElementType::Kind::floating ? instance.dtype
                   : d.type.kind == ElementType::Kind::fixed  ? d.type.fixed
                                                              : DType::i64;
      for (const lang::ExprId extent : d.shape) {
        spec.shape.push_back(statics.integer(extent));
        if (spec.shape.back() < 0) {
          return refuse(fmt::format("{} = {} of '{}' is negative", to_string(program, extent),
                                    spec.shape.back(), d.name));
        }
      }
      if (d.type.kind == ElementType::Kind::index) {
        spec.is_index = true;
        spec.bound = statics.integer(d.bound);
        if (d.ignore != lang::kNone) spec.ignore = statics.integer(d.ignore);
      }
      if (d.is_offsets) {
        spec.is_offsets = true;
        spec.bound = statics.integer(d.bound);
      }
      if (d.low != lang::kNone) spec.range.low = statics.number(d.low);
      if (d.high != lang::kNone) spec.range.high = statics.number(d.high);
      if (d.ball != lang::kNone) spec.range.ball = statics.number(d.ball);
      (output ? shapes.outputs : shapes.inputs).push_back(std::move(spec));
    }
  }
  if (statics.failed()) return refuse("a size divides by zero or leaves 64 bits");
  return shapes;
}

bool admits(const Contract& contract, const Instance& instance) {
  return shapes_of(contract, instance).has_value();
}

struct Where::Impl {
  Program program;
  std::vector<lang::ExprId> conditions;
  std::string text;
};

Expected<Where> Where::parse(const Contract& contract, std::string_view text) {
  auto impl = std::make_shared<Impl>();
  impl->text = std::string(trim(text));
  Program& program = impl->program;  // the same names, none of the rest
  program.name = contract.program().name;
  program.dims = contract.program().dims;
  program.dim_positions = contract.program().dim_positions;
  for (lang::AttributeDeclaration attribute : contract.program().attributes) {
    attribute.fallback = lang::kNone;
    program.attributes.push_back(std::move(attribute));
  }
  auto conditions = lang::parse_conditions(program, impl->text, "--where");
  if (!conditions) return tl::unexpected(conditions.error());
  impl->conditions = std::move(*conditions);
  if (auto checked = lang::check_conditions(program, impl->conditions, "--where"); !checked) {
    return tl::unexpected(checked.error());
  }
  Where where;
  where.impl_ = std::move(impl);
  return where;
}

bool Where::holds(const Instance& instance) const {
  if (!impl_) return true;
  const lang::Statics statics(impl_->program, instance, {});
  return std::all_of(impl_->conditions.begin(), impl_->conditions.end(),
                     [&](lang::ExprId id) { return statics.condition(id); }) &&
         !statics.failed();
}

std::string_view Where::text() const {
  return impl_ ? std::string_view(impl_->text) : std::string_view();
}

}  // namespace assay
