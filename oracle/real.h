#pragma once

// A number of arbitrary precision: MPFR behind a value type. Only oracle/real.cpp sees mpfr.h.
//
// A result has the thread's current precision; operands may have any. IEEE specials and signed zeros are
// kept. Finite results never leave the range: beyond 2^16000 a result is the largest finite number, below
// 2^-16000 the least, so that exp(1e38) is no infinity and its reciprocal no zero. Every long double's
// exponent fits.
//
// Laws: an operation is correctly rounded (to nearest, even) at its precision and says whether it was exact;
// `round_to` rounds once, straight to the format, subnormals included.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/dtype.h"
#include "oracle/algebra.h"

namespace assay {

class Real {
 public:
  // Sets the thread's precision, in bits, and the exponent range while it lives.
  class Scope {
   public:
    explicit Scope(int precision);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    int precision_;
    long least_;
    long greatest_;
  };
  static int precision();  // the thread's current one

  Real();                                      // +0
  explicit Real(double value);                 // exact at any precision >= 53, else rounded
  explicit Real(long double value);            // exact at any precision >= 64
  static Real of_integer(std::int64_t value);  // exact
  Real(const Real& other);                     // keeps the other's precision
  Real(Real&& other) noexcept;
  Real& operator=(const Real& other);
  Real& operator=(Real&& other) noexcept;
  ~Real();

  bool is_nan() const;
  bool is_infinite() const;
  bool is_zero() const;
  bool is_negative() const;  // the sign bit; -0 is negative
  int sign() const;          // -1, 0 or 1; 0 for NaN

  double to_double() const;                     // to nearest
  long double to_long_double() const;           // to nearest
  double round_to(const Format& format) const;  // to nearest even, infinities beyond the range
  std::string to_string(int digits = 20) const;

  // Of a finite non-zero number: exponents of its highest and lowest set bits.
  long highest_bit() const;
  long lowest_bit() const;

  friend Real operator-(const Real& a);
  friend int compare(const Real& a, const Real& b);  // -1, 0, 1; neither may be NaN

 private:
  friend struct Access;
  alignas(8) unsigned char storage_[32];
};

int compare(const Real& a, const Real& b);

// A result, and whether it is exact.
struct Rounded {
  Real value;
  bool exact = true;
};

Rounded add(const Real& a, const Real& b);
Rounded subtract(const Real& a, const Real& b);
Rounded multiply(const Real& a, const Real& b);
Rounded divide(const Real& a, const Real& b);
Rounded power(const Real& a, int n);
Rounded sum(std::span<const Real* const> terms);  // correctly rounded once; empty: +0
Rounded call(Function f, const Real& a);          // floor and sign of a zero keep its sign
Rounded of_constant(const Constant& c);

}  // namespace assay
