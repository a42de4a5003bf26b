#pragma once

// Syntax trees as text.

#include <string>

#include "oracle/program.h"

namespace assay::lang {

// An expression in the language's own spelling, with the parentheses that it needs.
std::string to_string(const Program& program, ExprId id);

// A contract that parses to the same tree.
std::string to_string(const Program& program);

}  // namespace assay::lang
