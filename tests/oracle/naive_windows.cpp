// Products of matrices, windows and attention.

#include <algorithm>
#include <cmath>

#include "tests/oracle/naive.h"

namespace assay {
namespace {

using Inputs = std::vector<Row>;
using Place = Dims;

std::int64_t whole(double v) {
  return static_cast<std::int64_t>(v);
}

std::int64_t volume(const Dims& extents) {
  std::int64_t product = 1;
  for (const std::int64_t e : extents) product *= e;
  return product;
}

Place place_of(const Dims& extents, std::int64_t i) {
  Place place(extents.size());
  for (std::size_t k = extents.size(); k-- > 0; i /= extents[k]) place[k] = i % extents[k];
  return place;
}

// -1 is outside.
std::int64_t index_of(const Dims& extents, const Place& place) {
  std::int64_t index = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (place[k] < 0 || place[k] >= extents[k]) return -1;
    index = index * extents[k] + place[k];
  }
  return index;
}

// -- products

using Element = std::function<double(std::int64_t, std::int64_t)>;

Row product(std::int64_t m, std::int64_t n, std::int64_t k, const Element& a, const Element& b) {
  Row c(static_cast<std::size_t>(m * n));
  for (std::int64_t p = 0; p < k; ++p) {
    for (std::int64_t i = 0; i < m * n; ++i) c[static_cast<std::size_t>(i)] += a(i / n, p) * b(p, i % n);
  }
  return c;
}

Element matrix(const Row& x, std::int64_t cols, bool transposed = false, std::int64_t from = 0) {
  return [&x, cols, transposed, from](std::int64_t i, std::int64_t j) {
    return at(x, from + (transposed ? j * cols + i : i * cols + j));
  };
}

Naive batched(std::string name, bool first, bool second) {
  return {std::move(name),
          {{0, 2, 2, 2}, {3, 4, 5, 7}},
          {},
          [first, second](const Dims& d, const Row&, const Inputs& in) {
            Row c;
            for (std::int64_t s = 0; s < d[0]; ++s) {
              const Element a = matrix(in[0], first ? d[1] : d[3], first, s * d[1] * d[3]);
              const Element b = matrix(in[1], second ? d[3] : d[2], second, s * d[2] * d[3]);
              for (const double v : product(d[1], d[2], d[3], a, b)) c.push_back(v);
            }
            return Inputs{c};
          }};
}

Naive matrices(std::string name, bool first) {
  return {std::move(name),
          {{0, 2, 2}, {2, 3, 0}, {4, 5, 17}},
          {},
          [first](const Dims& d, const Row&, const Inputs& in) {
            return Inputs{product(d[0], d[1], d[2], matrix(in[0], first ? d[0] : d[2], first),
                                  matrix(in[1], d[2], true))};
          }};
}

Row linear(const Dims& d, const Inputs& in) {
  Row y = product(d[0], d[1], d[2], matrix(in[0], d[2]), matrix(in[1], d[2], true));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += in[2][i % in[2].size()];
  return y;
}

Naive triangular(std::string name, bool lower) {
  return {std::move(name), {{0}, {1}, {9}}, {}, [lower](const Dims& d, const Row&, const Inputs& in) {
            const auto half = [lower](const Element& x) -> Element {
              return [=](std::int64_t i, std::int64_t j) { return (lower ? i < j : i > j) ? 0 : x(i, j); };
            };
            return Inputs{product(d[0], d[0], d[0], half(matrix(in[0], d[0])), half(matrix(in[1], d[0])))};
          }};
}

// -- windows of any number of dimensions

Row pooled(std::int64_t planes, const Dims& extents, const Row& a, const Row& x, bool largest) {
  const Dims window(extents.size(), whole(a[0]));
  Dims results;
  for (const std::int64_t e : extents) results.push_back((e + 2 * whole(a[2]) - window[0]) / whole(a[1]) + 1);
  Row y;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    for (std::int64_t i = 0; i < volume(results); ++i) {
      Row seen;
      for (std::int64_t w = 0; w < volume(window); ++w) {
        Place place = place_of(window, w);
        for (std::size_t k = 0; k < place.size(); ++k)
          place[k] += place_of(results, i)[k] * whole(a[1]) - whole(a[2]);
        const std::int64_t index = index_of(extents, place);
        seen.push_back(index >= 0 ? at(x, plane * volume(extents) + index) : largest ? -INFINITY : 0);
      }
      double sum = 0;
      for (const double v : seen) sum += v;
      y.push_back(largest ? *std::max_element(seen.begin(), seen.end())
                          : sum / static_cast<double>(seen.size()));
    }
  }
  return y;
}

Naive pool(std::string name, std::size_t rank, bool largest) {
  std::vector<Dims> dims = {{1, 1}, {2, 3}};
  for (std::size_t k = 0; k < rank; ++k) {
    dims[0].push_back(2);
    dims[1].push_back(5 + static_cast<std::int64_t>(k));
  }
  return {std::move(name), dims, {3, 2, 1}, [largest](const Dims& d, const Row& a, const Inputs& in) {
            return Inputs{pooled(d[0] * d[1], Dims(d.begin() + 2, d.end()), a, in[0], largest)};
          }};
}

// A row belongs to each window that it shares more than an edge with.
Naive adaptive(std::string name, bool largest) {
  return {std::move(name),
          {{1, 1, 1, 1, 2, 2}, {2, 3, 7, 6, 3, 4}, {1, 2, 3, 8, 5, 2}},
          {},
          [largest](const Dims& d, const Row&, const Inputs& in) {
            const auto shares = [](std::int64_t row, std::int64_t i, std::int64_t rows,
                                   std::int64_t windows) {
              return (row + 1) * windows > i * rows && row * windows < (i + 1) * rows;
            };
            Row y;
            for (std::int64_t o = 0; o < d[0] * d[1] * d[4] * d[5]; ++o) {
              double best = -INFINITY;
              double sum = 0;
              double seen = 0;
              for (std::int64_t p = 0; p < d[2] * d[3]; ++p) {
                if (!shares(p / d[3], o / d[5] % d[4], d[2], d[4])) continue;
                if (!shares(p % d[3], o % d[5], d[3], d[5])) continue;
                const double v = at(in[0], o / (d[4] * d[5]) * d[2] * d[3] + p);
                best = std::max(best, v);
                sum += v;
                ++seen;
              }
              y.push_back(largest ? best : sum / seen);
            }
            return Inputs{y};
          }};
}

struct Convolution {
  std::int64_t samples, channels, filters;
  Dims extents, kernel;
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
};

Row convolved(const Convolution& c, const Inputs& in) {
  Dims results;
  for (std::size_t k = 0; k < c.kernel.size(); ++k)
    results.push_back((c.extents[k] + 2 * c.padding - c.dilation * (c.kernel[k] - 1) - 1) / c.stride + 1);
  const std::int64_t depth = c.channels / c.groups;
  Row y;
  for (std::int64_t o = 0; o < c.samples * c.filters * volume(results); ++o) {
    const std::int64_t filter = o / volume(results) % c.filters;
    const std::int64_t sample = o / volume(results) / c.filters;
    const Place corner = place_of(results, o % volume(results));
    double sum = at(in[2], filter);
    for (std::int64_t w = 0; w < depth * volume(c.kernel); ++w) {
      Place place = place_of(c.kernel, w % volume(c.kernel));
      for (std::size_t k = 0; k < place.size(); ++k)
        place[k] = corner[k] * c.stride - c.padding + place[k] * c.dilation;
      const std::int64_t channel = filter / (c.filters / c.groups) * depth + w / volume(c.kernel);
      const std::int64_t index = index_of(c.extents, place);
      if (index < 0) continue;
      sum += at(in[0], (sample * c.channels + channel) * volume(c.extents) + index) *
             at(in[1], filter * depth * volume(c.kernel) + w);
    }
    y.push_back(sum);
  }
  return y;
}

// Of dims n, ci, the extents, co and the kernel.
Convolution convolution(const Dims& d, const Row& a) {
  const auto rank = static_cast<std::ptrdiff_t>(d.size() - 3) / 2;
  return {d[0],
          d[1],
          d[static_cast<std::size_t>(rank) + 2],
          Dims(d.begin() + 2, d.begin() + 2 + rank),
          Dims(d.begin() + 3 + rank, d.end()),
          whole(a[0]),
          whole(a[1]),
          whole(a[2]),
          whole(a[3])};
}

// Every input element sends its share to the outputs that it reaches.
Inputs transposed_convolution(const Dims& d, const Row& a, const Inputs& in) {
  const std::int64_t stride = whole(a[0]), padding = whole(a[1]), dilation = whole(a[3]);
  const Dims kernel = {d[5], d[6]};
  const Dims extents = {d[2], d[3]};
  Dims results;
  for (std::size_t k = 0; k < 2; ++k)
    results.push_back((extents[k] - 1) * stride - 2 * padding + dilation * (kernel[k] - 1) + whole(a[2]) + 1);
  Row y;
  for (std::int64_t i = 0; i < d[0] * d[4] * volume(results); ++i)
    y.push_back(at(in[2], i / volume(results) % d[4]));
  for (std::int64_t i = 0; i < d[0] * d[1] * volume(extents); ++i) {
    const std::int64_t sample = i / volume(extents) / d[1];
    const std::int64_t channel = i / volume(extents) % d[1];
    for (std::int64_t w = 0; w < d[4] * volume(kernel); ++w) {
      Place place = place_of(extents, i % volume(extents));
      for (std::size_t k = 0; k < 2; ++k)
        place[k] = place[k] * stride + place_of(kernel, w % volume(kernel))[k] * dilation - padding;
      const std::int64_t index = index_of(results, place);
      if (index < 0) continue;
      y[static_cast<std::size_t>((sample * d[4] + w / volume(kernel)) * volume(results) + index)] +=
          at(in[0], i) * at(in[1], channel * d[4] * volume(kernel) + w);
    }
  }
  return {y};
}

// Gradients with respect to every input but the last, which is the output's.
Inputs gradients(const Inputs& in, const std::function<Row(const Inputs&)>& forward) {
  Inputs all;
  for (std::size_t which = 0; which + 1 < in.size(); ++which) {
    all.push_back(gradient(in[which], in.back(), [&](const Row& changed) {
      Inputs now = in;
      now[which] = changed;
      return forward(now);
    }));
  }
  return all;
}

// -- attention: weights are exponentials, of no maximum

Row attention(std::int64_t heads, std::int64_t group, const Dims& d, bool causal, const Inputs& in) {
  const std::int64_t lq = d[2], lk = d[3], e = d[4];
  Row o;
  for (std::int64_t row = 0; row < heads * lq; ++row) {
    const std::int64_t keys = row / lq / group * lk;
    Row sums(static_cast<std::size_t>(e));
    double weights = 0;
    for (std::int64_t j = 0; j < (causal ? std::min(lk, row % lq + 1) : lk); ++j) {
      const Row q = row_of(e, in[0], row);
      const Row k = row_of(e, in[1], keys + j);
      double score = 0;
      for (std::size_t p = 0; p < q.size(); ++p) score += q[p] * k[p];
      const double weight = std::exp(score / std::sqrt(static_cast<double>(e)));
      weights += weight;
      for (std::size_t p = 0; p < q.size(); ++p) sums[p] += weight * row_of(e, in[2], keys + j)[p];
    }
    for (const double v : sums) o.push_back(v / weights);
  }
  return o;
}

}  // namespace

std::vector<Naive> naive_windows() {
  std::vector<Naive> list = {batched("bmm_ta", true, false),
                             batched("bmm_tb", false, true),
                             matrices("matmul_tb", false),
                             matrices("matmul_tab", true),
                             triangular("tril_matmul", true),
                             triangular("triu_matmul", false),
                             pool("avg_pool1d", 1, false),
                             pool("avg_pool3d", 3, false),
                             pool("max_pool1d", 1, true),
                             pool("max_pool3d", 3, true),
                             adaptive("adaptive_avg_pool2d", false),
                             adaptive("adaptive_max_pool2d", true)};
  const auto add = [&](std::string name, std::vector<Dims> dims, Row attributes, decltype(Naive::outputs) f) {
    list.push_back({std::move(name), std::move(dims), std::move(attributes), std::move(f)});
  };
  for (const double beta : {-2, 0}) {
    add("addmm", {{0, 2, 2}, {2, 3, 0}, {4, 5, 17}}, {3, beta}, [](auto& d, auto& a, auto& in) {
      Row y = product(d[0], d[1], d[2], matrix(in[1], d[2]), matrix(in[2], d[1]));
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = a[0] * y[i] + a[1] * in[0][i];
      return Inputs{y};
    });
  }
  add("linear", {{0, 2, 2}, {4, 5, 17}}, {}, [](auto& d, auto&, auto& in) { return Inputs{linear(d, in)}; });
  add("linear_relu", {{0, 2, 2}, {4, 5, 17}}, {}, [](auto& d, auto&, auto& in) {
    Row y = linear(d, in);
    for (double& v : y) v = v > 0 ? v : 0;
    return Inputs{y};
  });
  add("matvec", {{0, 2}, {2, 0}, {5, 17}}, {}, [](auto& d, auto&, auto& in) {
    return Inputs{product(d[0], 1, d[1], matrix(in[0], d[1]), matrix(in[1], 1))};
  });
  add("dot", {{0}, {1}, {37}}, {}, [](auto& d, auto&, auto& in) {
    return Inputs{product(1, 1, d[0], matrix(in[0], d[0]), matrix(in[1], 1))};
  });
  add("diag_matmul", {{0, 2}, {1, 1}, {5, 7}}, {}, [](auto& d, auto&, auto& in) {
    Row c = in[1];
    for (std::int64_t i = 0; i < d[0] * d[1]; ++i) c[static_cast<std::size_t>(i)] *= at(in[0], i / d[1]);
    return Inputs{c};
  });
  const auto forward = [](auto& d, auto& a, auto& in) { return Inputs{convolved(convolution(d, a), in)}; };
  add("conv1d", {{1, 1, 3, 1, 3}, {2, 4, 9, 6, 2}}, {1, 0, 1, 1}, forward);
  add("conv1d", {{2, 4, 9, 6, 3}}, {2, 1, 2, 2}, forward);
  add("conv3d", {{1, 1, 3, 3, 3, 1, 3, 3, 3}, {2, 2, 3, 4, 5, 3, 2, 1, 3}}, {1, 0, 1, 1}, forward);
  add("conv3d", {{1, 4, 5, 6, 7, 2, 3, 2, 3}}, {2, 1, 2, 2}, forward);
  add("conv1x1", {{1, 1, 1, 1, 1}, {2, 4, 3, 5, 6}}, {}, [](auto& d, auto&, auto& in) {
    return Inputs{convolved({d[0], d[1], d[4], {d[2], d[3]}, {1, 1}}, in)};
  });
  for (const Row& a : {Row{1, 0, 1}, Row{2, 1, 2}}) {
    add("depthwise_conv2d", {{1, 1, 3, 3, 3, 3}, {2, 4, 6, 7, 3, 2}}, a, [](auto& d, auto& how, auto& in) {
      return Inputs{convolved(
          {d[0], d[1], d[1], {d[2], d[3]}, {d[4], d[5]}, whole(how[0]), whole(how[1]), whole(how[2]), d[1]},
          in)};
    });
  }
  for (const Row& a : {Row{1, 0, 1, 1}, Row{2, 1, 2, 2}, Row{3, 1, 2, 2}}) {
    add("conv2d_backward", {{1, 2, 4, 5, 2, 2, 3}}, a, [](auto& d, auto& how, auto& in) {
      return gradients(in, [&](const Inputs& now) { return convolved(convolution(d, how), now); });
    });
  }
  add("conv_transpose2d", {{1, 1, 1, 1, 1, 1, 1}, {2, 3, 4, 3, 2, 3, 2}}, {1, 0, 0, 1},
      transposed_convolution);
  add("conv_transpose2d", {{2, 3, 4, 3, 2, 3, 2}}, {3, 1, 2, 2}, transposed_convolution);
  for (const double causal : {0, 1}) {
    add("sdpa_grouped", {{1, 1, 1, 1, 1}, {2, 2, 5, 7, 3}, {1, 2, 7, 5, 3}}, {3, causal},
        [](auto& d, auto& a, auto& in) { return Inputs{attention(d[0] * d[1] * 3, 3, d, a[1] != 0, in)}; });
    add("sdpa_backward", {{1, 1, 1, 1, 1}, {1, 2, 3, 4, 2}}, {causal}, [](auto& d, auto& a, auto& in) {
      return gradients(in, [&](const Inputs& now) { return attention(d[0] * d[1], 1, d, a[0] != 0, now); });
    });
  }
  return list;
}

}  // namespace assay
