#include "oracle/footprint.h"

#include <algorithm>
#include <iterator>

namespace assay {

auto FootprintAlgebra::join(std::span<const Value> sets) -> Value {
  Set all;
  for (const Value& s : sets)
    if (s) all.insert(all.end(), s->begin(), s->end());
  if (all.empty()) return {};
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return std::make_shared<const Set>(std::move(all));
}

auto FootprintAlgebra::join(const Value& a, const Value& b) -> Value {
  if (!a || a == b) return b;
  if (!b) return a;
  Set all;
  all.reserve(a->size() + b->size());
  std::set_union(a->begin(), a->end(), b->begin(), b->end(), std::back_inserter(all));
  return std::make_shared<const Set>(std::move(all));
}

}  // namespace assay
