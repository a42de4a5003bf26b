#pragma once

// A plan at concrete sizes: the range of every table, and where each access reads.
//
// An index that is affine in the variables and never out of range, by interval arithmetic, costs a few
// multiplications; any other is computed and checked when it is read.

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/plan.h"
#include "oracle/statics.h"

namespace assay::lang {

class Binding {
 public:
  // All arguments outlive it.
  Binding(const Program& program, const Plan& plan, const Instance& instance, const Shapes& shapes,
          std::span<const Tensor> inputs);

  struct Place {  // one index of a table
    std::int64_t lower = 0;
    std::int64_t extent = 0;
    std::int64_t stride = 1;
  };
  std::span<const Place> places(std::size_t table) const {
    return {places_.data() + first_place_[table], plan_.tables[table].rank};
  }
  std::int64_t size(std::size_t table) const { return sizes_[table]; }

  // The offset in its table that an access reads, or -1 where an index is out of range.
  std::int64_t offset(std::int32_t access, std::int64_t* variables) const {
    const Bound& bound = accesses_[static_cast<std::size_t>(access)];
    if (!bound.linear) return checked_offset(access, variables);
    std::int64_t at = bound.constant;
    for (std::int32_t t = bound.first; t < bound.last; ++t) {
      at += terms_[static_cast<std::size_t>(t)].factor *
            variables[terms_[static_cast<std::size_t>(t)].variable];
    }
    return at;
  }

  const Statics& statics() const { return statics_; }
  Constant constant(const Literal& literal) const;  // exact

 private:
  struct Term {
    std::int32_t variable;
    std::int64_t factor;
  };
  struct Bound {
    bool linear = false;
    std::int64_t constant = 0;
    std::int32_t first = 0;  // terms
    std::int32_t last = 0;
  };
  struct Interval {
    std::int64_t low = 0;
    std::int64_t high = 0;
    bool known = false;
  };

  std::int64_t checked_offset(std::int32_t access, std::int64_t* variables) const;
  void range_table(std::size_t table);
  Interval range_of_place(std::size_t table, std::size_t place);
  Interval reads_of(std::size_t table, std::size_t place);
  Interval interval(const Index& index);
  Interval interval(ExprId id);
  Interval variable(std::int32_t v);
  bool affine(const Index& index, std::int64_t factor, Bound& bound);
  bool affine(ExprId id, std::int64_t factor, Bound& bound);
  void add_term(std::int32_t variable, std::int64_t factor, const Bound& bound);
  std::int64_t constant_value(ExprId id) { return statics_.integer(id, nullptr); }

  const Program& program_;
  const Plan& plan_;
  const Instance& instance_;
  const Shapes& shapes_;
  Statics statics_;
  std::vector<std::size_t> first_place_;
  std::vector<Place> places_;
  std::vector<Interval> ranges_;  // of places
  std::vector<char> ranged_;      // of places: 0 not yet, 1 in progress, 2 done
  std::vector<Interval> variables_;
  std::vector<char> variable_known_;
  std::vector<std::int64_t> sizes_;
  std::vector<Term> terms_;
  std::vector<Bound> accesses_;
};

}  // namespace assay::lang
