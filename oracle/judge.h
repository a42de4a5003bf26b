#pragma once

// Decides whether what a kernel wrote is what the contract allows, one output element at a time.
//
// The contract's definitions are evaluated once, as values that carry the truth, the interval of what an
// honest kernel may return and the classes (NaN, infinities, signs of zero) that it may return. A compensated
// filter decides nearly always; MPFR decides where the filter's own error straddles a limit; its precision
// doubles up to 4096 bits before an element is undecidable. Cases that the definitions would take too long
// for go to a native oracle where the contract has one (oracle/native.h).
//
// Laws: an honest evaluation in any order, in the declared accumulator, is accepted; so is RN(truth).

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/signature.h"
#include "core/tensor.h"
#include "oracle/contract.h"

namespace assay {

enum class Ruling : std::uint8_t { accepted, refused, undecidable };

// Why an element is refused.
enum class Reason : std::uint8_t {
  none,
  nan,        // NaN where the contract allows none, or a number where it demands NaN
  infinity,   // an infinity where none is allowed, the wrong one, or a finite value where one is demanded
  zero_sign,  // -0 for +0 or the reverse
  value,      // a finite value outside the budget
  exact,      // a finite value that differs although the answer is exact
  index,      // an index that is not the (first) extreme one, or is out of range
};
std::string_view name(Reason reason);

struct ElementReport {
  Ruling ruling = Ruling::accepted;
  Reason reason = Reason::none;
  double got = 0;
  double truth = 0;  // the contract's own answer, to the nearest double
  double low = 0;    // the least and the greatest finite value accepted, already rounded to the dtype
  double high = 0;
  double excess = 0;         // |got - truth| over the budget on that side; above 1 it is refused
  bool exact = false;        // exactly one finite value is accepted
  bool nan_allowed = false;  // the classes accepted
  bool finite_allowed = true;
  bool pos_inf_allowed = false;
  bool neg_inf_allowed = false;
  bool useless = false;  // the budget contains 0 although the truth does not: says little
  bool by_mpfr = false;  // the filter could not tell
};

struct OutputReport {
  std::int64_t judged = 0;
  std::int64_t refused = 0;
  std::int64_t undecidable = 0;
  std::int64_t useless = 0;
  std::int64_t exact = 0;  // elements whose answer is exact
  std::int64_t by_mpfr = 0;
  double worst_excess = 0;          // over accepted and refused finite elements
  std::int64_t first_refused = -1;  // row-major index, of the first element refused for a reason of the mask
  ElementReport first;              // its report
};

// Errors of elements, each in the spread of right kernels as first order has it (docs/budgets.md), with what
// the output's own rounding is.
struct Strain {
  std::int64_t elements = 0;
  double squares = 0;  // their sum

  double root_mean_square() const;
  bool is_suspect() const;
  void add(const Strain& other) {
    elements += other.elements;
    squares += other.squares;
  }
};

// Which reasons count as a refusal.
struct Reasons {
  std::uint8_t mask = 0xff;
  static constexpr Reasons all() { return {}; }
  static constexpr Reasons of(std::initializer_list<Reason> list) {
    Reasons r{0};
    for (Reason x : list) r.mask |= static_cast<std::uint8_t>(1u << static_cast<unsigned>(x));
    return r;
  }
  constexpr bool contains(Reason x) const { return mask >> static_cast<unsigned>(x) & 1u; }
};

class Judge {
 public:
  // `inputs` are read during construction and later; they must outlive the judge. The instance must be
  // admitted, and the inputs must have the shapes that shapes_of gives.
  Judge(const Contract& contract, const Instance& instance, std::span<const Tensor> inputs,
        const Allowances& allowances = {});
  ~Judge();
  Judge(Judge&&) noexcept;

  // Element `index` (row-major) of output `output`, for which the kernel wrote `bits`. Evaluates only what
  // that element needs.
  ElementReport element(std::size_t output, std::int64_t index, std::uint64_t bits);

  // Every element of an output.
  OutputReport all(std::size_t output, const Tensor& got, Reasons reasons = Reasons::all());

  // What a statistical tier says of an output that was accepted: a sentence, never a refusal. A sample of its
  // errors is weighed in the size of independent roundings, and added to `strain`; where a native oracle has
  // judged, its own tier speaks.
  std::optional<std::string> suspicion(std::size_t output, const Tensor& got, Strain* strain = nullptr);

  // Which elements of input `input` the element depends on, as row-major indices, ascending.
  std::vector<std::int64_t> footprint(std::size_t output, std::int64_t index, std::size_t input);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What a sequential kernel returns that keeps its sums in `accumulator` and, with `tf32`, reads the operands
// of products rounded to TF32: used to name the accumulator that a wrong answer betrays, and as imposters.
struct Simulation {
  DType accumulator = DType::f32;
  bool tf32 = false;
};
std::vector<Tensor> simulate(const Contract& contract, const Instance& instance,
                             std::span<const Tensor> inputs, const Simulation& simulation);

// The directional derivative of every output of a forward contract: J v, rounded to double from a precision
// at which it is exact for all purposes. `direction[i]` belongs to input i (empty: zero), row-major.
// Returns one vector an output.
std::vector<std::vector<double>> tangent(const Contract& contract, const Instance& instance,
                                         std::span<const Tensor> inputs,
                                         std::span<const std::vector<double>> direction);

}  // namespace assay
