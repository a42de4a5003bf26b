// Quantised data: 8-bit integers and floats.

#include <algorithm>
#include <cmath>

#include "tests/oracle/naive.h"

namespace assay {
namespace {

using Inputs = std::vector<Row>;

const std::vector<Dims> kProducts = {{0, 2, 3}, {1, 1, 1}, {2, 3, 0}, {5, 4, 33}};
const std::vector<Dims> kVectors = {{0}, {1}, {37}};

// a[m, k] times b, [k, n] or, where `transposed`, [n, k].
Row product(const Dims& d, const Row& a, const Row& b, bool transposed) {
  Row c(static_cast<std::size_t>(d[0] * d[1]), 0);
  for (std::int64_t p = 0; p < d[2]; ++p)
    for (std::int64_t e = 0; e < d[0] * d[1]; ++e)
      c[static_cast<std::size_t>(e)] +=
          at(a, e / d[1] * d[2] + p) * at(b, transposed ? e % d[1] * d[2] + p : p * d[1] + e % d[1]);
  return c;
}

// A product with scales, each of one number or one a row of its matrix.
Naive scaled(std::string name) {
  return {std::move(name), kProducts, {}, [](const Dims& d, const Row&, const Inputs& in) {
            Row y = product(d, in[0], in[1], true);
            for (std::size_t e = 0; e < y.size(); ++e) {
              const auto row = static_cast<std::int64_t>(e) / d[1],
                         column = static_cast<std::int64_t>(e) % d[1];
              y[e] *= at(in[2], in[2].size() == 1 ? 0 : row);
              if (in.size() > 3) y[e] *= at(in[3], in[3].size() == 1 ? 0 : column);
            }
            return Inputs{y};
          }};
}

// Of one number and the scale.
Naive elementwise(std::string name, double (*f)(double x, double scale, const Row& attributes),
                  Row attributes = {}) {
  return {std::move(name), kVectors, std::move(attributes),
          [f](const Dims&, const Row& a, const Inputs& in) {
            Row y;
            for (const double x : in[0]) y.push_back(f(x, in.size() > 1 ? in[1][0] : 1, a));
            return Inputs{y};
          },
          900};
}

double same(double x, double, const Row&) {
  return x;
}

double byte(double x) {
  return std::min(std::max(std::nearbyint(x), -128.0), 127.0);  // ties to even
}

}  // namespace

std::vector<Naive> naive_bytes() {
  return {
      {"matmul_i8",
       kProducts,
       {},
       [](const Dims& d, const Row&, const Inputs& in) { return Inputs{product(d, in[0], in[1], false)}; }},
      scaled("matmul_i8_tensorwise"),
      scaled("matmul_i8_rowwise"),
      scaled("matmul_fp8"),
      scaled("matmul_fp8_e5m2"),
      scaled("matmul_fp8_rowwise"),
      elementwise("cast_e4m3", same),
      elementwise("cast_e5m2", same),
      elementwise("quantize_e4m3", [](double x, double scale,
                                      const Row&) { return std::min(std::max(x / scale, -448.0), 448.0); }),
      elementwise("dequantize_e4m3", [](double x, double scale, const Row&) { return x * scale; }),
      elementwise("quantize_i8",
                  [](double x, double scale, const Row& a) { return byte(std::nearbyint(x / scale) + a[0]); },
                  {-3}),
      elementwise("dequantize_i8", [](double x, double scale, const Row& a) { return (x - a[0]) * scale; },
                  {5}),
      {"quantize_i8_rowwise",
       {{0, 3}, {1, 1}, {5, 33}},
       {},
       [](const Dims& d, const Row&, const Inputs& in) {
         Row y, s;
         for (std::int64_t r = 0; r < d[0]; ++r) {
           const Row row = row_of(d[1], in[0], r);
           double most = 0;
           for (const double x : row) most = std::max(most, std::fabs(x));
           s.push_back(most / 127);
           for (const double x : row) y.push_back(byte(x * 127 / most));
         }
         return Inputs{y, s};
       }},
  };
}

}  // namespace assay
