#pragma once

// Whether definitions that depend on themselves descend along an index.

#include <optional>
#include <string>
#include <vector>

#include "oracle/program.h"

namespace assay::lang {

// The equations in force in a form (-1: the contract's own definitions), by definition.
std::vector<std::vector<const Equation*>> active_equations(const Program& program, int form);

// The problem with the first recursion that does not descend: every read of a value that depends on the
// reader must have one index, at the same place of the definition throughout, that is smaller by a constant
// or bound below the reader's; or in all of them one that is larger by a constant.
std::optional<Problem> find_endless_recursion(const Program& program, int form);

// Whether a definition of a checked contract, in any form, depends on itself.
bool is_recursive(const Program& program);

}  // namespace assay::lang
