#include "gates/short_rows.h"

#include <algorithm>

namespace assay {

std::optional<Case> with_short_rows(const Case& c, std::int64_t most, const Subject& subject) {
  Case brief = c;
  for (std::int64_t& n : brief.instance.dims) n = std::min(n, most);
  if (!admits(subject.contract, brief.instance) || !subject.where.holds(brief.instance)) return std::nullopt;
  if (!shapes_of(subject.contract, brief.instance)) return std::nullopt;
  return brief;
}

}  // namespace assay
