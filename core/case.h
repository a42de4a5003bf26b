#pragma once

// One concrete test input: a contract's instance and a recipe for the contents of its tensors.
//
// A Case is small and never holds contents: `realise` (core/realise.h) makes them from it, bit for bit the
// same on every machine. Two engines make Cases (RapidCheck draws them, a fuzzer mutates their encoding,
// core/codec.h) and one shrinker reduces them (properties/shrink.h). What is kept on disk is a Case, never a
// seed of a generator.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/signature.h"

namespace assay {

// How the elements of one input are drawn before special values are planted. z is a standard normal, u is
// uniform in [0, 1); every value is rounded to the dtype. `scale` multiplies by 2^scale.
enum class Fill : std::uint8_t {
  normal,      // z
  uniform,     // u: all terms of one sign
  negative,    // -5 + z
  shifted,     // 100 + z: |mean| well above the deviation
  offset,      // 10000 + z: naive variances cancel
  large,       // 30 z: exponentials overflow without the maximum's subtraction
  wide,        // z * 2^(-20..20): terms of very different size
  small,       // 0.003 z: variances near eps
  grid,        // integers in [-8, 8]: sums are exact
  ties,        // integers in [-1, 1]: many equal elements
  constant,    // one drawn value for the whole row
  cancelling,  // pairs t, -t at random places of a row
  swamping,    // one power of two that a narrower accumulator cannot add 1 to, then ones: sums are exact
  probe,      // 1 + a power of two that a narrower significand drops (2^-12 in f32), or 0: truncated operands
  below,      // below the usual sentinels: -2e30 (1 + u), in f16 -2e4 (1 + u)
  subnormal,  // subnormals of the dtype, both signs
  zeros,      // +0 and -0
  huge,       // near the largest finite value
};
constexpr int kFills = static_cast<int>(Fill::huge) + 1;

// How the elements of a row are arranged after they are drawn.
enum class Order : std::uint8_t { drawn, ascending, descending, alternating, reversed };
constexpr int kOrders = static_cast<int>(Order::reversed) + 1;

// A value that is planted. Those for index inputs are `first`, `last` and `ignored`.
enum class Special : std::uint8_t {
  nan,
  pos_inf,
  neg_inf,
  pos_zero,
  neg_zero,
  least_subnormal,
  largest_subnormal,
  least_normal,
  largest,
  lowest,
  one,
  minus_one,
  spike,         // 120 above the rest: exp overflows unless the maximum is subtracted
  dip,           // -120
  first,         // 0
  last,          // bound - 1
  ignored,       // the ignore value where the contract has one, else 0
  negative_nan,  // quiet, its sign bit set, with a payload
};
constexpr int kSpecials = static_cast<int>(Special::negative_nan) + 1;

// A distance from one end of an extent: it keeps its meaning when the extent shrinks. Beyond the extent it is
// the last (first) place.
struct Place {
  bool from_end = false;
  std::uint16_t distance = 0;

  std::int64_t in(std::int64_t extent) const;  // 0 <= result < extent, for extent >= 1
  friend bool operator==(const Place&, const Place&) = default;
};

struct Plant {
  std::uint8_t input = 0;  // by Signature::inputs
  Place row;               // over all but the last dimension, flattened
  Place column;            // in the last dimension
  Special value = Special::nan;

  friend bool operator==(const Plant&, const Plant&) = default;
};

struct InputRecipe {
  Fill fill = Fill::normal;
  std::int8_t scale = 0;  // -60..60
  Order order = Order::drawn;
  std::uint8_t offset = 0;  // of the tensor's address, in units of the contract's alignment, from 256 bytes

  friend bool operator==(const InputRecipe&, const InputRecipe&) = default;
};

struct Case {
  std::string contract;
  Instance instance;
  std::vector<InputRecipe> inputs;           // by Signature::inputs
  std::vector<std::uint8_t> output_offsets;  // as InputRecipe::offset
  std::vector<Plant> plants;                 // later ones win
  std::uint64_t seed = 0;

  friend bool operator==(const Case&, const Case&) = default;
};

std::string_view name(Fill fill);
std::string_view name(Order order);
std::string_view name(Special special);
std::optional<Fill> parse_fill(std::string_view text);
std::optional<Order> parse_order(std::string_view text);
std::optional<Special> parse_special(std::string_view text);

// "softmax f32 rows=2 cols=33; x normal, nan at row 0, 3 from the end" for people.
std::string describe(const Case& c, const Signature& signature);

}  // namespace assay
