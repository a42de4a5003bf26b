#include "oracle/binding.h"

#include <algorithm>
#include <cmath>

namespace assay::lang {

using Kind = Expr::Kind;

namespace {

// Of an index that nothing limits: as much as leaves the table's size in 60 bits.
std::int64_t widest(std::size_t rank) {
  return std::int64_t{1} << std::min<std::size_t>(16, 59 / rank - 1);
}

constexpr std::int64_t kLargest = std::int64_t{1} << 61;

}  // namespace

Binding::Binding(const Program& program, const Plan& plan, const Instance& instance, const Shapes& shapes,
                 std::span<const Tensor> inputs)
    : program_(program),
      plan_(plan),
      instance_(instance),
      shapes_(shapes),
      statics_(program, instance, inputs) {
  std::size_t places = 0;
  for (const Table& table : plan.tables) {
    first_place_.push_back(places);
    places += table.rank;
  }
  places_.resize(places);
  ranges_.resize(places);
  ranged_.assign(places, 0);
  variables_.resize(program.variables.size());
  variable_known_.assign(program.variables.size(), 0);
  for (std::size_t t = 0; t < plan.tables.size(); ++t) range_table(t);
  for (const Access& access : plan.accesses) {
    Bound bound;
    bound.first = static_cast<std::int32_t>(terms_.size());
    bound.linear = true;
    const auto table = static_cast<std::size_t>(access.table);
    for (std::size_t i = 0; i < access.indices.size() && bound.linear; ++i) {
      const Place& place = places_[first_place_[table] + i];
      const Interval reach = interval(access.indices[i]);
      bound.linear = reach.known && reach.low >= place.lower && reach.high < place.lower + place.extent &&
                     affine(access.indices[i], place.stride, bound);
      bound.constant -= place.lower * place.stride;
    }
    bound.last = static_cast<std::int32_t>(terms_.size());
    accesses_.push_back(bound);
  }
}

void Binding::range_table(std::size_t table) {
  std::int64_t size = 1;
  for (std::size_t i = plan_.tables[table].rank; i-- > 0;) {
    Place& place = places_[first_place_[table] + i];
    const Interval range = range_of_place(table, i);
    place.lower = range.low;
    place.extent = std::max<std::int64_t>(0, range.high - range.low + 1);
    place.stride = size;
    if (__builtin_mul_overflow(size, place.extent, &size)) size = kLargest;
  }
  sizes_.push_back(std::min(size, kLargest));
}

Binding::Interval Binding::range_of_place(std::size_t table, std::size_t place) {
  const std::size_t slot = first_place_[table] + place;
  if (ranged_[slot] == 2) return ranges_[slot];
  const Table& t = plan_.tables[table];
  if (ranged_[slot] == 1) return {};  // a recursion: its other reads decide
  ranged_[slot] = 1;
  Interval range;
  if (t.kind == Table::Kind::input) {
    range = {0, shapes_.inputs[static_cast<std::size_t>(t.index)].shape[place] - 1, true};
  } else if (t.kind == Table::Kind::shared) {
    range = variable(t.variables[place]);
  } else {
    const std::int32_t output = program_.definitions[static_cast<std::size_t>(t.index)].output;
    if (output >= 0) range = {0, shapes_.outputs[static_cast<std::size_t>(output)].shape[place] - 1, true};
    bool limited = true;
    const auto include = [&](std::int64_t low, std::int64_t high) {
      range = range.known ? Interval{std::min(range.low, low), std::max(range.high, high), true}
                          : Interval{low, high, true};
    };
    for (const Table::Case& c : t.cases) {
      const Equation::Pattern& pattern = c.patterns[place];
      if (pattern.variable < 0) {
        include(pattern.constant, pattern.constant);
      } else if (const ExprId upper = program_.variables[static_cast<std::size_t>(pattern.variable)].upper;
                 upper != kNone) {
        include(0, constant_value(upper) - 1);
      } else {
        limited = false;
      }
    }
    if (!limited && output < 0) {
      const Interval reads = reads_of(table, place);
      if (reads.known)
        include(reads.low, reads.high);
      else
        include(-widest(t.rank), widest(t.rank) - 1);
    }
  }
  if (!range.known) range = {-widest(t.rank), widest(t.rank) - 1, true};
  ranged_[slot] = 2;
  return ranges_[slot] = range;
}

Binding::Interval Binding::reads_of(std::size_t table, std::size_t place) {
  Interval reads;
  for (const Access& access : plan_.accesses) {
    if (access.table != static_cast<std::int32_t>(table)) continue;
    const Interval one = interval(access.indices[place]);
    if (!one.known) return {};
    reads = reads.known ? Interval{std::min(reads.low, one.low), std::max(reads.high, one.high), true} : one;
  }
  return reads;
}

Binding::Interval Binding::interval(const Index& index) {
  return index.expr == kNone ? variable(index.variable) : interval(index.expr);
}

Binding::Interval Binding::variable(std::int32_t v) {
  const auto i = static_cast<std::size_t>(v);
  if (variable_known_[i]) return variables_[i];
  const Variable& variable = program_.variables[i];
  const auto [table, place] = plan_.owners[i];
  Interval range;
  if (variable.upper != kNone) {
    const Interval lower = variable.lower == kNone ? Interval{0, 0, true} : interval(variable.lower);
    const Interval upper = interval(variable.upper);
    range = {lower.low, variable.closed ? upper.high : upper.high - 1, lower.known && upper.known};
  } else if (table >= 0) {
    range = range_of_place(static_cast<std::size_t>(table), place);
    if (!range.known) return range;  // asked for while it is being found
  }
  variable_known_[i] = 1;
  return variables_[i] = range;
}

Binding::Interval Binding::interval(ExprId id) {
  const Expr& e = program_[id];
  const auto fixed = [](std::int64_t x) { return Interval{x, x, true}; };
  const auto small = [](const Interval& i) {
    constexpr std::int64_t kSmall = std::int64_t{1} << 30;
    return i.known && i.low > -kSmall && i.high < kSmall;
  };
  switch (e.kind) {
    case Kind::number:
      return fixed(e.constant.numerator);
    case Kind::name:
      if (e.symbol.kind == Symbol::Kind::variable) return variable(e.symbol.index);
      if (e.symbol.kind == Symbol::Kind::input || e.symbol.kind == Symbol::Kind::definition) return {};
      return fixed(constant_value(id));
    case Kind::negate: {
      const Interval a = interval(e.children[0]);
      return small(a) ? Interval{-a.high, -a.low, true} : Interval{};
    }
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply: {
      const Interval a = interval(e.children[0]);
      const Interval b = interval(e.children[1]);
      if (!small(a) || !small(b)) return {};
      if (e.kind == Kind::add) return {a.low + b.low, a.high + b.high, true};
      if (e.kind == Kind::subtract) return {a.low - b.high, a.high - b.low, true};
      const auto corners = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
      return {std::min(corners), std::max(corners), true};
    }
    case Kind::floor_divide:
    case Kind::modulo: {
      const Interval a = interval(e.children[0]);
      const Interval b = interval(e.children[1]);
      if (!a.known || !b.known || b.low != b.high || b.low <= 0) return {};
      if (e.kind == Kind::modulo) return {0, b.low - 1, true};
      return {floor_divide(a.low, b.low), floor_divide(a.high, b.low), true};
    }
    case Kind::read: {
      if (e.symbol.kind == Symbol::Kind::definition) {
        const Definition& d = program_.definitions[static_cast<std::size_t>(e.symbol.index)];
        return interval(program_.equations[static_cast<std::size_t>(d.integer)].body);
      }
      const Declaration& d = program_.inputs[static_cast<std::size_t>(e.symbol.index)];
      if (d.bound == kNone || d.ignore != kNone) return {};
      return {0, constant_value(d.bound) - (d.is_offsets ? 0 : 1), true};
    }
    default:
      return {};
  }
}

bool Binding::affine(const Index& index, std::int64_t factor, Bound& bound) {
  if (index.expr != kNone) return affine(index.expr, factor, bound);
  add_term(index.variable, factor, bound);
  return true;
}

// Adds factor * (the expression) to `bound`, or says that it is not affine.
bool Binding::affine(ExprId id, std::int64_t factor, Bound& bound) {
  const Expr& e = program_[id];
  switch (e.kind) {
    case Kind::number:
      bound.constant += factor * e.constant.numerator;
      return true;
    case Kind::name:
      if (e.symbol.kind == Symbol::Kind::input || e.symbol.kind == Symbol::Kind::definition) return false;
      if (e.symbol.kind == Symbol::Kind::variable)
        add_term(e.symbol.index, factor, bound);
      else
        bound.constant += factor * constant_value(id);
      return true;
    case Kind::negate:
      return affine(e.children[0], -factor, bound);
    case Kind::add:
      return affine(e.children[0], factor, bound) && affine(e.children[1], factor, bound);
    case Kind::subtract:
      return affine(e.children[0], factor, bound) && affine(e.children[1], -factor, bound);
    case Kind::multiply: {
      for (const std::size_t side : {0u, 1u}) {
        const Interval one = interval(e.children[side]);
        if (one.known && one.low == one.high) return affine(e.children[1 - side], factor * one.low, bound);
      }
      return false;
    }
    default: {
      const Interval one = interval(id);
      if (!one.known || one.low != one.high) return false;
      bound.constant += factor * one.low;
      return true;
    }
  }
}

void Binding::add_term(std::int32_t variable, std::int64_t factor, const Bound& bound) {
  for (auto t = static_cast<std::size_t>(bound.first); t < terms_.size(); ++t) {
    if (terms_[t].variable == variable) {
      terms_[t].factor += factor;
      return;
    }
  }
  terms_.push_back({variable, factor});
}

std::int64_t Binding::checked_offset(std::int32_t number, std::int64_t* variables) const {
  const Access& access = plan_.accesses[static_cast<std::size_t>(number)];
  const Place* place = places_.data() + first_place_[static_cast<std::size_t>(access.table)];
  std::int64_t at = 0;
  for (const Index& index : access.indices) {
    const std::int64_t i =
        (index.expr == kNone ? variables[index.variable] : statics_.integer(index.expr, variables)) -
        place->lower;
    if (i < 0 || i >= place->extent) return -1;
    at += i * place->stride;
    ++place;
  }
  return at;
}

Constant Binding::constant(const Literal& literal) const {
  if (literal.attribute < 0) return literal.constant;
  const auto i = static_cast<std::size_t>(literal.attribute);
  const double value = instance_.attributes[i];
  const std::optional<double>& fallback = program_.signature.attributes[i].fallback;
  if (literal.constant.kind != Constant::Kind::real && fallback && value == *fallback)
    return literal.constant;
  Constant c;
  c.kind = std::isnan(value)   ? Constant::Kind::nan
           : std::isinf(value) ? Constant::Kind::infinity
                               : Constant::Kind::real;
  c.numerator = value < 0 ? -1 : 1;
  c.value = value;
  return c;
}

}  // namespace assay::lang
