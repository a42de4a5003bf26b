#include "core/realise.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/random.h"

namespace assay {
namespace {

// Sum of twelve uniforms, less six: close to a standard normal, exact in integer arithmetic up to one
// scaling.
double normal(CounterRandom& random) {
  std::int64_t sum = 0;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t word = random.next();
    for (int part = 0; part < 4; ++part) sum += static_cast<std::int64_t>((word >> (16 * part)) & 0xffff);
  }
  // The low bits of the sum are all 16-bit: one more word fills the significand.
  const double fine = static_cast<double>(random.next() >> 12) * 0x1p-52;
  return (static_cast<double>(sum) + fine) * 0x1p-16 - 6.0 + 6 * 0x1p-16;
}

double uniform(CounterRandom& random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

std::int64_t integer(CounterRandom& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

// The power of two at which adding 1 is lost in the next narrower accumulator that is in use.
double swamping_value(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 0x1p24;  // f32
    case DType::f32:
      return 0x1p11;  // f16, TF32
    case DType::f16:
    case DType::e5m2:
      return 0x1p11;
    default:
      return 0x1p8;  // bf16
  }
}

// 1 + the lowest power of two that the dtype keeps and a narrower significand drops.
double probe_value(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 1 + 0x1p-25;  // f32
    case DType::f32:
      return 1 + 0x1p-12;  // TF32, f16, bf16
    case DType::f16:
      return 1 + 0x1p-10;  // bf16
    case DType::e4m3:
      return 1 + 0x1p-3;  // e5m2
    case DType::e5m2:
      return 1 + 0x1p-2;
    default:
      return 1 + 0x1p-7;
  }
}

double below_sentinels(DType dtype) {
  if (dtype == DType::f16 || dtype == DType::e5m2) return -2e4;
  return dtype == DType::e4m3 ? -200 : -2e30;
}

double any_finite(DType dtype, CounterRandom& random) {
  for (;;)
    if (const double value = decode(dtype, random.below(256)); std::isfinite(value)) return value;
}

// What is drawn beyond the range of 8 bits is the end of the range: 10000 + z would be NaN in e4m3.
double fitted(DType dtype, double value) {
  if (size_of(dtype) == 1 && std::isfinite(value))
    value = std::clamp(value, -format_of(dtype).largest(), format_of(dtype).largest());
  return decode(dtype, encode(dtype, value));
}

double draw(Fill fill, DType dtype, CounterRandom& random, double row_value) {
  const Format format = format_of(dtype);
  switch (fill) {
    case Fill::normal:
    case Fill::cancelling:
      return normal(random);
    case Fill::uniform:
      return uniform(random);
    case Fill::negative:
      return -5 + normal(random);
    case Fill::shifted:
      return 100 + normal(random);
    case Fill::offset:
      return 10000 + normal(random);
    case Fill::large:
      return 30 * normal(random);
    case Fill::wide: {
      // Of 8 bits every finite value is as likely: they span 2^18 and 2^32.
      if (size_of(dtype) == 1) return any_finite(dtype, random);
      const double value = normal(random);
      return std::ldexp(value, static_cast<int>(integer(random, -20, 20)));
    }
    case Fill::small:
      return 0.003 * normal(random);
    case Fill::grid:
      return static_cast<double>(integer(random, -8, 8));
    case Fill::ties:
      return static_cast<double>(integer(random, -1, 1));
    case Fill::constant:
      return row_value;
    case Fill::swamping:
      return 1;
    case Fill::probe:
      return random.below(2) ? probe_value(dtype) : 0;
    case Fill::below:
      return below_sentinels(dtype) * (1 + uniform(random));
    case Fill::subnormal: {
      const std::uint64_t steps = std::uint64_t{1} << (format.precision - 1);
      const double magnitude =
          std::ldexp(static_cast<double>(1 + random.below(steps - 1)), format.min_exponent);
      return random.below(2) ? magnitude : -magnitude;
    }
    case Fill::zeros:
      return random.below(2) ? 0.0 : -0.0;
    case Fill::huge: {
      const double magnitude = format.largest() * (0.5 + 0.5 * uniform(random));
      return random.below(2) ? magnitude : -magnitude;
    }
  }
  return 0;
}

void arrange(std::vector<double>& row, Order order) {
  switch (order) {
    case Order::drawn:
      return;
    case Order::ascending:
      std::stable_sort(row.begin(), row.end());
      return;
    case Order::descending:
      std::stable_sort(row.begin(), row.end(), std::greater<>());
      return;
    case Order::reversed:
      std::reverse(row.begin(), row.end());
      return;
    case Order::alternating: {  // greatest, least, second greatest, second least, ...
      std::stable_sort(row.begin(), row.end());
      std::vector<double> mixed;
      mixed.reserve(row.size());
      for (std::size_t low = 0, high = row.size(); low < high;) {
        mixed.push_back(row[--high]);
        if (low < high) mixed.push_back(row[low++]);
      }
      row = std::move(mixed);
      return;
    }
  }
}

double special_value(Special special, DType dtype, double there) {
  const Format format = format_of(dtype);
  switch (special) {
    case Special::nan:
      return std::numeric_limits<double>::quiet_NaN();
    case Special::negative_nan:
      return -std::numeric_limits<double>::quiet_NaN();
    case Special::pos_inf:
      return std::numeric_limits<double>::infinity();
    case Special::neg_inf:
      return -std::numeric_limits<double>::infinity();
    case Special::pos_zero:
    case Special::first:
    case Special::last:
    case Special::ignored:
      return 0.0;
    case Special::neg_zero:
      return -0.0;
    case Special::least_subnormal:
      return format.least_subnormal();
    case Special::largest_subnormal:
      return format.least_normal() - format.least_subnormal();
    case Special::least_normal:
      return format.least_normal();
    case Special::largest:
      return format.largest();
    case Special::lowest:
      return -format.largest();
    case Special::one:
      return 1;
    case Special::minus_one:
      return -1;
    case Special::spike:
      return std::isfinite(there) ? there + 120 : 120;
    case Special::dip:
      return std::isfinite(there) ? there - 120 : -120;
  }
  return 0;
}

std::int64_t special_index(Special special, const TensorSpec& spec) {
  if (special == Special::ignored && spec.ignore) return *spec.ignore;
  if (special == Special::last) return std::max<std::int64_t>(spec.bound - 1, 0);
  return 0;
}

// Extents of (all but the last dimension, the last dimension); a rank-0 tensor is one row of one.
std::pair<std::int64_t, std::int64_t> rows_and_columns(const Dims& shape) {
  if (shape.empty()) return {1, 1};
  const std::int64_t columns = shape.back();
  return {std::accumulate(shape.begin(), shape.end() - 1, std::int64_t{1}, std::multiplies<>()), columns};
}

void fill_floats(Tensor& tensor, const InputRecipe& recipe, CounterRandom& random) {
  const auto [rows, columns] = rows_and_columns(tensor.shape());
  const DType dtype = tensor.dtype();
  std::vector<double> row(static_cast<std::size_t>(columns));
  std::int64_t next = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const double row_value = recipe.fill == Fill::constant ? normal(random) : 0;
    for (double& value : row) value = draw(recipe.fill, dtype, random, row_value);
    if (recipe.fill == Fill::swamping && columns > 0)
      row[random.below(2) ? 0 : columns / 2] = swamping_value(dtype);
    if (recipe.fill == Fill::cancelling) {
      // The second half cancels the first, then both are mixed.
      for (std::size_t i = 0; i + 1 < row.size(); i += 2) row[i + 1] = -row[i];
      for (std::size_t i = row.size(); i > 1; --i) std::swap(row[i - 1], row[random.below(i)]);
    }
    for (double& value : row) value = fitted(dtype, std::ldexp(value, recipe.scale));
    arrange(row, recipe.order);
    for (double value : row) tensor.set_bits(next++, encode(dtype, value));
  }
}

// Where exponentials of decay change their character, and the ends themselves: a limited input is one of
// gates or weights. Exact fills keep to the ends, of which a product or an exponential is exact.
void fill_limited(Tensor& tensor, const InputRecipe& recipe, const ValueRange& range, CounterRandom& random) {
  constexpr double kMagnitudes[] = {1e-5, 0.05, 0.7, 0.7, 5, 21};
  const bool finite = std::isfinite(range.low) && std::isfinite(range.high);
  const double near = std::isfinite(range.high) ? range.high : range.low;
  const double far = std::isfinite(range.high) ? range.low : range.high;
  const double sign = std::isfinite(range.high) ? -1 : 1;
  const double magnitude = kMagnitudes[random.below(std::size(kMagnitudes))];
  const bool exact = recipe.fill == Fill::grid || recipe.fill == Fill::ties ||
                     recipe.fill == Fill::swamping || recipe.fill == Fill::probe ||
                     recipe.fill == Fill::constant;
  const bool plain = random.below(2);  // no value at an end among the others
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    double value = finite ? range.low + (range.high - range.low) * uniform(random)
                          : near + sign * magnitude * (0.5 + uniform(random));
    const std::uint64_t rare = random.below(64);
    if (exact) {
      value = finite ? (rare % 2 ? range.low : range.high) : rare == 0 ? far : near;
    } else if (!plain) {
      if (rare < 4) value = near;
      if (rare >= 4 && rare < 8 && finite) value = far;
      if (rare == 8 && !finite) value = far;
      if (rare == 9 && !finite) value = near + sign * 1000;
    }
    // A single number is a scale: by a power of two, quotients are exact, and halves are met.
    if (tensor.shape().empty() && finite && range.low > 0 && !exact && random.below(2)) {
      const int first = std::ilogb(range.low) + 1, last = std::ilogb(range.high);
      if (first <= last) value = std::ldexp(1.0, static_cast<int>(integer(random, first, last)));
    }
    tensor.set_bits(i, encode(tensor.dtype(), value));
  }
}

// Reflects values at the ends, then cuts them off there; shrinks rows of a ball by a power of two. Moves no
// value that is inside, so that planted ones stay where they can.
void confine(Tensor& tensor, const ValueRange& range) {
  const DType dtype = tensor.dtype();
  if (range.is_interval()) {
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      const double value = tensor.value(i);
      if (std::isnan(value) || (value >= range.low && value <= range.high)) continue;
      const double inside = value < range.low ? 2 * range.low - value : 2 * range.high - value;
      tensor.set_bits(i, encode(dtype, std::clamp(inside, range.low, range.high)));
    }
  }
  if (!range.is_ball()) return;
  const auto [rows, columns] = rows_and_columns(tensor.shape());
  for (std::int64_t r = 0; r < rows; ++r) {
    double largest = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      const double value = std::fabs(tensor.value(r * columns + j));
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
    if (largest == 0) continue;
    const int exponent = std::ilogb(largest) + 1;
    double sum = 0;  // of squares below 1
    for (std::int64_t j = 0; j < columns; ++j) {
      const double value = std::ldexp(tensor.value(r * columns + j), -exponent);
      if (std::isfinite(value)) sum += value * value;
    }
    int halvings = 0;
    while (std::ldexp(sum, 2 * (exponent - halvings)) > range.ball * range.ball && halvings < 2200)
      ++halvings;
    if (halvings == 0) continue;
    for (std::int64_t j = 0; j < columns; ++j) {
      const double value = tensor.value(r * columns + j);
      if (std::isfinite(value)) tensor.set_bits(r * columns + j, encode(dtype, std::ldexp(value, -halvings)));
    }
  }
}

// Ascending offsets, the first 0, the last at most `bound`. Sequences as long as chunks are, a little
// shorter or longer, of one element and of none; sometimes a rest that belongs to none.
void fill_offsets(Tensor& tensor, const TensorSpec& spec, CounterRandom& random) {
  constexpr std::int64_t kLengths[] = {0, 0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 128};
  const std::int64_t n = tensor.size() - 1;
  if (n < 0) return;
  const std::int64_t total = std::max<std::int64_t>(spec.bound, 0);
  const std::int64_t tail =
      random.below(4) ? 0
                      : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(total) + 1)) / 4;
  const bool last_takes_rest = random.below(4) != 0;
  std::int64_t at = 0;
  tensor.set_bits(0, encode_integer(spec.dtype, 0));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t rest = total - tail - at;
    const std::int64_t share = rest / (n - i);
    std::int64_t length = kLengths[random.below(std::size(kLengths))];
    if (random.below(2))
      length = static_cast<std::int64_t>(random.below(2 * static_cast<std::uint64_t>(share) + 1));
    if (i + 1 == n && last_takes_rest) length = rest;
    at += std::min(length, rest);
    tensor.set_bits(i + 1, encode_integer(spec.dtype, at));
  }
}

// Quantised data: every value, small ones whose sums tell a lost term, or, where a recipe is for
// accumulators, the ends of the range, whose products an accumulator of 16 bits cannot add up.
void fill_bytes(Tensor& tensor, const InputRecipe& recipe, CounterRandom& random) {
  const auto [rows, columns] = rows_and_columns(tensor.shape());
  std::vector<double> row(static_cast<std::size_t>(columns));
  std::int64_t next = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t end = random.below(2) ? 127 : -128;
    for (double& value : row) {
      switch (recipe.fill) {
        case Fill::zeros:
        case Fill::subnormal:
          value = 0;
          break;
        case Fill::grid:
        case Fill::small:
          value = static_cast<double>(integer(random, -8, 8));
          break;
        case Fill::ties:
          value = static_cast<double>(integer(random, -1, 1));
          break;
        case Fill::uniform:
          value = static_cast<double>(integer(random, 0, 127));
          break;
        case Fill::negative:
        case Fill::below:
          value = static_cast<double>(integer(random, -128, -1));
          break;
        case Fill::constant:
        case Fill::swamping:
        case Fill::huge:
          value = static_cast<double>(random.below(16) ? end : -end);
          break;
        default:
          value = static_cast<double>(integer(random, -128, 127));
      }
      value = std::clamp(value, -128.0, 127.0);
    }
    arrange(row, recipe.order);
    for (const double value : row)
      tensor.set_bits(next++, encode_integer(tensor.dtype(), static_cast<std::int64_t>(value)));
  }
}

void fill_integers(Tensor& tensor, const TensorSpec& spec, CounterRandom& random) {
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    std::int64_t value = 0;
    if (spec.is_index) {
      value = spec.bound > 0 ? static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(spec.bound)))
                             : 0;
      const std::uint64_t rare = random.below(16);
      if (rare == 0) value = special_index(Special::last, spec);
      if (rare == 1) value = 0;
      if (rare == 2 && spec.ignore) value = *spec.ignore;
    } else {
      value = static_cast<std::int64_t>(random.below(2));
    }
    tensor.set_bits(i, encode_integer(tensor.dtype(), value));
  }
}

void plant(Tensor& tensor, const TensorSpec& spec, const Plant& plant) {
  if (tensor.size() == 0) return;
  const auto [rows, columns] = rows_and_columns(tensor.shape());
  const std::int64_t i = plant.row.in(rows)*columns + plant.column.in(columns);
  // The low bits of a NaN are its payload.
  const std::uint64_t payload = plant.value == Special::negative_nan ? 0x15 : 0;
  if (is_float(spec.dtype) && (plant.value == Special::spike || plant.value == Special::dip))
    tensor.set_bits(
        i, encode(spec.dtype, fitted(spec.dtype, special_value(plant.value, spec.dtype, tensor.value(i)))));
  else if (is_float(spec.dtype))
    tensor.set_bits(i, encode(spec.dtype, special_value(plant.value, spec.dtype, tensor.value(i))) | payload);
  else if (spec.is_index)
    tensor.set_bits(i, encode_integer(spec.dtype, special_index(plant.value, spec)));
  else if (spec.dtype != DType::i8)
    tensor.set_bits(i,
                    encode_integer(spec.dtype, plant.value == Special::one || plant.value == Special::last));
}

}  // namespace

Case settled(Case c, const Shapes& shapes) {
  for (Plant& p : c.plants) {
    const auto [rows, columns] = rows_and_columns(shapes.inputs[p.input].shape);
    const auto settle = [](Place& place, std::int64_t extent) {
      if (place.distance >= extent)
        place.distance = static_cast<std::uint16_t>(std::max<std::int64_t>(extent - 1, 0));
    };
    settle(p.row, rows);
    settle(p.column, columns);
  }
  return c;
}

std::vector<Tensor> realise(const Case& c, const Shapes& shapes) {
  assert(c.inputs.size() == shapes.inputs.size());
  std::vector<Tensor> tensors;
  tensors.reserve(shapes.inputs.size());
  for (std::size_t i = 0; i < shapes.inputs.size(); ++i) {
    const TensorSpec& spec = shapes.inputs[i];
    Tensor& tensor = tensors.emplace_back(spec.dtype, spec.shape);
    if (tensor.size() == 0) continue;  // its rows may be none and longer than memory
    CounterRandom random(c.seed, i);
    const Fill fill = c.inputs[i].fill;
    const bool own = fill == Fill::zeros || fill == Fill::subnormal || fill == Fill::huge;
    if (is_float(spec.dtype) && spec.range.is_interval() && !own)
      fill_limited(tensor, c.inputs[i], spec.range, random);
    else if (is_float(spec.dtype))
      fill_floats(tensor, c.inputs[i], random);
    else if (spec.is_offsets)
      fill_offsets(tensor, spec, random);
    else if (spec.dtype == DType::i8)
      fill_bytes(tensor, c.inputs[i], random);
    else
      fill_integers(tensor, spec, random);
  }
  for (const Plant& p : c.plants)
    if (p.input < tensors.size() && !shapes.inputs[p.input].is_offsets)
      plant(tensors[p.input], shapes.inputs[p.input], p);
  for (std::size_t i = 0; i < tensors.size(); ++i) confine(tensors[i], shapes.inputs[i].range);
  return tensors;
}

}  // namespace assay
