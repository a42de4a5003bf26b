#include "oracle/ball.h"

#include <cmath>
#include <limits>

#include "oracle/deviation.h"

namespace assay {
namespace {

constexpr long double kLeast = std::numeric_limits<long double>::denorm_min();

long double unit() {
  return std::ldexp(1.0L, -Real::precision());
}

// Far above every value (2^16000), far below the overflow of a product with a radius.
constexpr bool finite(long double x) {
  return x <= std::numeric_limits<long double>::max();
}

}  // namespace

Ball::Ball(Rounded r, Scalar inherited)
    : value_(std::make_shared<const Real>(std::move(r.value))), approximate_(value_->to_long_double()) {
  error_ = inherited;
  if (!r.exact) error_ += unit() * std::fabs(approximate_) + kLeast;
  if (error_ != 0) error_ = error_ * kInflate + kLeast;
}

const Real& Ball::real() const {
  static const Real kZero(0.0);
  return value_ ? *value_ : kZero;
}

bool Ball::known() const {
  return finite(error_) && !real().is_nan() && !real().is_infinite();
}

// `approximate_` is the value to 2^-64 of it.
Ball::Scalar Ball::upper() const {
  if (error_ == 0 && (approximate_ == 0 || highest_bit() - lowest_bit() < 64)) return approximate_;
  return outward_up(outward_up(approximate_) + error_);
}
Ball::Scalar Ball::lower() const {
  if (error_ == 0 && (approximate_ == 0 || highest_bit() - lowest_bit() < 64)) return approximate_;
  return outward_down(outward_down(approximate_) - error_);
}

Ball Ball::multiply(const Ball& a, const Ball& b) {
  const Scalar x = std::fabs(a.approximate_) * kInflate, y = std::fabs(b.approximate_) * kInflate;
  return Ball(assay::multiply(a.real(), b.real()), x * b.error_ + y * a.error_ + a.error_ * b.error_);
}

Ball Ball::divide(const Ball& a, const Ball& b) {
  Rounded quotient = assay::divide(a.real(), b.real());
  Scalar inherited = 0;
  if (a.error_ != 0 || b.error_ != 0) {
    const Scalar room = std::fabs(b.approximate_) / Scalar(kInflate) - b.error_;
    const Scalar size = std::fabs(quotient.value.to_long_double()) * kInflate;
    inherited = room > 0 ? (a.error_ + size * b.error_) / room * kInflate : HUGE_VALL;
  }
  return Ball(std::move(quotient), inherited);
}

Ball Ball::power(const Ball& a, int n) {
  if (a.is_exact()) return Ball(assay::power(a.real(), n), 0);
  Ball result = a;
  for (int i = 1; i < n; ++i) result = multiply(result, a);
  return result;
}

Ball Ball::call(Function f, const Ball& a) {
  Rounded result = assay::call(f, a.real());
  if (f == Function::abs) return Ball(std::move(result), a.error_);
  if (f == Function::floor || f == Function::sign) return Ball(std::move(result), floor_is_sure(a) ? 0 : 1);
  Scalar inherited = 0;
  if (a.error_ != 0) {
    const bool positive_domain = f == Function::log || f == Function::sqrt || f == Function::rsqrt;
    const Scalar least = f == Function::log1p ? -1 : 0;
    if ((positive_domain || f == Function::log1p) && a.lower() <= least) {
      inherited = HUGE_VALL;
    } else {
      const Scalar at = result.value.to_long_double();
      inherited = kInflate * std::max(std::fabs(deviation(f, a.approximate_, at, a.error_)),
                                      std::fabs(deviation(f, a.approximate_, at, -a.error_)));
    }
  }
  return Ball(std::move(result), inherited);
}

bool Ball::floor_is_sure(const Ball& a) {
  if (a.is_exact()) return true;
  return std::floor(a.lower()) == std::floor(a.upper());
}

int Ball::order(const Ball& a, const Ball& b) {
  if (a.is_exact() && b.is_exact()) return compare(a.real(), b.real());
  const Scalar difference = subtract(a.real(), b.real()).value.to_long_double();
  const Scalar doubt = (a.error_ + b.error_) * kInflate + unit() * std::fabs(difference);
  if (std::fabs(difference) > doubt) return difference > 0 ? 1 : -1;
  return 2;
}

int Ball::order(Scalar offset, Scalar point) const {
  const Real o(offset), p = -Real(point);
  const Real* terms[] = {&real(), &o, &p};
  const Scalar sum = assay::sum(terms).value.to_long_double();  // its sign is exact
  if (error_ == 0 || std::fabs(sum) > error_ * kInflate) return (sum > 0) - (sum < 0);
  return 2;
}

}  // namespace assay
