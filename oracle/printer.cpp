#include "oracle/printer.h"

#include <fmt/format.h>

#include "core/text.h"
#include "oracle/words.h"

namespace assay::lang {
namespace {

using Kind = Expr::Kind;

// Binding strengths, the weakest first.
enum Level {
  choice = 1,
  disjunction,
  conjunction,
  inversion,
  comparison,
  sum,
  product,
  unary,
  power,
  primary
};

Level level_of(const Expr& e) {
  switch (e.kind) {
    case Kind::conditional:
      return choice;
    case Kind::either:
      return disjunction;
    case Kind::both:
      return conjunction;
    case Kind::negation:
      return inversion;
    case Kind::compare:
      return comparison;
    case Kind::add:
    case Kind::subtract:
      return sum;
    case Kind::multiply:
    case Kind::divide:
    case Kind::floor_divide:
    case Kind::modulo:
      return product;
    case Kind::negate:
      return unary;
    case Kind::power:
      return power;
    default:
      return primary;
  }
}

std::string_view symbol_of(const Expr& e) {
  switch (e.kind) {
    case Kind::either:
      return " or ";
    case Kind::both:
      return " and ";
    case Kind::add:
      return " + ";
    case Kind::subtract:
      return " - ";
    case Kind::multiply:
      return " * ";
    case Kind::divide:
      return "/";
    case Kind::floor_divide:
      return " // ";
    case Kind::modulo:
      return " % ";
    default:
      return "^";
  }
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string expr(ExprId id, int least = choice) const {
    if (id == kNone) return "";
    const Expr& e = program_[id];
    const int own = level_of(e);
    const std::string text = bare(e, own);
    return own < least ? fmt::format("({})", text) : text;
  }

  std::string list(const std::vector<ExprId>& ids) const {
    std::vector<std::string> parts;
    for (const ExprId id : ids) parts.push_back(expr(id));
    return join(parts, ", ");
  }

  std::string contract() const {
    std::string out = fmt::format("contract {}({}", program_.name, join(program_.dims, ", "));
    for (std::size_t i = 0; i < program_.attributes.size(); ++i) {
      const AttributeDeclaration& a = program_.attributes[i];
      out += fmt::format("{}{}{}", i == 0 ? "; " : ", ", a.name, optional(" = ", a.fallback));
    }
    out += ")\n";
    if (!program_.summary.empty()) out += fmt::format("  \"{}\"\n", program_.summary);
    for (const Declaration& d : program_.inputs) out += fmt::format("  input {}\n", declaration(d));
    for (const Declaration& d : program_.outputs) out += fmt::format("  output {}\n", declaration(d));
    for (const ExprId id : program_.where) out += fmt::format("  where {}\n", expr(id));
    clauses(out);
    for (const Equation& e : program_.equations) out += equation(e);
    for (const Rounding& r : program_.roundings) out += rounding(r);
    for (const Form& form : program_.forms) {
      out += fmt::format("  {}form {}\n", profile(form.cpu), form.name);
      for (const Equation& e : form.equations) out += equation(e);
      for (const Rounding& r : form.roundings) out += rounding(r);
    }
    return out;
  }

 private:
  std::string optional(std::string_view before, ExprId id, int least = choice) const {
    return id == kNone ? std::string() : fmt::format("{}{}", before, expr(id, least));
  }

  std::string bare(const Expr& e, int own) const {
    switch (e.kind) {
      case Kind::number:
      case Kind::name:
        return e.text;
      case Kind::read:
        return fmt::format("{}[{}{}]", e.text, list(e.children), optional(" else ", e.otherwise));
      case Kind::call:
        return fmt::format("{}({})", e.text, list(e.children));
      case Kind::reduction:
        return reduction(e);
      case Kind::negate:
        return fmt::format("-{}", expr(e.children[0], unary));
      case Kind::negation:
        return fmt::format("not {}", expr(e.children[0], inversion));
      case Kind::conditional:
        return fmt::format("{} if {} else {}", expr(e.children[0], disjunction),
                           expr(e.children[1], disjunction), expr(e.children[2]));
      case Kind::compare:
        return fmt::format("{} {} {}", expr(e.children[0], sum), name(e.comparison),
                           expr(e.children[1], sum));
      case Kind::power:
        return fmt::format("{}^{}", expr(e.children[0], primary), expr(e.children[1], unary));
      default:
        return expr(e.children[0], own) + std::string(symbol_of(e)) + expr(e.children[1], own + 1);
    }
  }

  std::string reduction(const Expr& e) const {
    std::vector<std::string> binders;
    for (const Binder& b : e.binders) {
      if (b.inferred)
        binders.push_back(b.name);
      else if (b.lower != kNone)
        binders.push_back(fmt::format("{} in {} .. {}", b.name, expr(b.lower, sum), expr(b.upper, sum)));
      else
        binders.push_back(fmt::format("{} {} {}", b.name, b.closed ? "<=" : "<", expr(b.upper, sum)));
    }
    return fmt::format("{}({} for {}{})", name(e.reduction), expr(e.children[0]), join(binders, ", "),
                       optional(" if ", e.guard));
  }

  std::string declaration(const Declaration& d) const {
    std::string out = d.name;
    if (!d.shape.empty()) out += fmt::format("[{}]", list(d.shape));
    out += " : ";
    return out + type(d) + values(d);
  }

  std::string type(const Declaration& d) const {
    if (!d.like.empty()) return fmt::format("like {}", d.like);
    if (d.is_offsets) return fmt::format("offsets({})", expr(d.bound));
    switch (d.type.kind) {
      case ElementType::Kind::floating:
        return "float";
      case ElementType::Kind::fixed:
        return d.type.fixed == DType::boolean ? "bool" : std::string(assay::name(d.type.fixed));
      case ElementType::Kind::index:
        break;
    }
    return fmt::format("index({}){}", expr(d.bound), optional(" or ", d.ignore, sum));
  }

  std::string values(const Declaration& d) const {
    if (d.low != kNone) return fmt::format(" in [{}, {}]", expr(d.low), expr(d.high));
    return d.ball == kNone ? "" : fmt::format(" in ball({})", expr(d.ball));
  }

  static std::string patterns(const std::vector<Equation::Pattern>& list) {
    if (list.empty()) return "";
    std::vector<std::string> parts;
    for (const Equation::Pattern& p : list)
      parts.push_back(p.name.empty() ? fmt::format("{}", p.constant) : p.name);
    return fmt::format("[{}]", join(parts, ", "));
  }

  std::string equation(const Equation& e) const {
    return fmt::format("  {}{} = {}\n", e.name, patterns(e.patterns), expr(e.body));
  }

  static std::string_view profile(bool cpu) { return cpu ? "profile cpu " : ""; }

  static std::string rounding(const Rounding& r) {
    return fmt::format("  {}round {} to {}\n", profile(r.cpu), r.name,
                       r.dtype ? assay::name(*r.dtype) : "dtype");
  }

  static std::string classes(const Classes& c) {
    if (c.zero_sign) return "sign of zero";
    std::vector<std::string> parts;
    if (c.nan) parts.emplace_back("nan");
    if (c.pos_inf) parts.emplace_back("+inf");
    if (c.neg_inf) parts.emplace_back("-inf");
    if (c.pos_zero) parts.emplace_back("+0");
    if (c.neg_zero) parts.emplace_back("-0");
    return join(parts, ", ");
  }

  static std::string dtypes(const std::vector<DType>& list) {
    std::vector<std::string> parts;
    for (const DType d : list) parts.emplace_back(assay::name(d));
    return join(parts, ", ");
  }

  void clauses(std::string& out) const {
    if (!program_.adjoint_of.empty()) out += fmt::format("  adjoint of {}\n", program_.adjoint_of);
    if (program_.states_accumulator) {
      out += fmt::format("  accumulate {}{}\n",
                         program_.accumulator ? assay::name(*program_.accumulator) : "dtype",
                         optional(" depth ", program_.depth, sum));
    }
    for (const Accuracy& a : program_.accuracies) {
      out += fmt::format("  {}accuracy {} {} ulp\n", profile(a.cpu), name(a.function), a.ulps);
    }
    for (const Subnormals& s : program_.subnormals) {
      out += fmt::format("  {}subnormals {}{}\n", profile(s.cpu), s.may_flush ? "may flush" : "preserve",
                         s.dtypes.empty() ? "" : fmt::format(" for {}", dtypes(s.dtypes)));
    }
    for (const Allowance& a : program_.allowances) {
      out += fmt::format("  {}allow {} in {}{}{}\n", profile(a.cpu), classes(a.classes), a.name,
                         patterns(a.patterns), optional(" if ", a.guard));
    }
    if (!program_.stops.empty()) out += fmt::format("  stop {}\n", join(program_.stops, ", "));
    if (program_.tensor_cores) out += "  tensor cores\n";
    if (!program_.dtypes.empty()) out += fmt::format("  dtypes {}\n", dtypes(program_.dtypes));
    if (!program_.layouts.empty()) out += fmt::format("  layouts {}\n", join(program_.layouts, ", "));
    if (program_.states_alignment) out += fmt::format("  aligned to {}\n", program_.alignment);
    if (program_.allows_nondeterminism) out += "  allow nondeterminism\n";
    if (program_.allows_in_place) out += "  allow in place\n";
    if (program_.allows_ties) out += "  allow ties\n";
    for (const Example& example : program_.examples) {
      std::vector<std::string> values;
      for (const auto& [key, value] : example.values)
        values.push_back(fmt::format("{} = {}", key, expr(value, sum)));
      out += fmt::format("  examples {}({})\n", example.name, join(values, ", "));
    }
  }

  const Program& program_;
};

}  // namespace

std::string to_string(const Program& program, ExprId id) {
  return Printer(program).expr(id);
}
std::string to_string(const Program& program) {
  return Printer(program).contract();
}

}  // namespace assay::lang
