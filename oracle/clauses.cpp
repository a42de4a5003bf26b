#include "oracle/clauses.h"

#include <algorithm>

#include "core/text.h"
#include "oracle/statics.h"

namespace assay {
namespace lang {

DType accumulator_of(const Program& program, DType dtype) {
  if (program.states_accumulator) return program.accumulator.value_or(dtype);
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

Arithmetic arithmetic_of(const Program& program, const Instance& instance, const Allowances& allowances) {
  Arithmetic arithmetic;
  arithmetic.dtype = instance.dtype;
  arithmetic.work = accumulator_of(program, instance.dtype);
  if (program.depth != kNone) {
    arithmetic.depth = std::max<std::int64_t>(1, Statics(program, instance, {}).integer(program.depth));
  }
  arithmetic.may_flush = allowances.subnormals || allowances.fast_math;
  for (const Subnormals& s : program.subnormals) {
    const bool concerned =
        s.dtypes.empty() || std::find(s.dtypes.begin(), s.dtypes.end(), instance.dtype) != s.dtypes.end();
    if (concerned && s.may_flush) arithmetic.may_flush = true;
  }
  arithmetic.tf32 = allowances.tf32;
  arithmetic.fast_math = allowances.fast_math;
  for (const Accuracy& a : program.accuracies)
    arithmetic.accuracy[static_cast<std::size_t>(a.function)] = a.ulps;
  return arithmetic;
}

}  // namespace lang

namespace {

struct AllowanceName {
  std::string_view name;
  bool Allowances::* member;
};
constexpr AllowanceName kAllowances[] = {
    {"tf32", &Allowances::tf32},
    {"fast-math", &Allowances::fast_math},
    {"nondeterminism", &Allowances::nondeterminism},
    {"subnormals", &Allowances::subnormals},
    {"zero-sign", &Allowances::zero_sign},
    {"ties", &Allowances::ties},
};

}  // namespace

Expected<Allowances> parse_allowances(std::string_view comma_separated) {
  Allowances allowances;
  if (trim(comma_separated).empty()) return allowances;
  for (const std::string& part : split(comma_separated, ',')) {
    const std::string_view word = trim(part);
    const auto* found = std::find_if(std::begin(kAllowances), std::end(kAllowances),
                                     [&](const AllowanceName& a) { return a.name == word; });
    if (found == std::end(kAllowances)) {
      std::vector<std::string> known;
      for (const AllowanceName& a : kAllowances) known.emplace_back(a.name);
      return usage_error("--allow: unknown allowance '{}'{}", word, suggestion(word, known));
    }
    allowances.*(found->member) = true;
  }
  return allowances;
}

std::vector<std::string> names(const Allowances& allowances) {
  std::vector<std::string> list;
  for (const AllowanceName& a : kAllowances) {
    if (allowances.*(a.member)) list.emplace_back(a.name);
  }
  return list;
}

}  // namespace assay
