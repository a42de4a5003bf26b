#include "oracle/gdn/monte_carlo.h"

#include <algorithm>
#include <cmath>

namespace assay::gdn {
namespace {

// Of x / sigma, without what is no number.
double mean_square(const std::vector<double>& x, const std::vector<double>& sigma,
                   std::span<const std::int64_t> elements) {
  double sum = 0;
  for (std::int64_t e : elements) {
    const auto i = static_cast<std::size_t>(e);
    const double z = x[i] / sigma[i];
    if (std::isfinite(z)) sum += z * z;
  }
  return elements.empty() ? 0 : sum / static_cast<double>(elements.size());
}

double mean_square(const std::vector<double>& x, std::span<const std::int64_t> elements) {
  double sum = 0;
  for (std::int64_t i : elements) sum += x[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(i)];
  return elements.empty() ? 0 : sum / static_cast<double>(elements.size());
}

}  // namespace

std::vector<Named> all_outputs(const Problem& p) {
  std::vector<Named> list = outputs(*p.member, p.size, p.dtype, false);
  if (p.has_gradient())
    for (Named& output : outputs(*p.member, p.size, p.dtype, true)) list.push_back(std::move(output));
  return list;
}

void floor_rows(std::vector<double>& sigma, const Problem& p, const std::string& output) {
  const std::vector<Tile> all = tiles(p, output);
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first;
    while (end < all.size() && all[end].sequence == all[first].sequence && all[end].head == all[first].head)
      ++end;
    if (all[first].width == 1) {
      std::vector<double> values;
      for (std::size_t i = first; i < end; ++i)
        for (std::int64_t e : all[i].elements) values.push_back(sigma[static_cast<std::size_t>(e)]);
      std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                       values.end());
      const double least = values[values.size() / 2] / 4;
      for (std::size_t i = first; i < end; ++i)
        for (std::int64_t e : all[i].elements)
          sigma[static_cast<std::size_t>(e)] = std::max(sigma[static_cast<std::size_t>(e)], least);
    } else {
      for (std::size_t i = first; i < end; ++i) {
        const std::span<const std::int64_t> elements = all[i].elements;
        const auto width = static_cast<std::size_t>(all[i].width);
        for (std::size_t row = 0; row < elements.size(); row += width) {
          const double least = std::sqrt(mean_square(sigma, elements.subspan(row, width))) / 4;
          for (std::int64_t e : elements.subspan(row, width))
            sigma[static_cast<std::size_t>(e)] = std::max(sigma[static_cast<std::size_t>(e)], least);
        }
      }
    }
    first = end;
  }
}

std::vector<Tile> tiles(const Problem& p, const std::string& output) {
  std::vector<Tile> result;
  for (const Named& o : all_outputs(p)) {
    if (o.name != output) continue;
    const bool is_state = output == "st" || output == "ds0";
    const std::int64_t heads = o.shape[1];
    const std::int64_t width = o.shape.size() == 2 ? 1 : o.shape.back();
    for (std::int64_t sequence = 0; sequence < p.size.n; ++sequence)
      for (std::int64_t head = 0; head < heads; ++head) {
        if (is_state) {
          Tile tile{.sequence = sequence, .head = head, .chunk = 0, .elements = {}, .width = width};
          const std::int64_t size = o.shape[2] * o.shape[3], first = (sequence * heads + head) * size;
          for (std::int64_t i = 0; i < size; ++i) tile.elements.push_back(first + i);
          if (size > 0) result.push_back(std::move(tile));
          continue;
        }
        for (std::int64_t t = p.first(sequence); t < p.end(sequence); t += kChunk) {
          Tile tile{.sequence = sequence,
                    .head = head,
                    .chunk = (t - p.first(sequence)) / kChunk,
                    .elements = {},
                    .width = width};
          for (std::int64_t i = t; i < std::min(t + kChunk, p.end(sequence)); ++i)
            for (std::int64_t c = 0; c < width; ++c) tile.elements.push_back((i * heads + head) * width + c);
          if (width > 0) result.push_back(std::move(tile));
        }
      }
  }
  return result;
}

Spread spread(const Problem& problem, Leaf leaf, const Results& truth, std::uint64_t seed, int samples) {
  std::vector<Results> drawn;
  for (int i = 0; i < samples; ++i) {
    Perturbed arithmetic(problem.dtype, leaf, Perturbed::Noise::uniform, seed, static_cast<std::uint64_t>(i));
    drawn.push_back(perturbed(problem, arithmetic));
  }
  Spread result{zeros(problem), {}};
  for (const Named& output : all_outputs(problem)) {
    const std::vector<double>& centre = *truth.find(output.name);
    std::vector<double>& sigma = *result.sigma.find(output.name);
    for (Results& sample : drawn) {
      std::vector<double>& x = *sample.find(output.name);
      for (std::size_t k = 0; k < sigma.size(); ++k) {
        x[k] -= centre[k];
        sigma[k] += x[k] * x[k];
      }
    }
    const double least = format_of(output.dtype).least_subnormal();
    for (double& e : sigma) e = std::sqrt(e / samples) + least;
    floor_rows(sigma, problem, output.name);
    std::vector<double>& largest = result.tile[output.name];
    for (const Tile& tile : tiles(problem, output.name)) {
      double most = 0;
      for (const Results& sample : drawn)
        most = std::max(most, mean_square(*sample.find(output.name), sigma, tile.elements));
      largest.push_back(std::sqrt(most));
    }
  }
  return result;
}

std::vector<OutputScore> score(const Problem& problem, const Results& got, const Results& truth,
                               const Spread& spread) {
  std::vector<OutputScore> scores;
  for (const Named& output : all_outputs(problem)) {
    const std::vector<double>&x = *got.find(output.name), &y = *truth.find(output.name);
    const std::vector<double>& s = *spread.sigma.find(output.name);
    if (x.size() != y.size()) continue;
    OutputScore one;
    one.output = output.name;
    double errors = 0, truths = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(y[i])) continue;
      if (!std::isfinite(x[i])) {
        if (one.finite) one.index = static_cast<std::int64_t>(i);
        one.finite = false;
        continue;
      }
      const double error = std::fabs(x[i] - y[i]);
      errors += error * error;
      truths += y[i] * y[i];
      // A sigma that is no number says nothing.
      const double z = s[i] > 0 ? error / s[i] : error > 0 && s[i] == 0 ? HUGE_VAL : 0;
      if (z > one.worst && one.finite) {
        one.worst = z;
        one.index = static_cast<std::int64_t>(i);
      }
    }
    one.relative = errors > 0 ? std::sqrt(errors / truths) : 0;
    const std::vector<Tile> all = tiles(problem, output.name);
    std::vector<double> error(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) error[i] = x[i] - y[i];
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::span<const std::int64_t> elements = all[k].elements;
      if (elements.size() < kChunkElements) continue;
      const double usual = std::max(1.0, spread.tile.at(output.name)[k]);
      one.chunk = std::max(one.chunk, std::sqrt(mean_square(error, s, elements)) / usual);
    }
    scores.push_back(std::move(one));
  }
  return scores;
}

bool suspect(const std::vector<OutputScore>& scores) {
  return std::any_of(scores.begin(), scores.end(), [](const OutputScore& s) { return s.suspect(); });
}

}  // namespace assay::gdn
