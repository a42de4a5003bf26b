#include "oracle/native.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "oracle/gdn/native.h"

namespace assay {
namespace {

constexpr double kSuspect = 8;  // sigma

}  // namespace

const NativeOracle* native_oracle(const Contract& contract, const Instance& instance) {
  const NativeOracle* found = gdn::native_oracle(contract.signature().name);
  if (found == nullptr || !found->prefers(contract, instance)) return nullptr;
  const Expected<Contract> library = load_contract(contract.signature().name);
  return library && library->source() == contract.source() ? found : nullptr;
}

ElementReport rule(const NativeOutput& output, std::int64_t index, DType dtype, std::uint64_t bits) {
  const auto i = static_cast<std::size_t>(index);
  ElementReport r;
  r.got = decode(dtype, bits);
  r.truth = output.truth[i];
  const bool wild = output.spreads[i] != 0;
  r.nan_allowed = wild || std::isnan(r.truth);
  r.pos_inf_allowed = wild || r.truth > std::numeric_limits<double>::max();
  r.neg_inf_allowed = wild || r.truth < std::numeric_limits<double>::lowest();
  r.finite_allowed = std::isfinite(r.truth);
  const double budget = output.budget[i];
  // The ends as the kernel may have stored them: beyond the largest finite value that is an infinity.
  if (r.finite_allowed) {
    r.low = decode(dtype, encode(dtype, r.truth - budget));
    r.high = decode(dtype, encode(dtype, r.truth + budget));
    r.pos_inf_allowed |= std::isinf(r.high);
    r.neg_inf_allowed |= std::isinf(r.low);
    r.exact = r.low == r.high;
    r.useless = r.low <= 0 && r.high >= 0 && r.truth != 0;
  }
  const auto refuse = [&](Reason reason) {
    r.ruling = Ruling::refused;
    r.reason = reason;
    return r;
  };
  if (std::isnan(r.got)) return r.nan_allowed ? r : refuse(Reason::nan);
  if (std::isinf(r.got))
    return (r.got > 0 ? r.pos_inf_allowed : r.neg_inf_allowed) ? r : refuse(Reason::infinity);
  if (!r.finite_allowed) return refuse(std::isnan(r.truth) ? Reason::nan : Reason::infinity);
  if (std::isinf(budget)) {
    r.ruling = Ruling::undecidable;
    return r;
  }
  const double error = std::fabs(r.got - r.truth);
  r.excess = error == 0 ? 0 : error / budget;
  if (r.got < r.low || r.got > r.high) return refuse(r.exact ? Reason::exact : Reason::value);
  r.excess = std::fmin(r.excess, 1);
  return r;
}

std::optional<std::string> suspicion(const NativeOutput& output, const Tensor& got, std::string_view name) {
  double worst = 0;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < got.size() && !output.sigma.empty(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double error = std::fabs(got.value(i) - output.truth[k]);
    if (!std::isfinite(error) || !(output.sigma[k] > 0) || error / output.sigma[k] <= worst) continue;
    worst = error / output.sigma[k];
    at = i;
  }
  if (worst <= kSuspect) return std::nullopt;
  return fmt::format("{}: element {} is {:.1f} standard deviations of honest kernels from the truth", name,
                     at, worst);
}

}  // namespace assay
