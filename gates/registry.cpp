#include <algorithm>
#include <array>

#include "gates/gate.h"

namespace assay {

extern const Gate cmp_01_value, cmp_02_adjoint, cmp_03_shape;
extern const Gate ord_01_order, ord_02_determinism, ord_03_exact;
extern const Gate prc_01_dtype, prc_02_accumulator;
extern const Gate exc_01_nonfinite, exc_02_subnormal;
extern const Gate res_01_memory, res_02_launch;

std::span<const Gate* const> all_gates() {
  static constexpr std::array kGates = {
      &cmp_01_value,       &cmp_02_adjoint,   &cmp_03_shape,  &ord_01_order,
      &ord_02_determinism, &ord_03_exact,     &prc_01_dtype,  &prc_02_accumulator,
      &exc_01_nonfinite,   &exc_02_subnormal, &res_01_memory, &res_02_launch,
  };
  return kGates;
}

const Gate* find_gate(std::string_view id) {
  const auto gates = all_gates();
  const auto found =
      std::find_if(gates.begin(), gates.end(), [&](const Gate* gate) { return gate->id == id; });
  return found == gates.end() ? nullptr : *found;
}

}  // namespace assay
