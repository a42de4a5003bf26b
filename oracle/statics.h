#pragma once

// Values that depend on no float tensor: sizes, indices, guards, `where`.
//
// Integers are exact; what leaves 64 bits or divides by zero raises `failed` and counts as 0.

#include <cstdint>
#include <span>
#include <vector>

#include "core/signature.h"
#include "core/tensor.h"
#include "oracle/program.h"

namespace assay::lang {

class Statics {
 public:
  // All outlive it. `variables` has one element for each of Program::variables; those of reductions inside
  // the expression are written.
  Statics(const Program& program, const Instance& instance, std::span<const Tensor> inputs)
      : program_(program), instance_(instance), inputs_(inputs) {}

  std::int64_t integer(ExprId id, std::int64_t* variables = nullptr) const;
  double number(ExprId id, std::int64_t* variables = nullptr) const;  // of any static number
  bool condition(ExprId id, std::int64_t* variables = nullptr) const;

  // The limits of a binder's index: lower <= index < upper.
  struct Range {
    std::int64_t lower;
    std::int64_t upper;
  };
  Range range(const Binder& binder, std::int64_t* variables = nullptr) const;

  // The row-major offset of an input's element, or -1 where an index is out of range.
  std::int64_t offset(const Expr& read, std::int64_t* variables) const;

  bool failed() const { return failed_; }

 private:
  std::int64_t defined(const Expr& e, std::int64_t* variables) const;
  std::int64_t count(const Expr& e, std::int64_t* variables) const;
  bool quantified(const Expr& e, std::int64_t* variables) const;
  template <class Visit>
  bool for_each(const Expr& e, std::size_t binder, std::int64_t* variables, Visit&& visit) const;
  std::int64_t fail() const {
    failed_ = true;
    return 0;
  }

  const Program& program_;
  const Instance& instance_;
  std::span<const Tensor> inputs_;
  mutable bool failed_ = false;
  mutable std::vector<std::vector<std::int64_t>> defined_;  // of definitions of one index, by it
};

std::int64_t floor_divide(std::int64_t a, std::int64_t b);  // b != 0
std::int64_t modulo(std::int64_t a, std::int64_t b);        // the sign of b; b != 0

}  // namespace assay::lang
