#include <algorithm>

#include "core/text.h"
#include "oracle/contract.h"

namespace assay {
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
