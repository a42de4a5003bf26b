#include "oracle/gdn/models.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numbers>

namespace assay::gdn {
namespace {

double round_to(DType dtype, double x) {
  return decode(dtype, encode(dtype, x));
}

// 2^14 quantiles of the Cauchy distribution: a tangent for every number would be what a pass takes longest
// for.
const std::array<double, 1 << 14>& cauchy_numbers() {
  static const auto kTable = [] {
    std::array<double, 1 << 14> table;
    for (std::size_t i = 0; i < table.size(); ++i)
      table[i] = std::tan(std::numbers::pi * ((static_cast<double>(i) + 0.5) / table.size() - 0.5));
    return table;
  }();
  return kTable;
}

double norm(const double* x, std::int64_t n, std::int64_t stride) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[i * stride] * x[i * stride];
  return std::sqrt(sum);
}

}  // namespace

void Simulated::at(Site site, std::span<float> x) const {
  if (unit_of(site, leaf_) != Unit::io || io_ == DType::f32) return;
  for (float& e : x) e = static_cast<float>(round_to(io_, e));
}

Perturbed::Perturbed(DType io, Leaf leaf, Noise noise, std::uint64_t seed, std::uint64_t stream)
    : io_(io), leaf_(leaf), noise_(noise), seed_(mix(seed ^ mix(stream))), random_(seed, stream) {
  // The largest rounding becomes 1e-9: far above double's own errors, far below where the second order shows.
  if (noise == Noise::cauchy) step_ = 1e-9 / format_of(io).unit_roundoff();
}

// Numbers that differ by far less than a rounding count as equal. Bounds, though, are of each rounding by
// itself.
double Perturbed::draw(Site site, double value, int precision) {
  if (noise_ == Noise::cauchy) return step_ * cauchy_numbers()[random_.next() >> 50];
  constexpr int kFine = 4;  // bits beyond the precision
  const std::uint64_t same = std::bit_cast<std::uint64_t>(value) >> (53 - precision - kFine);
  const std::uint64_t word = mix(seed_ ^ mix(same ^ static_cast<std::uint64_t>(site) << 59));
  return static_cast<double>(static_cast<std::int64_t>(word) >> 10) * 0x1p-53;
}

void Perturbed::at(Site site, std::span<double> x) {
  const Format format = format_of(dtype_at(site));
  double u = format.unit_roundoff();
  // What is carried may have been rounded with every token of the chunk.
  if (site == Site::carried) u *= noise_ == Noise::uniform ? 8 : kChunk + 2;
  const double least = format.least_subnormal() / 2;
  for (double& e : x) {
    const double size = std::max(u * std::fabs(e), e == 0 ? 0 : least);
    if (size > 0) e += size * draw(site, e, format.precision);
  }
}

// A product of up to 64 exponentials, or one of a sum: an error of the exponent is one of the result.
double Perturbed::gate(double exponent) {
  const double ulps = noise_ == Noise::uniform ? 16 - exponent : 4 * kChunk - 2 * exponent;
  const double value = std::exp(exponent);
  return value == 0 ? 0 : value * (1 + ulps * 0x1p-24 * draw(Site::gate, exponent, 24));
}

// Roundings of n partial sums add up to n u |a||b| at most, and wander about u |a||b|, or sqrt(n) u |c| where
// the terms have one sign.
void Perturbed::summed(Matrix<double>& c, const Matrix<double>& a, const Matrix<double>& b) {
  const double u = 0x1p-24, n = static_cast<double>(a.cols);
  std::vector<double> columns(static_cast<std::size_t>(b.cols));
  for (std::int64_t k = 0; k < b.rows; ++k)
    for (std::int64_t j = 0; j < b.cols; ++j) columns[static_cast<std::size_t>(j)] += b(k, j) * b(k, j);
  for (double& e : columns) e = std::sqrt(e);
  for (std::int64_t i = 0; i < c.rows; ++i) {
    const double row = norm(a.row(i), a.cols, 1);
    for (std::int64_t j = 0; j < c.cols; ++j) {
      const double product = row * columns[static_cast<std::size_t>(j)];
      const double size =
          noise_ == Noise::uniform ? product + std::sqrt(n) * std::fabs(c(i, j)) : (n + 1) * product;
      if (size > 0) c(i, j) += u * size * draw(Site::sum, c(i, j), 24);
    }
  }
}

void Perturbed::accumulated(std::span<double> sums, std::span<const double> squares, std::int64_t terms) {
  const double u = 0x1p-24, n = static_cast<double>(terms);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double product = std::sqrt(n * squares[i]);
    const double size =
        noise_ == Noise::uniform ? product + std::sqrt(n) * std::fabs(sums[i]) : (n + 3) * product;
    if (size > 0) sums[i] += u * size * draw(Site::sum, sums[i], 24);
  }
}

void Representable::at(Site site, std::span<double> x) {
  if (site == Site::output) return;  // rounded once, as the truth is
  const DType dtype = unit_of(site, Leaf::tensor) == Unit::io ? io_ : DType::f32;
  for (double e : x) exact_ &= round_to(dtype, e) == e;
}

Results chunked(const Problem& problem) {
  Plain plain;
  return evaluate_chunked(problem, plain);
}

Results simulated(const Problem& problem, Leaf leaf, Fault fault) {
  Simulated arithmetic(problem.dtype, leaf);
  return evaluate_chunked(problem, arithmetic, fault);
}

Results perturbed(const Problem& problem, Perturbed& arithmetic) {
  return evaluate_chunked(problem, arithmetic);
}

bool is_exact(const Problem& problem) {
  Representable arithmetic(problem.dtype);
  evaluate_chunked(problem, arithmetic);
  return arithmetic.exact();
}

}  // namespace assay::gdn
