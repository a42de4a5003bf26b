#include "oracle/explanation.h"

#include <algorithm>
#include <set>

#include "core/text.h"
#include "oracle/arithmetic.h"
#include "oracle/printer.h"
#include "oracle/program.h"
#include "oracle/words.h"

namespace assay {
namespace {

using lang::Expr;
using lang::ExprId;
using lang::Program;
using Kind = Expr::Kind;
using Lines = std::vector<std::string>;

std::string values_of(const Program& p, const lang::Declaration& d) {
  if (d.low != lang::kNone) return fmt::format(" from {} to {}", to_string(p, d.low), to_string(p, d.high));
  if (d.ball != lang::kNone) return fmt::format(", the norm of a row at most {}", to_string(p, d.ball));
  return {};
}

std::string type_of(const Program& p, const lang::Declaration& d) {
  if (d.is_offsets) return fmt::format("i32 offsets, ascending from 0 to {} at most", to_string(p, d.bound));
  if (d.type.kind == ElementType::Kind::index)
    return fmt::format(
        "indices from 0 to {} - 1{}", to_string(p, d.bound),
        d.ignore == lang::kNone ? "" : fmt::format(", or {}, which is ignored", to_string(p, d.ignore)));
  if (d.type.kind == ElementType::Kind::fixed)
    return d.type.fixed == DType::boolean ? "truth values" : std::string(name(d.type.fixed));
  return "floats of the dtype";
}

Lines signature(const Program& p) {
  Lines lines;
  for (const bool output : {false, true}) {
    for (const lang::Declaration& d : output ? p.outputs : p.inputs) {
      Lines extents;
      for (const ExprId e : d.shape) extents.push_back(to_string(p, e));
      lines.push_back(fmt::format("{} {}{}: {}{}", output ? "output" : "input ", d.name,
                                  extents.empty() ? "" : fmt::format("[{}]", join(extents, ", ")),
                                  type_of(p, d), values_of(p, d)));
    }
  }
  for (const lang::AttributeDeclaration& a : p.attributes)
    lines.push_back(fmt::format("attribute {}: {}, {}", a.name,
                                a.is_switch  ? "0 or 1"
                                : a.integral ? "an integer"
                                             : "a number",
                                a.fallback == lang::kNone
                                    ? "to be stated"
                                    : fmt::format("{} unless stated", to_string(p, a.fallback))));
  return lines;
}

Lines domain(const Contract& contract) {
  const Program& p = contract.program();
  Lines lines;
  for (const ExprId id : p.where) lines.push_back(to_string(p, id));
  const Signature& s = contract.signature();
  Instance instance{contract.dtypes().front(), Dims(s.dims.size(), 1), {}};
  for (const Attribute& a : s.attributes) instance.attributes.push_back(a.fallback.value_or(1));
  Lines empty;
  for (std::size_t d = 0; d < s.dims.size(); ++d) {
    Instance without = instance;
    without.dims[d] = 0;
    if (admits(contract, without)) empty.push_back(s.dims[d]);
  }
  if (!empty.empty()) lines.push_back(fmt::format("{} may be 0", join(empty, ", ")));
  Lines dtypes;
  for (const DType d : contract.dtypes()) dtypes.emplace_back(name(d));
  lines.push_back(fmt::format("dtypes {}", join(dtypes, ", ")));
  return lines;
}

std::string left(const lang::Equation& e) {
  Lines parts;
  for (const auto& pattern : e.patterns)
    parts.push_back(pattern.name.empty() ? fmt::format("{}", pattern.constant) : pattern.name);
  return parts.empty() ? e.name : fmt::format("{}[{}]", e.name, join(parts, ", "));
}

Lines equations(const Program& p, const std::vector<lang::Equation>& list) {
  std::size_t width = 0;
  for (const lang::Equation& e : list) width = std::max(width, left(e).size());
  Lines lines;
  for (const lang::Equation& e : list)
    lines.push_back(fmt::format("{:<{}} = {}", left(e), width, to_string(p, e.body)));
  return lines;
}

std::string where_of(bool cpu) {
  return cpu ? " (only PyTorch's CPU needs this)" : "";
}

std::string storage(const std::optional<DType>& dtype) {
  return dtype ? std::string(name(*dtype)) : "the dtype";
}

std::string roundings(const std::vector<lang::Rounding>& list) {
  Lines parts;
  for (const lang::Rounding& r : list) parts.push_back(fmt::format("{} in {}", r.name, storage(r.dtype)));
  return join(parts, ", ");
}

std::string classes(const Classes& c) {
  Lines parts;
  if (c.nan) parts.emplace_back("NaN");
  if (c.pos_inf) parts.emplace_back("+Inf");
  if (c.neg_inf) parts.emplace_back("-Inf");
  if (c.pos_zero) parts.emplace_back("+0");
  if (c.neg_zero) parts.emplace_back("-0");
  return join(parts, " or ");
}

std::set<Function> functions_of(const Program& p) {
  std::set<Function> found;
  for (const Expr& e : p.exprs)
    if (e.kind == Kind::call && e.type == lang::Type::real)
      if (const auto f = lang::parse_function(e.text)) found.insert(*f);
  return found;
}

bool reduces(const Program& p, lang::Reduction kind) {
  return std::any_of(p.exprs.begin(), p.exprs.end(),
                     [&](const Expr& e) { return e.kind == Kind::reduction && e.reduction == kind; });
}
bool calls(const Program& p, std::string_view function) {
  return std::any_of(p.exprs.begin(), p.exprs.end(),
                     [&](const Expr& e) { return e.kind == Kind::call && e.text == function; });
}

void arithmetic(const Contract& contract, Lines& lines) {
  const Program& p = contract.program();
  if (contract.has_reduction()) {
    if (!p.states_accumulator)
      lines.emplace_back("Sums of f16 and bf16 are kept in f32, those of f32 and f64 in their own type.");
    else if (p.accumulator == DType::i32)
      lines.emplace_back("Sums are of integers, in i32, and exact.");
    else
      lines.push_back(fmt::format("Sums are kept in {}.", storage(p.accumulator)));
    if (p.depth != lang::kNone)
      lines.push_back(fmt::format("No term of a sum passes more than {} roundings.", to_string(p, p.depth)));
    lines.emplace_back("The terms of a reduction may be taken in any order.");
  }
  for (const Function f : functions_of(p)) {
    const auto stated = std::find_if(p.accuracies.begin(), p.accuracies.end(),
                                     [&](const lang::Accuracy& a) { return a.function == f; });
    if (stated != p.accuracies.end())
      lines.push_back(
          fmt::format("{} may be off by {} ulp{}.", lang::name(f), stated->ulps, where_of(stated->cpu)));
    else if (const double ulps = documented_ulps(f, DType::f32, false); ulps > 0)
      lines.push_back(
          fmt::format("{} may be off by {} ulp in f32, CUDA's documented error.", lang::name(f), ulps));
  }
  if (p.subnormals.empty()) lines.emplace_back("Subnormals are preserved.");
  for (const lang::Subnormals& s : p.subnormals) {
    Lines dtypes;
    for (const DType d : s.dtypes) dtypes.emplace_back(name(d));
    lines.push_back(fmt::format("Subnormals {}{}{}.", s.may_flush ? "may become zeros" : "are preserved",
                                dtypes.empty() ? "" : " in " + join(dtypes, ", "), where_of(s.cpu)));
  }
  if (!p.roundings.empty())
    lines.push_back(fmt::format("An honest kernel may store {}.", roundings(p.roundings)));
}

void permissions(const Program& p, Lines& lines) {
  for (const lang::Allowance& a : p.allowances) {
    const std::string when = a.guard == lang::kNone ? "" : fmt::format(" where {}", to_string(p, a.guard));
    if (a.classes.zero_sign)
      lines.push_back(fmt::format("A zero in {} may have either sign{}{}.", a.name, when, where_of(a.cpu)));
    else
      lines.push_back(
          fmt::format("{} may also be {}{}{}.", a.name, classes(a.classes), when, where_of(a.cpu)));
  }
  lines.emplace_back(p.allows_nondeterminism ? "Bits may differ from run to run."
                                             : "Every run gives the same bits.");
  if (p.allows_in_place) lines.emplace_back("An output may share the memory of an input.");
  if (p.allows_ties) lines.emplace_back("Of tied extremes any may be returned.");
  if (!p.stops.empty())
    lines.push_back(fmt::format("The outputs do not depend on {}: its gradient is 0.", join(p.stops, ", ")));
  if (p.tensor_cores) lines.emplace_back("Sums of products may be accumulated as tensor cores do.");
  if (!p.layouts.empty())
    lines.push_back(fmt::format("A kernel accepts {} tensors.", join(p.layouts, " and ")));
  lines.push_back(fmt::format("Every address is a multiple of {} bytes.", p.alignment));
}

Lines clauses(const Contract& contract) {
  const Program& p = contract.program();
  Lines lines;
  if (!p.adjoint_of.empty())
    lines.push_back(fmt::format("It is the backward of {}{}.", p.adjoint_of,
                                p.is_derived ? ", derived from its definitions" : ""));
  arithmetic(contract, lines);
  permissions(p, lines);
  return lines;
}

Lines forms(const Program& p, const lang::Form& form) {
  Lines lines = equations(p, form.equations);
  if (!form.roundings.empty())
    lines.push_back(fmt::format("An honest kernel may store {}.", roundings(form.roundings)));
  lines.push_back(fmt::format("An element satisfies this or the definitions above{}.", where_of(form.cpu)));
  return lines;
}

Lines specials(const Program& p) {
  Lines lines;
  Lines floats, indices, ignoring;
  for (const lang::Declaration& d : p.inputs) {
    if (d.type.kind == ElementType::Kind::index)
      (d.ignore == lang::kNone ? indices : ignoring).push_back(d.name);
    else if (d.type.kind == ElementType::Kind::floating || is_float(d.type.fixed))
      floats.push_back(d.name);
  }
  if (!floats.empty())
    lines.push_back(fmt::format(
        "NaN, +Inf, -Inf, +0, -0, subnormals, the least and the greatest normal in {}.", join(floats, ", ")));
  if (!indices.empty())
    lines.push_back(fmt::format("The first and the last index in {}.", join(indices, ", ")));
  if (!ignoring.empty())
    lines.push_back(fmt::format("The first, the last and the ignored index in {}; all of them ignored.",
                                join(ignoring, ", ")));
  using lang::Reduction;
  const bool propagates = reduces(p, Reduction::max) || reduces(p, Reduction::min) || calls(p, "max") ||
                          calls(p, "min") || calls(p, "clamp");
  if (propagates)
    lines.emplace_back("max, min and clamp return NaN where an argument is NaN; +0 and -0 are equal.");
  if (reduces(p, Reduction::fmax) || reduces(p, Reduction::fmin) || calls(p, "fmax") || calls(p, "fmin"))
    lines.emplace_back("fmax and fmin drop NaN.");
  if (reduces(p, Reduction::argmax) || reduces(p, Reduction::argmin))
    lines.emplace_back("The first NaN wins; of equal extremes the first.");
  if (reduces(p, Reduction::sum)) lines.emplace_back("A sum of nothing is 0.");
  if (reduces(p, Reduction::mean))
    lines.emplace_back("A mean of nothing is NaN; an Inf among its terms may become NaN.");
  return lines;
}

}  // namespace

std::vector<Section> explain(const Contract& contract) {
  const Program& p = contract.program();
  std::vector<Section> sections;
  sections.push_back({"Tensors", signature(p)});
  sections.push_back({"Domain", domain(contract)});
  sections.push_back({"Definitions", equations(p, p.equations)});
  for (const lang::Form& form : p.forms) sections.push_back({"Form " + form.name, forms(p, form)});
  sections.push_back({"Clauses", clauses(contract)});
  sections.push_back({"Special values", specials(p)});
  return sections;
}

}  // namespace assay
