#pragma once

// Arithmetics of the chunk form (oracle/gdn/chunked.h).
//
//   Plain          double, nothing rounded: the truth in another form
//   Simulated      f32 with operands rounded as the manifest says: what an honest kernel returns
//   Perturbed      double with a random perturbation of the size of each rounding: how far honest kernels
//                  scatter (oracle/gdn/monte_carlo.h). Rounding is a function: equal numbers at one site are
//                  perturbed alike, so that what repeats from chunk to chunk adds up as it does in a kernel
//   Representable  double that notices whether any rounding would have changed anything

#include <cmath>
#include <cstdint>
#include <span>

#include "core/dtype.h"
#include "core/random.h"
#include "oracle/gdn/chunked.h"

namespace assay::gdn {

// Below it exp is 0 in double.
constexpr double kDoubleReset = -745.2;

struct Plain : Exact<double> {
  double gate(double exponent) const { return std::exp(exponent); }
  void summed(Matrix<double>&, const Matrix<double>&, const Matrix<double>&) {}
  void accumulated(std::span<double>, std::span<const double>, std::int64_t) {}
  double reset() const { return kDoubleReset; }
  bool counts() const { return false; }
};

class Simulated {
 public:
  using Number = float;
  Simulated(DType io, Leaf leaf) : io_(io), leaf_(leaf) {}

  void at(Site site, std::span<float> x) const;
  float gate(double exponent) const { return std::exp(static_cast<float>(exponent)); }
  void summed(Matrix<float>&, const Matrix<float>&, const Matrix<float>&) {}
  void accumulated(std::span<float>, std::span<const double>, std::int64_t) {}
  double reset() const { return kReset; }
  bool counts() const { return false; }

 private:
  DType io_;
  Leaf leaf_;
};

class Perturbed {
 public:
  using Number = double;

  enum class Noise : std::uint8_t {
    uniform,  // as far as roundings go; sums as far as they wander: the spread of honest kernels
    cauchy,   // of the scale of a rounding's bound, made small: the spread over `step` is the sum of all
              // bounds
  };
  Perturbed(DType io, Leaf leaf, Noise noise, std::uint64_t seed, std::uint64_t stream);

  void at(Site site, std::span<double> x);
  double gate(double exponent);
  void summed(Matrix<double>& c, const Matrix<double>& a, const Matrix<double>& b);
  void accumulated(std::span<double> sums, std::span<const double> squares, std::int64_t terms);
  double reset() const { return kDoubleReset; }
  bool counts() const { return true; }
  double step() const { return step_; }

 private:
  double draw(Site site, double value, int precision);
  DType dtype_at(Site site) const { return unit_of(site, leaf_) == Unit::io ? io_ : DType::f32; }

  DType io_;
  Leaf leaf_;
  Noise noise_;
  double step_ = 1;
  std::uint64_t seed_;
  CounterRandom random_;
};

class Representable : public Plain {
 public:
  explicit Representable(DType io) : io_(io) {}
  void at(Site site, std::span<double> x);
  void summed(Matrix<double>& c, const Matrix<double>&, const Matrix<double>&) { at(Site::sum, c.x); }
  void accumulated(std::span<double> sums, std::span<const double>, std::int64_t) { at(Site::sum, sums); }
  bool exact() const { return exact_; }

 private:
  DType io_;
  bool exact_ = true;
};

template <class A>
Results evaluate_chunked(const Problem& problem, A& arithmetic, Fault fault = Fault::none) {
  return each_head(problem, arithmetic, [&](const Head<typename A::Number>& head) {
    return ChunkForm<A>(head, arithmetic, fault).run();
  });
}

// Compiled once (oracle/gdn/models.cpp).
Results chunked(const Problem& problem);
Results simulated(const Problem& problem, Leaf leaf, Fault fault = Fault::none);
Results perturbed(const Problem& problem, Perturbed& arithmetic);

// Whether no rounding of the tensor leaf changes anything: then every honest kernel returns the truth.
bool is_exact(const Problem& problem);

}  // namespace assay::gdn
