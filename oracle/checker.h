#pragma once

// Names, ranks, types, index ranges, recursions and clauses of a parsed contract.
//
// Laws: a program that passes can be evaluated at every instance that its domain admits; what is refused is
// refused with the place, what is wrong and what would be right.

#include "core/error.h"
#include "oracle/program.h"

namespace assay::lang {

// Completes `program`: symbols, types, ranges, signature. The forward contract of `adjoint of` is not looked
// at.
Expected<void> check(Program& program);

// Conditions over dims and attributes that stand outside of the contract, as `--where` states them.
Expected<void> check_conditions(Program& program, const std::vector<ExprId>& conditions,
                                std::string_view file);

// That `backward`, which says `adjoint of forward`, has forward's inputs, for each output `y` an input `dy`,
// and that its outputs are `d` and an input's name.
Expected<void> check_adjoint(const Program& backward, const Program& forward);

}  // namespace assay::lang
