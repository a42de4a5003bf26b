#include "oracle/real.h"

#include <mpfr.h>

#include <cassert>
#include <cmath>
#include <new>
#include <vector>

namespace assay {
namespace {

constexpr long kGreatestExponent = 16000;
thread_local int thread_precision = 128;

static_assert(sizeof(mpfr_t) <= sizeof(Real) && alignof(mpfr_t) <= alignof(Real));

}  // namespace

struct Access {
  static mpfr_ptr get(Real& r) { return std::launder(reinterpret_cast<mpfr_ptr>(r.storage_)); }
  static mpfr_srcptr get(const Real& r) { return std::launder(reinterpret_cast<mpfr_srcptr>(r.storage_)); }
};

namespace {

mpfr_ptr raw(Real& r) {
  return Access::get(r);
}
mpfr_srcptr raw(const Real& r) {
  return Access::get(r);
}

// Runs one operation, and holds the result inside the range.
template <class Operation>
Rounded finish(Operation operation) {
  Rounded result;
  mpfr_ptr r = raw(result.value);
  mpfr_clear_flags();
  result.exact = operation(r) == 0;
  if (mpfr_overflow_p()) {
    const int sign = mpfr_signbit(r) ? -1 : 1;
    mpfr_set_inf(r, sign);
    sign > 0 ? mpfr_nextbelow(r) : mpfr_nextabove(r);
    result.exact = false;
  } else if (mpfr_underflow_p()) {
    const bool negative = mpfr_signbit(r);
    mpfr_set_zero(r, negative ? -1 : 1);
    negative ? mpfr_nextbelow(r) : mpfr_nextabove(r);
    result.exact = false;
  }
  return result;
}

}  // namespace

Real::Scope::Scope(int precision)
    : precision_(thread_precision), least_(mpfr_get_emin()), greatest_(mpfr_get_emax()) {
  assert(precision >= 64);
  thread_precision = precision;
  mpfr_set_emin(-kGreatestExponent);
  mpfr_set_emax(kGreatestExponent);
}

Real::Scope::~Scope() {
  thread_precision = precision_;
  mpfr_set_emin(least_);
  mpfr_set_emax(greatest_);
}

int Real::precision() {
  return thread_precision;
}

Real::Real() {
  mpfr_init2(raw(*this), thread_precision);
  mpfr_set_zero(raw(*this), 1);
}
Real::Real(double value) {
  mpfr_init2(raw(*this), thread_precision);
  mpfr_set_d(raw(*this), value, MPFR_RNDN);
}
Real::Real(long double value) {
  mpfr_init2(raw(*this), thread_precision);
  mpfr_set_ld(raw(*this), value, MPFR_RNDN);
}
Real Real::of_integer(std::int64_t value) {
  Real result;
  mpfr_set_si(raw(result), value, MPFR_RNDN);
  return result;
}
Real::Real(const Real& other) {
  mpfr_init2(raw(*this), mpfr_get_prec(raw(other)));
  mpfr_set(raw(*this), raw(other), MPFR_RNDN);
}
// A moved-from number is +0 of the least precision: destructible and assignable.
Real::Real(Real&& other) noexcept {
  mpfr_init2(raw(*this), MPFR_PREC_MIN);
  mpfr_set_zero(raw(*this), 1);
  mpfr_swap(raw(*this), raw(other));
}
Real& Real::operator=(const Real& other) {
  if (this == &other) return *this;
  mpfr_set_prec(raw(*this), mpfr_get_prec(raw(other)));
  mpfr_set(raw(*this), raw(other), MPFR_RNDN);
  return *this;
}
Real& Real::operator=(Real&& other) noexcept {
  mpfr_swap(raw(*this), raw(other));
  return *this;
}
Real::~Real() {
  mpfr_clear(raw(*this));
}

bool Real::is_nan() const {
  return mpfr_nan_p(raw(*this));
}
bool Real::is_infinite() const {
  return mpfr_inf_p(raw(*this));
}
bool Real::is_zero() const {
  return mpfr_zero_p(raw(*this));
}
bool Real::is_negative() const {
  return mpfr_signbit(raw(*this));
}
int Real::sign() const {
  if (is_nan()) return 0;
  const int s = mpfr_sgn(raw(*this));
  return (s > 0) - (s < 0);
}

double Real::to_double() const {
  return mpfr_get_d(raw(*this), MPFR_RNDN);
}
long double Real::to_long_double() const {
  return mpfr_get_ld(raw(*this), MPFR_RNDN);
}

double Real::round_to(const Format& format) const {
  if (is_nan() || is_infinite() || is_zero()) return to_double();
  // The quantum of the value's binade, not below the least subnormal; a value of p bits at most is a double.
  const long lowest = std::max<long>(highest_bit() - format.precision + 1, format.min_exponent);
  const long bits = highest_bit() - lowest + 1;  // that the result keeps; <= 0 below the least subnormal
  const bool negative = is_negative();
  double magnitude = 0;
  if (bits >= 1) {
    mpfr_t r;
    mpfr_init2(r, std::max<long>(bits, MPFR_PREC_MIN));
    mpfr_set(r, raw(*this), MPFR_RNDN);
    magnitude = std::fabs(mpfr_get_d(r, MPFR_RNDN));
    mpfr_clear(r);
  } else if (bits == 0) {  // between half the least subnormal and all of it; the tie goes to zero
    magnitude = lowest_bit() == highest_bit() ? 0 : format.least_subnormal();
  }
  if (magnitude > format.largest()) magnitude = HUGE_VAL;
  return negative ? -magnitude : magnitude;
}

std::string Real::to_string(int digits) const {
  char* text = nullptr;
  if (mpfr_asprintf(&text, "%.*Rg", digits, raw(*this)) < 0) return {};
  std::string result = text;
  mpfr_free_str(text);
  return result;
}

long Real::highest_bit() const {
  return mpfr_get_exp(raw(*this)) - 1;
}
long Real::lowest_bit() const {
  return mpfr_get_exp(raw(*this)) - static_cast<long>(mpfr_min_prec(raw(*this)));
}

Real operator-(const Real& a) {
  Real result = a;
  mpfr_neg(raw(result), raw(a), MPFR_RNDN);
  return result;
}

int compare(const Real& a, const Real& b) {
  const int order = mpfr_cmp(raw(a), raw(b));
  return (order > 0) - (order < 0);
}

Rounded add(const Real& a, const Real& b) {
  return finish([&](mpfr_ptr r) { return mpfr_add(r, raw(a), raw(b), MPFR_RNDN); });
}
Rounded subtract(const Real& a, const Real& b) {
  return finish([&](mpfr_ptr r) { return mpfr_sub(r, raw(a), raw(b), MPFR_RNDN); });
}
Rounded multiply(const Real& a, const Real& b) {
  return finish([&](mpfr_ptr r) { return mpfr_mul(r, raw(a), raw(b), MPFR_RNDN); });
}
Rounded divide(const Real& a, const Real& b) {
  return finish([&](mpfr_ptr r) { return mpfr_div(r, raw(a), raw(b), MPFR_RNDN); });
}
Rounded power(const Real& a, int n) {
  return finish([&](mpfr_ptr r) { return mpfr_pow_ui(r, raw(a), static_cast<unsigned long>(n), MPFR_RNDN); });
}

Rounded sum(std::span<const Real* const> terms) {
  if (terms.empty()) return {};
  thread_local std::vector<mpfr_ptr> pointers;
  pointers.clear();
  for (const Real* t : terms) pointers.push_back(const_cast<mpfr_ptr>(raw(*t)));  // mpfr_sum only reads
  return finish([&](mpfr_ptr r) { return mpfr_sum(r, pointers.data(), pointers.size(), MPFR_RNDN); });
}

Rounded call(Function f, const Real& a) {
  return finish([&](mpfr_ptr r) {
    mpfr_srcptr x = raw(a);
    switch (f) {
      case Function::exp:
        return mpfr_exp(r, x, MPFR_RNDN);
      case Function::log:
        return mpfr_log(r, x, MPFR_RNDN);
      case Function::sqrt:
        return mpfr_sqrt(r, x, MPFR_RNDN);
      case Function::rsqrt: {
        const int inexact = mpfr_rec_sqrt(r, x, MPFR_RNDN);
        if (mpfr_zero_p(x) && mpfr_signbit(x)) mpfr_set_inf(r, -1);  // as IEEE's rSqrt
        return inexact;
      }
      case Function::tanh:
        return mpfr_tanh(r, x, MPFR_RNDN);
      case Function::erf:
        return mpfr_erf(r, x, MPFR_RNDN);
      case Function::abs:
        return mpfr_abs(r, x, MPFR_RNDN);
      case Function::sin:
        return mpfr_sin(r, x, MPFR_RNDN);
      case Function::cos:
        return mpfr_cos(r, x, MPFR_RNDN);
      case Function::expm1:
        return mpfr_expm1(r, x, MPFR_RNDN);
      case Function::log1p:
        return mpfr_log1p(r, x, MPFR_RNDN);
      case Function::floor:
        return mpfr_rint_floor(r, x, MPFR_RNDN);
      case Function::sign:
        if (mpfr_nan_p(x) || mpfr_zero_p(x)) return mpfr_set(r, x, MPFR_RNDN);
        return mpfr_set_si(r, mpfr_sgn(x) > 0 ? 1 : -1, MPFR_RNDN);
    }
    return 0;
  });
}

Rounded of_constant(const Constant& c) {
  switch (c.kind) {
    case Constant::Kind::pi:
      return finish([](mpfr_ptr r) { return mpfr_const_pi(r, MPFR_RNDN); });
    case Constant::Kind::infinity:
      return {Real(c.numerator < 0 ? -HUGE_VAL : HUGE_VAL), true};
    case Constant::Kind::nan:
      return {Real(std::nan("")), true};
    case Constant::Kind::real:
      return {Real(c.value), true};
    case Constant::Kind::rational:
      break;
  }
  // One rounding of an exact rational.
  return finish([&](mpfr_ptr r) {
    mpz_t scale;
    mpz_init(scale);
    mpz_ui_pow_ui(scale, 10, static_cast<unsigned long>(std::abs(c.exponent)));
    mpq_t q;
    mpq_init(q);
    mpz_set_si(mpq_numref(q), c.numerator);
    mpz_set_si(mpq_denref(q), c.denominator);
    mpz_ptr scaled = c.exponent >= 0 ? mpq_numref(q) : mpq_denref(q);
    mpz_mul(scaled, scaled, scale);
    mpq_canonicalize(q);
    const int inexact = mpfr_set_q(r, q, MPFR_RNDN);
    mpq_clear(q);
    mpz_clear(scale);
    return inexact;
  });
}

}  // namespace assay
