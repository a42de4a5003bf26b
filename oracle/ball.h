#pragma once

// A truth known to within an error, as oracle/filter.h, with a Real at its centre: |truth - value| <= error.
//
// MPFR says which operations were exact; every other one adds 2^-precision of its result. Where a Filter
// cannot decide, a Ball of enough bits can.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/dtype.h"
#include "oracle/algebra.h"
#include "oracle/real.h"

namespace assay {

struct Ball {
  using Scalar = long double;

  Ball() = default;
  Ball(Rounded r, Scalar inherited);

  static Ball exact(double x) { return Ball({Real(x), true}, 0); }
  static Ball integer(std::int64_t i) { return Ball({Real::of_integer(i), true}, 0); }
  static Ball constant(const Constant& c) { return Ball(of_constant(c), 0); }

  bool is_exact() const { return error_ == 0; }
  bool known() const;
  bool is_negative() const { return value_ && value_->is_negative(); }
  Scalar approximate() const { return approximate_; }
  Scalar upper() const;
  Scalar lower() const;
  double to_double() const { return real().to_double(); }
  double round_to(const Format& format) const { return real().round_to(format); }
  int highest_bit() const { return static_cast<int>(real().highest_bit()); }
  int lowest_bit() const { return static_cast<int>(real().lowest_bit()); }

  Ball widened(Scalar doubt) const { return Ball({real(), true}, error_ + doubt); }
  Ball negated() const { return Ball({-real(), true}, error_); }
  static Ball multiply(const Ball& a, const Ball& b);
  static Ball divide(const Ball& a, const Ball& b);
  static Ball power(const Ball& a, int n);
  static Ball call(Function f, const Ball& a);
  static bool floor_is_sure(const Ball& a);

  template <class Get>
  static Ball sum(std::size_t n, Get get, bool from_first) {
    std::vector<const Real*> terms(n);
    Scalar errors = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Ball& t = get(i);
      terms[i] = &t.real();
      errors += t.error_;
    }
    static const Real kZero(0.0);
    if (!from_first) terms.push_back(&kZero);
    return Ball(assay::sum(terms), errors);
  }

  struct Sum;  // the same from +0, one term at a time

  static int order(const Ball& a, const Ball& b);
  int order(Scalar offset, Scalar point) const;

  const Real& real() const;

 private:
  std::shared_ptr<const Real> value_;  // shared: copies of a Ball are cheap; none: +0
  Scalar approximate_ = 0;             // to nearest
  Scalar error_ = 0;
};

struct Ball::Sum {
  std::vector<Ball> terms;
  void add(const Ball& t) { terms.push_back(t); }
  Ball total() const {
    return sum(terms.size(), [&](std::size_t i) -> const Ball& { return terms[i]; }, false);
  }
};

}  // namespace assay
