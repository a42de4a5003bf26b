// Elements, rows, losses and indices.

#include <algorithm>
#include <cmath>

#include "tests/oracle/naive.h"

namespace assay {
namespace {

using Inputs = std::vector<Row>;

const std::vector<Dims> kVectors = {{0}, {1}, {37}};
const std::vector<Dims> kMatrices = {{0, 3}, {1, 1}, {5, 33}};

double total(const Row& row) {
  double sum = 0;
  for (const double v : row) sum += v;
  return sum;
}

double average(const Row& row) {
  return total(row) / static_cast<double>(row.size());
}

double norm(const Row& row) {
  double squares = 0;
  for (const double v : row) squares += v * v;
  return std::sqrt(squares);
}

double sigmoid(double x) {
  return 0.5 + 0.5 * std::tanh(x / 2);
}

double gelu(double x) {
  return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
}

std::size_t index(double v) {
  return static_cast<std::size_t>(v);
}

using Unary = double (*)(double x, const Row& attributes);

Naive elementwise(std::string name, Unary f, Row attributes = {}, double spread = 4) {
  return {std::move(name), kVectors, std::move(attributes),
          [f](const Dims&, const Row& a, const Inputs& in) {
            Row y;
            for (const double v : in[0]) y.push_back(f(v, a));
            return Inputs{y};
          },
          spread};
}

Naive by_row(std::string name, Row (*f)(const Dims&, const Row& row, const Row& attributes),
             std::vector<Dims> dims = kMatrices, Row attributes = {}, double spread = 4) {
  return {std::move(name), std::move(dims), std::move(attributes),
          [f](const Dims& d, const Row& a, const Inputs& in) {
            Row y;
            for (std::int64_t r = 0; r < d[0]; ++r) {
              for (const double v : f(d, row_of(d[1], in[0], r), a)) y.push_back(v);
            }
            return Inputs{y};
          },
          spread};
}

Naive biased(std::string name, double (*f)(double)) {
  return {std::move(name), kMatrices, {}, [f](const Dims& d, const Row&, const Inputs& in) {
            Row y;
            for (std::int64_t i = 0; i < d[0] * d[1]; ++i) y.push_back(f(at(in[0], i) + at(in[1], i % d[1])));
            return Inputs{y};
          }};
}

// Rows of two halves: f of one half times the other.
Naive gated(std::string name, double (*f)(double), std::int64_t half) {
  return {std::move(name), kMatrices, {}, [f, half](const Dims& d, const Row&, const Inputs& in) {
            Row y;
            for (std::int64_t r = 0; r < d[0]; ++r) {
              const Row row = row_of(2 * d[1], in[0], r);
              for (std::int64_t c = 0; c < d[1]; ++c)
                y.push_back(f(at(row, c + half * d[1])) * at(row, c + (1 - half) * d[1]));
            }
            return Inputs{y};
          }};
}

// The mean of a loss of two numbers.
Naive loss(std::string name, double (*f)(double x, double t, const Row& attributes), Row attributes = {}) {
  return {std::move(name), kVectors, std::move(attributes), [f](const Dims&, const Row& a, const Inputs& in) {
            Row losses;
            for (std::size_t i = 0; i < in[0].size(); ++i) losses.push_back(f(in[0][i], in[1][i], a));
            return Inputs{{average(losses)}};
          }};
}

// What has a mean of 0 and a variance of 1, but for eps.
Row standard(const Row& row, double eps) {
  const double mu = average(row);
  Row y;
  for (const double v : row) y.push_back(v - mu);
  const double variance = std::pow(norm(y), 2) / static_cast<double>(row.size());
  for (double& v : y) v /= std::sqrt(variance + eps);
  return y;
}

// By pairs, which need no mean.
double variance(const Row& row, double correction) {
  double squares = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) squares += (row[i] - row[j]) * (row[i] - row[j]);
  }
  const auto n = static_cast<double>(row.size());
  return squares / (n * (n - correction));
}

Inputs ada_layer_norm(const Dims& d, const Row& a, const Inputs& in) {
  Row y;
  for (std::int64_t r = 0; r < d[0] * d[1]; ++r) {
    const Row row = standard(row_of(d[2], in[0], r), a[0]);
    for (std::int64_t c = 0; c < d[2]; ++c) {
      const std::int64_t k = r / d[1] * d[2] + c;
      y.push_back(at(row, c) + at(row, c) * at(in[1], k) + at(in[2], k));
    }
  }
  return {y};
}

Inputs add_rms_norm(const Dims& d, const Row& a, const Inputs& in) {
  Row y;
  Row s;
  for (std::size_t i = 0; i < in[0].size(); ++i) s.push_back(in[0][i] + in[1][i]);
  for (std::int64_t i = 0; i < d[0] * d[1]; ++i) {
    const double square = std::pow(norm(row_of(d[1], s, i / d[1])), 2) / static_cast<double>(d[1]);
    y.push_back(at(s, i) / std::sqrt(square + a[0]) * at(in[2], i % d[1]));
  }
  return {y, s};
}

Inputs batch_norm_train(const Dims& d, const Row& a, const Inputs& in) {
  Inputs out = {Row(in[0].size()), {}, {}};
  for (std::int64_t c = 0; c < d[1]; ++c) {
    std::vector<std::size_t> places;
    Row channel;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      if (static_cast<std::int64_t>(i) / d[2] % d[1] != c) continue;
      places.push_back(i);
      channel.push_back(in[0][i]);
    }
    const Row y = standard(channel, a[0]);
    for (std::size_t k = 0; k < y.size(); ++k) out[0][places[k]] = y[k] * at(in[3], c) + at(in[4], c);
    out[1].push_back(at(in[1], c) + a[1] * (average(channel) - at(in[1], c)));
    out[2].push_back(at(in[2], c) + a[1] * (variance(channel, 1) - at(in[2], c)));
  }
  return out;
}

Inputs instance_norm(const Dims& d, const Row& a, const Inputs& in) {
  Row y;
  for (std::int64_t r = 0; r < d[0] * d[1]; ++r) {
    for (const double v : standard(row_of(d[2], in[0], r), a[0]))
      y.push_back(v * at(in[1], r % d[1]) + at(in[2], r % d[1]));
  }
  return {y};
}

Inputs cosine_loss(const Dims& d, const Row& a, const Inputs& in) {
  Row losses;
  for (std::int64_t r = 0; r < d[0]; ++r) {
    const Row x = row_of(d[1], in[0], r);
    const Row t = row_of(d[1], in[1], r);
    double product = 0;
    for (std::size_t c = 0; c < x.size(); ++c) product += x[c] * t[c];
    losses.push_back(1 - product / (std::max(norm(x), a[0]) * std::max(norm(t), a[0])));
  }
  return {{average(losses)}};
}

Inputs triplet_margin_loss(const Dims& d, const Row& a, const Inputs& in) {
  Row losses;
  for (std::int64_t r = 0; r < d[0]; ++r) {
    double distances[2] = {};
    for (const std::size_t other : {1u, 2u}) {
      Row difference = row_of(d[1], in[0], r);
      for (std::int64_t c = 0; c < d[1]; ++c) difference[index(c)] += a[1] - at(in[other], r * d[1] + c);
      distances[other - 1] = norm(difference);
    }
    losses.push_back(std::max(0.0, distances[0] - distances[1] + a[0]));
  }
  return {{average(losses)}};
}

Inputs cross_entropy_backward(const Dims& d, const Row& a, const Inputs& in) {
  return {gradient(in[0], in[2], [&](const Row& x) {
    double losses = 0;
    double counted = 0;
    for (std::int64_t r = 0; r < d[0]; ++r) {
      if (at(in[1], r) == a[0]) continue;
      const Row row = row_of(d[1], x, r);
      double sum = 0;
      for (const double v : row) sum += std::exp(v);
      losses += std::log(sum) - row[index(at(in[1], r))];
      ++counted;
    }
    return Row{losses / counted};
  })};
}

Inputs repetition_penalty(const Dims& d, const Row& a, const Inputs& in) {
  Row y = in[0];
  for (std::int64_t i = 0; i < d[0] * d[2]; ++i) {
    const std::size_t place = index(i / d[2] * d[1]) + index(at(in[1], i));
    y[place] = std::min(in[0][place] * a[0], in[0][place] / a[0]);  // what penalises, for a penalty above 1
  }
  return {y};
}

Inputs rotary(const Dims& d, const Row&, const Inputs& in) {
  Row y(in[0].size());
  for (std::int64_t r = 0; r < d[0] * d[1]; ++r) {
    for (std::int64_t c = 0; c < d[2]; ++c) {
      const std::size_t one = index(r * 2 * d[2] + c);
      const std::size_t two = one + index(d[2]);
      const double cosine = at(in[1], r % d[1] * d[2] + c);
      const double sine = at(in[2], r % d[1] * d[2] + c);
      y[one] = in[0][one] * cosine - in[0][two] * sine;
      y[two] = in[0][one] * sine + in[0][two] * cosine;
    }
  }
  return {y};
}

}  // namespace

std::vector<Naive> naive_rows() {
  const Unary hardsigmoid = [](double x, const Row&) { return x <= -3 ? 0 : x >= 3 ? 1 : (x + 3) / 6; };
  const Unary held = [](double x, const Row& a) { return std::min(a[1], std::max(a[0], x)); };
  std::vector<Naive> list = {
      elementwise("clamp", held, {-0.5, 0.75}),
      elementwise("clamp", held, {1, -1}),
      elementwise("hardtanh", held, {-1, 2}),
      elementwise("hardsigmoid", hardsigmoid, {}, 16),
      elementwise(
          "hardswish", [](double x, const Row&) { return x <= -3  ? 0
                                                         : x >= 3 ? x
                                                                  : x * (x + 3) / 6; }, {},
          16),
      elementwise("elu", [](double x, const Row& a) { return x > 0 ? x : a[0] * (std::exp(x) - 1); }, {2}),
      elementwise("selu",
                  [](double x, const Row&) {
                    return 1.0507009873554804934 * (x > 0 ? x : 1.6732632423543772848 * (std::exp(x) - 1));
                  }),
      elementwise("mish",
                  [](double x, const Row&) {
                    const double square = std::pow(1 + std::exp(x), 2);
                    return x * (square - 1) / (square + 1);
                  }),
      elementwise("softplus",
                  [](double x, const Row& a) {
                    return a[0] * x > a[1] ? x : std::log(1 + std::exp(a[0] * x)) / a[0];
                  },
                  {2, 1.5}),
      elementwise("softsign", [](double x, const Row&) { return x >= 0 ? x / (1 + x) : x / (1 - x); }),
      biased("bias_relu", [](double x) { return x > 0 ? x : 0; }),
      biased("bias_gelu", gelu),
      biased("bias_silu", [](double x) { return x * sigmoid(x); }),
      gated("geglu", gelu, 1),
      gated(
          "swiglu", [](double x) { return x * sigmoid(x); }, 0),
      loss("hinge_loss", [](double x, double t, const Row&) { return x * t < 1 ? 1 - x * t : 0; }),
      loss("huber_loss",
           [](double x, double t, const Row& a) {
             const double d = std::fabs(x - t);
             return d > a[0] ? a[0] * d - a[0] * a[0] / 2 : d * d / 2;
           },
           {2}),
      loss("smooth_l1_loss",
           [](double x, double t, const Row& a) {
             const double d = std::fabs(x - t);
             return d > a[0] ? d - a[0] / 2 : d * d / (2 * a[0]);
           },
           {2}),
      by_row("min", [](const Dims&, const Row& row,
                       const Row&) { return Row{*std::min_element(row.begin(), row.end())}; }),
      by_row("prod",
             [](const Dims&, const Row& row, const Row&) {
               double product = 1;
               for (const double v : row) product *= v;
               return Row{product};
             },
             {{0, 3}, {2, 0}, {5, 33}}),
      by_row("logsumexp",
             [](const Dims&, const Row& row, const Row&) {
               double sum = 0;
               for (const double v : row) sum += std::exp(v);
               return Row{std::log(sum)};
             },
             {{0, 3}, {2, 0}, {5, 33}}),
      by_row("cumprod",
             [](const Dims&, const Row& row, const Row&) {
               Row y = row;
               for (std::size_t i = 1; i < y.size(); ++i) y[i] *= y[i - 1];
               return y;
             }),
      by_row("cumsum_exclusive",
             [](const Dims&, const Row& row, const Row&) {
               Row y(row.size());
               for (std::size_t i = 1; i < y.size(); ++i) y[i] = y[i - 1] + row[i - 1];
               return y;
             }),
      by_row("cumsum_reverse",
             [](const Dims&, const Row& row, const Row&) {
               Row y = row;
               for (std::size_t i = y.size() - 1; i > 0; --i) y[i - 1] += y[i];
               return y;
             }),
  };
  for (const double correction : {0, 1}) {
    list.push_back(by_row("var",
                          [](const Dims&, const Row& row, const Row& a) { return Row{variance(row, a[0])}; },
                          {{0, 3}, {2, 1}, {5, 33}}, {correction}));
  }
  for (const double eps : {1e-12, 40.0}) {
    list.push_back(by_row("l1_normalize",
                          [](const Dims&, const Row& row, const Row& a) {
                            double sum = 0;
                            for (const double v : row) sum += v < 0 ? -v : v;
                            Row y;
                            for (const double v : row) y.push_back(v / (sum > a[0] ? sum : a[0]));
                            return y;
                          },
                          kMatrices, {eps}));
  }
  // Of a spread of 0, rows are of zeros: ties.
  for (const double spread : {0, 4}) {
    list.push_back(by_row(
        "argmin",
        [](const Dims&, const Row& row, const Row&) {
          return Row{static_cast<double>(std::min_element(row.begin(), row.end()) - row.begin())};
        },
        kMatrices, {}, spread));
    list.push_back(by_row(
        "sort",
        [](const Dims&, const Row& row, const Row&) {
          Row y = row;
          std::sort(y.begin(), y.end());
          return y;
        },
        kMatrices, {}, spread));
    list.push_back(by_row(
        "topk",
        [](const Dims& d, const Row& row, const Row&) {
          Row y = row;
          std::sort(y.rbegin(), y.rend());
          y.resize(index(d[2]));
          return y;
        },
        {{0, 3, 2}, {2, 4, 0}, {5, 33, 6}}, {}, spread));
  }
  const auto add = [&](std::string name, std::vector<Dims> dims, Row attributes, decltype(Naive::outputs) f) {
    list.push_back({std::move(name), std::move(dims), std::move(attributes), std::move(f)});
  };
  add("ada_layer_norm", {{0, 2, 3}, {2, 3, 7}}, {0.25}, ada_layer_norm);
  add("add_rms_norm", kMatrices, {0.25}, add_rms_norm);
  add("batch_norm_train", {{1, 1, 2}, {2, 3, 5}}, {0.25, 0.3}, batch_norm_train);
  add("instance_norm", {{0, 2, 2}, {2, 3, 5}}, {0.25}, instance_norm);
  add("frobenius_normalize", kVectors, {}, [](auto&, auto&, auto& in) {
    Row y = in[0];
    for (double& v : y) v /= norm(in[0]);
    return Inputs{y};
  });
  add("cosine_loss", kMatrices, {1e-8}, cosine_loss);
  add("cosine_loss", {{7, 4}}, {2.5}, cosine_loss);
  add("triplet_margin_loss", kMatrices, {1, 0.125}, triplet_margin_loss);
  add("kl_div", kMatrices, {}, [](auto& d, auto&, auto& in) {
    double sum = 0;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      if (in[1][i] > 0) sum += in[1][i] * (std::log(in[1][i]) - in[0][i]);
    }
    return Inputs{{sum / static_cast<double>(d[0])}};
  });
  add("cross_entropy_backward", {{0, 3}, {5, 7}}, {-100}, cross_entropy_backward);
  add("silu_backward", kVectors, {}, [](auto&, auto&, auto& in) {
    return Inputs{gradient(in[0], in[1], [](const Row& x) {
      Row y;
      for (const double v : x) y.push_back(v * sigmoid(v));
      return y;
    })};
  });
  add("masked_cumsum", kMatrices, {}, [](auto& d, auto&, auto& in) {
    Row y;
    double sum = 0;
    for (std::int64_t i = 0; i < d[0] * d[1]; ++i) {
      if (i % d[1] == 0) sum = 0;
      if (at(in[1], i) != 0) sum += at(in[0], i);
      y.push_back(sum);
    }
    return Inputs{y};
  });
  add("segmented_cumsum", kMatrices, {}, [](auto& d, auto&, auto& in) {
    Row y;
    double sum = 0;
    for (std::int64_t i = 0; i < d[0] * d[1]; ++i) {
      if (i % d[1] == 0 || at(in[1], i) == 1) sum = 0;
      sum += at(in[0], i);
      y.push_back(sum);
    }
    return Inputs{y};
  });
  add("embedding", {{3, 4, 0}, {9, 4, 7}}, {}, [](auto& d, auto&, auto& in) {
    Row y;
    for (const double token : in[1]) {
      for (const double v : row_of(d[1], in[0], static_cast<std::int64_t>(token))) y.push_back(v);
    }
    return Inputs{y};
  });
  add("gather", {{0, 3, 2}, {5, 9, 6}}, {}, [](auto& d, auto&, auto& in) {
    Row y;
    for (std::int64_t i = 0; i < d[0] * d[2]; ++i)
      y.push_back(row_of(d[1], in[0], i / d[2])[index(at(in[1], i))]);
    return Inputs{y};
  });
  add("scatter_add", {{2, 3, 0}, {5, 4, 9}}, {}, [](auto& d, auto&, auto& in) {
    Row y = in[0];
    for (std::int64_t i = 0; i < d[0] * d[2]; ++i)
      y[index(i / d[2] * d[1]) + index(at(in[1], i))] += at(in[2], i);
    return Inputs{y};
  });
  add("histogram", {{0, 3}, {40, 7}}, {}, [](auto& d, auto&, auto& in) {
    Row y(index(d[1]));
    for (const double bin : in[0]) ++y[index(bin)];
    return Inputs{y};
  });
  add("repetition_penalty", {{2, 3, 0}, {3, 11, 6}}, {1.5}, repetition_penalty);
  add("rotary", {{0, 2, 3}, {2, 3, 4}}, {}, rotary);
  return list;
}

}  // namespace assay
