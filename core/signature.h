#pragma once

// What everybody but the oracle needs to know of a contract: its names, and what each tensor holds.

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/tensor.h"

namespace assay {

// The type that a contract gives a tensor.
struct ElementType {
  enum class Kind : std::uint8_t {
    floating,  // `float` or `like x`: the dtype of the instance
    fixed,     // a named dtype
    index,     // integers in [0, bound), or the `ignore` value where the contract names one
  };
  Kind kind = Kind::floating;
  DType fixed = DType::f32;  // of Kind::fixed; bool is fixed boolean
};

struct TensorSignature {
  std::string name;
  std::size_t rank = 0;
  ElementType type;
};

struct Attribute {
  std::string name;
  std::optional<double> fallback;  // the default; without one every instance states the value
  bool integral = false;           // used in an index, a dimension or an integer operation
  bool is_switch = false;          // integral, and 0 or 1
};

struct Signature {
  std::string name;  // of the contract
  std::vector<std::string> dims;
  std::vector<Attribute> attributes;
  std::vector<TensorSignature> inputs;
  std::vector<TensorSignature> outputs;
};

// A contract at concrete sizes: everything but the contents of its inputs.
struct Instance {
  DType dtype = DType::f32;        // of every tensor of type `float`
  Dims dims;                       // by Signature::dims
  std::vector<double> attributes;  // by Signature::attributes

  friend bool operator==(const Instance&, const Instance&) = default;
};

// The finite values and infinities that a float input may hold; NaN may stand anywhere.
struct ValueRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double ball = std::numeric_limits<double>::infinity();  // of the norm of a row along the last dimension

  bool is_interval() const { return std::isfinite(low) || std::isfinite(high); }
  bool is_ball() const { return std::isfinite(ball); }
};

// One tensor of an instance. `bound` and `ignore` are for ElementType::Kind::index; offsets are ascending
// integers, the first 0, the last at most `bound`.
struct TensorSpec {
  DType dtype = DType::f32;
  Dims shape;
  bool is_index = false;
  std::int64_t bound = 0;
  std::optional<std::int64_t> ignore;
  bool is_offsets = false;
  ValueRange range{};
};

struct Shapes {
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
};

}  // namespace assay
