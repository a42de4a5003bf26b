#pragma once

// A problem taken apart into its value heads, and the results put together again: what the recurrence and the
// chunk form share.
//
// An arithmetic A has a type A::Number (operators + - * and the functions below) and says with
// `at(site, numbers)` what becomes of numbers at a rounding site (oracle/gdn/rounding.h). `Exact` does
// nothing there.

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "oracle/gdn/problem.h"

namespace assay::gdn {

inline double to_double(double x) {
  return x;
}
inline double to_double(float x) {
  return x;
}
inline double exp(double x) {
  return std::exp(x);
}
inline float exp(float x) {
  return std::exp(x);
}
inline double inverse_root(double x) {
  return 1 / std::sqrt(x);
}
inline float inverse_root(float x) {
  return 1 / std::sqrt(x);
}

template <class N>
struct Exact {
  using Number = N;
  void at(Site, std::span<N>) {}
};

// One value head of one sequence, key and query already normalised, erase keys and values already wrapped.
// Arrays are row-major, one row a token; states are kd x vd.
template <class N>
struct Head {
  std::int64_t t = 0, kd = 0, vd = 0;
  Gate gate = Gate::none;
  bool erase = false;
  bool backward = false;
  N scale{};
  std::vector<N> q, k, p, v;  // p, the erase key, is empty without erase
  std::vector<double> g;      // t, t * kd or nothing: exact in double
  std::vector<N> beta;        // t
  std::vector<N> s0, d_o, d_st;

  std::size_t keys() const { return static_cast<std::size_t>(t * kd); }
  std::size_t values() const { return static_cast<std::size_t>(t * vd); }
  std::size_t state() const { return static_cast<std::size_t>(kd * vd); }
  std::size_t gates() const { return g.size(); }
};

template <class N>
struct HeadResults {
  std::vector<N> o, st;                           // forward
  std::vector<N> dq, dk, dp, dv, dg, dbeta, ds0;  // backward; dk without the part of dp
};

namespace detail {

// Rows first .. first+t-1 of head `head` of a tensor [tokens, heads, width].
template <class N>
std::vector<N> rows(const Tensor& x, std::int64_t first, std::int64_t t, std::int64_t head) {
  const std::int64_t heads = x.shape()[1], width = x.shape().size() > 2 ? x.shape()[2] : 1;
  std::vector<N> result;
  result.reserve(static_cast<std::size_t>(t * width));
  for (std::int64_t i = 0; i < t; ++i)
    for (std::int64_t c = 0; c < width; ++c)
      result.push_back(N(x.value(((first + i) * heads + head) * width + c)));
  return result;
}

template <class N>
std::vector<N> state(const Tensor& x, std::int64_t sequence, std::int64_t head) {
  const std::int64_t size = x.shape()[2] * x.shape()[3], at = (sequence * x.shape()[1] + head) * size;
  std::vector<N> result;
  for (std::int64_t i = 0; i < size; ++i) result.push_back(N(x.value(at + i)));
  return result;
}

template <class N>
void put(std::vector<double>& to, std::span<const N> from, std::int64_t first, std::int64_t heads,
         std::int64_t head, std::int64_t width) {
  const auto t = static_cast<std::int64_t>(from.size()) / width;
  for (std::int64_t i = 0; i < t; ++i)
    for (std::int64_t c = 0; c < width; ++c)
      to[static_cast<std::size_t>(((first + i) * heads + head) * width + c)] =
          to_double(from[static_cast<std::size_t>(i * width + c)]);
}

// x / sqrt(sum x^2 + eps) row by row; returns the reciprocal roots.
template <class N>
std::vector<N> normalise(std::vector<N>& x, std::int64_t t, std::int64_t width) {
  std::vector<N> roots;
  for (std::int64_t i = 0; i < t; ++i) {
    N* row = x.data() + i * width;
    N sum = N(0.0);
    for (std::int64_t c = 0; c < width; ++c) sum = sum + row[c] * row[c];
    const N root = inverse_root(sum + N(kNormEps));
    for (std::int64_t c = 0; c < width; ++c) row[c] = row[c] * root;
    roots.push_back(root);
  }
  return roots;
}

// The gradient of what was normalised: root (dy - y (y.dy)).
template <class N>
void denormalise(std::vector<N>& dy, const std::vector<N>& y, const std::vector<N>& roots,
                 std::int64_t width) {
  for (std::size_t i = 0; i < roots.size(); ++i) {
    N* d = dy.data() + static_cast<std::int64_t>(i) * width;
    const N* row = y.data() + static_cast<std::int64_t>(i) * width;
    N dot = N(0.0);
    for (std::int64_t c = 0; c < width; ++c) dot = dot + row[c] * d[c];
    for (std::int64_t c = 0; c < width; ++c) d[c] = roots[i] * (d[c] - row[c] * dot);
  }
}

template <class N>
void add(std::vector<N>& sum, const std::vector<N>& x) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] + x[i];
}

template <class N>
std::vector<N> times(const std::vector<N>& a, const std::vector<N>& b) {
  std::vector<N> product = a;
  for (std::size_t i = 0; i < a.size(); ++i) product[i] = product[i] * b[i];
  return product;
}

}  // namespace detail

// Value heads of all sequences, each solved by `solve(const Head<N>&) -> HeadResults<N>`.
template <class A, class Solve>
Results each_head(const Problem& p, A& arithmetic, Solve solve) {
  using N = typename A::Number;
  using Row = std::vector<N>;
  Results results = zeros(p);
  const Size& s = p.size;
  const Member& m = *p.member;
  const bool backward = p.has_gradient();
  for (std::int64_t sequence = 0; sequence < s.n; ++sequence) {
    const std::int64_t first = p.first(sequence), t = p.end(sequence) - first;
    for (std::int64_t x = 0; x < s.h; ++x) {
      Row q = detail::rows<N>(p.q, first, t, x), k = detail::rows<N>(p.k, first, t, x), q_roots, k_roots;
      if (p.l2norm) {
        q_roots = detail::normalise(q, t, s.kd);
        k_roots = detail::normalise(k, t, s.kd);
        arithmetic.at(Site::normalised, q);
        arithmetic.at(Site::normalised, k);
      }
      Row dq(q.size(), N(0.0)), dk(k.size(), N(0.0));
      for (std::int64_t head = x * s.r; head < (x + 1) * s.r; ++head) {
        const auto put = [&](std::vector<double>& to, const Row& from, std::int64_t width) {
          detail::put<N>(to, from, first, s.heads(), head, width);
        };
        const auto put_state = [&](std::vector<double>& to, const Row& from) {
          const auto at = static_cast<std::size_t>((sequence * s.heads() + head) * s.kd * s.vd);
          for (std::size_t i = 0; i < from.size(); ++i) to[at + i] = to_double(from[i]);
        };
        Head<N> one{.t = t,
                    .kd = s.kd,
                    .vd = s.vd,
                    .gate = m.gate,
                    .erase = m.erase,
                    .backward = backward,
                    .scale = N(p.scale),
                    .q = q,
                    .k = k,
                    .p = {},
                    .v = detail::rows<N>(p.v, first, t, head),
                    .g = {},
                    .beta = Row(static_cast<std::size_t>(t), N(1.0)),
                    .s0 = detail::state<N>(p.s0, sequence, head),
                    .d_o = {},
                    .d_st = {}};
        if (m.gate != Gate::none) one.g = detail::rows<double>(p.g, first, t, head);
        if (p.beta.size() > 0) one.beta = detail::rows<N>(p.beta, first, t, head);
        if (m.erase) one.p = k;
        Row b, w, v;
        if (m.wrap) {
          b = detail::rows<N>(p.b, first, t, head);
          w = detail::rows<N>(p.w, first, t, head);
          v = one.v;
          one.p = detail::times(b, k);
          one.v = detail::times(w, v);
          arithmetic.at(Site::wrapped, one.p);
          arithmetic.at(Site::wrapped, one.v);
        }
        if (backward) one.d_o = detail::rows<N>(p.d_o, first, t, head);
        if (backward) one.d_st = detail::state<N>(p.d_st, sequence, head);

        HeadResults<N> r = solve(std::as_const(one));
        arithmetic.at(Site::output, r.o);
        put(results.o, r.o, s.vd);
        put_state(results.st, r.st);
        if (!backward) continue;
        if (m.wrap) {
          put(results.db, detail::times(r.dp, k), s.kd);
          put(results.dw, detail::times(r.dv, v), s.vd);
          r.dp = detail::times(r.dp, b);
          r.dv = detail::times(r.dv, w);
        }
        detail::add(dq, r.dq);
        detail::add(dk, r.dk);
        if (m.erase) detail::add(dk, r.dp);
        arithmetic.at(Site::output, r.dv);
        put(results.dv, r.dv, s.vd);
        if (m.gate != Gate::none) put(results.dg, r.dg, m.gate == Gate::scalar ? 1 : s.kd);
        if (!results.dbeta.empty()) put(results.dbeta, r.dbeta, 1);
        put_state(results.ds0, r.ds0);
      }
      if (!backward) continue;
      if (p.l2norm) {
        detail::denormalise(dq, q, q_roots, s.kd);
        detail::denormalise(dk, k, k_roots, s.kd);
      }
      arithmetic.at(Site::output, dq);
      arithmetic.at(Site::output, dk);
      detail::put<N>(results.dq, dq, first, s.h, x, s.kd);
      detail::put<N>(results.dk, dk, first, s.h, x, s.kd);
    }
  }
  return results;
}

}  // namespace assay::gdn
