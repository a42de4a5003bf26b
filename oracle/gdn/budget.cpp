#include "oracle/gdn/budget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "oracle/gdn/recurrence.h"

namespace assay::gdn {
namespace {

// The scale of a Cauchy number of which these are the absolute values of draws, by maximum likelihood:
// sum 1 / (1 + (x/s)^2) = n/2. The left side rises with s.
double scale_of(std::span<const double> draws) {
  double low = 0, high = 0;
  for (double x : draws) high = std::max(high, x);
  const double half = static_cast<double>(draws.size()) / 2;
  for (int i = 0; i < 40 && low < high; ++i) {
    const double s = (low + high) / 2;
    double sum = 0;
    for (double x : draws) sum += 1 / (1 + (x / s) * (x / s));
    (sum < half ? low : high) = s;
    if (high - low < 0.01 * high) break;
  }
  return high;
}

}  // namespace

Budget budget(const Problem& p, Leaf leaf, std::uint64_t seed) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Budget b{truth(p), zeros(p), {}, zeros(p)};
  b.spread = spread(p, leaf, b.truth, seed);
  std::vector<Results> draws;
  double step = 1;
  for (int i = 0; i < kDraws; ++i) {
    Perturbed arithmetic(p.dtype, leaf, Perturbed::Noise::cauchy, seed,
                         static_cast<std::uint64_t>(kSamples + i));
    draws.push_back(perturbed(p, arithmetic));
    step = arithmetic.step();
  }
  const Results base = chunked(p);
  for (const Named& output : all_outputs(p)) {
    std::vector<double>& hard = *b.hard.find(output.name);
    std::vector<double>& spreads = *b.spreads.find(output.name);
    const std::vector<double>&sigma = *b.spread.sigma.find(output.name), &centre = *base.find(output.name);
    const double least = format_of(output.dtype).least_subnormal();
    std::vector<double> scales(hard.size());
    std::array<double, kDraws> x;
    for (std::size_t i = 0; i < hard.size(); ++i) {
      bool finite = std::isfinite(centre[i]);
      for (std::size_t k = 0; k < draws.size(); ++k) {
        x[k] = std::fabs((*draws[k].find(output.name))[i] - centre[i]) / step;
        finite &= std::isfinite(x[k]);
      }
      spreads[i] = finite ? 0 : 1;
      scales[i] = finite ? scale_of(x) : 0;
    }
    floor_rows(scales, p, output.name);
    for (std::size_t i = 0; i < hard.size(); ++i)
      hard[i] = spreads[i] != 0 || !std::isfinite(sigma[i])
                    ? kInfinity
                    : std::max(kFactor * scales[i], kWorstSigma * sigma[i]) + least;
  }
  return b;
}

}  // namespace assay::gdn
