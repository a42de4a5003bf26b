#pragma once

// Text to syntax tree, by recursive descent: docs/contracts.md has the grammar.

#include <string_view>
#include <vector>

#include "core/error.h"
#include "oracle/program.h"

namespace assay::lang {

// All contracts of a text, unchecked.
Expected<std::vector<Program>> parse(std::string_view text, std::string_view file);

// Comma-separated conditions, appended to program.exprs.
Expected<std::vector<ExprId>> parse_conditions(Program& program, std::string_view text,
                                               std::string_view file);

}  // namespace assay::lang
