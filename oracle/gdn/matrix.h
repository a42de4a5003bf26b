#pragma once

// Small dense matrices of the chunk form, row-major.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace assay::gdn {

template <class N>
struct Matrix {
  std::int64_t rows = 0, cols = 0;
  std::vector<N> x;

  Matrix() = default;
  Matrix(std::int64_t r, std::int64_t c) : rows(r), cols(c), x(static_cast<std::size_t>(r * c), N(0)) {}
  // Rows first .. first+r-1 of a longer matrix.
  Matrix(const std::vector<N>& of, std::int64_t first, std::int64_t r, std::int64_t c)
      : rows(r), cols(c), x(of.begin() + first * c, of.begin() + (first + r) * c) {}
  Matrix(std::int64_t r, std::int64_t c, std::vector<N> contents)
      : rows(r), cols(c), x(std::move(contents)) {}

  N* row(std::int64_t i) { return x.data() + i * cols; }
  const N* row(std::int64_t i) const { return x.data() + i * cols; }
  N& operator()(std::int64_t i, std::int64_t j) { return x[static_cast<std::size_t>(i * cols + j)]; }
  const N& operator()(std::int64_t i, std::int64_t j) const {
    return x[static_cast<std::size_t>(i * cols + j)];
  }
};

// a b, each element summed in ascending order of the contraction.
Matrix<double> multiply(const Matrix<double>& a, const Matrix<double>& b);
Matrix<float> multiply(const Matrix<float>& a, const Matrix<float>& b);

template <class N>
Matrix<N> transposed(const Matrix<N>& a) {
  Matrix<N> t(a.cols, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) t(j, i) = a(i, j);
  return t;
}

template <class N>
Matrix<N>& operator+=(Matrix<N>& a, const Matrix<N>& b) {
  for (std::size_t i = 0; i < a.x.size(); ++i) a.x[i] += b.x[i];
  return a;
}

template <class N>
Matrix<N> scaled(Matrix<N> a, N factor) {
  for (N& e : a.x) e *= factor;
  return a;
}

// Row i times factors[i].
template <class N>
Matrix<N> scaled_rows(Matrix<N> a, std::span<const N> factors) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) a(i, j) *= factors[static_cast<std::size_t>(i)];
  return a;
}

// Element by element; a matrix of one column stands for as many as the other has.
template <class N>
Matrix<N> weighted(Matrix<N> a, const Matrix<N>& weights) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) a(i, j) *= weights(i, weights.cols == 1 ? 0 : j);
  return a;
}

}  // namespace assay::gdn
