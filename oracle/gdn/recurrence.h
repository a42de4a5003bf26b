#pragma once

// The token recurrence of one value head and its exact backward: what the family's answers are.
//
//   a_t = exp(g_t)     R_t = diag(a_t) S_{t-1}     x_t = v_t - R_t^T p_t (v_t without erase)
//   d_t = beta_t x_t   S_t = R_t + k_t d_t^T       o_t = s S_t^T q_t
//
// and for t = T..1, with D the gradient of S_t, D_T = d_st:
//
//   D += s q_t do_t^T      dq_t = s S_t do_t       z_t = D^T k_t          dk_t = D d_t
//   dbeta_t = z_t.x_t      dv_t = beta_t z_t       dp_t = -beta_t R_t z_t
//   D -= beta_t p_t z_t^T  dg_t = sum_V R_t * D (over channels too where g is a scalar)
//   D  = diag(a_t) D       and at the end ds0 = D
//
// A token with g <= -104 is a hard reset: nothing crosses it, what is not finite neither.
//
// Laws: a sequence without tokens has st = s0 and ds0 = d_st bit for bit; a NaN here is one that every honest
// kernel has. In double the results are good to 1e-13 of the norm of their head (tests/oracle/gdn_test.cpp
// holds them against MPFR).

#include <algorithm>
#include <vector>

#include "oracle/gdn/head.h"

namespace assay::gdn {

namespace detail {

// Four partial sums: a chain of additions would be what a double waits for.
template <class N>
N dot(const N* a, const N* b, std::int64_t n) {
  N s0(0.0), s1(0.0), s2(0.0), s3(0.0);
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 = s0 + a[i] * b[i];
    s1 = s1 + a[i + 1] * b[i + 1];
    s2 = s2 + a[i + 2] * b[i + 2];
    s3 = s3 + a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 = s0 + a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

template <class N>
void add_multiple(N* to, const N& factor, const N* from, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = to[i] + factor * from[i];
}

}  // namespace detail

template <class N>
class Recurrence {
 public:
  explicit Recurrence(const Head<N>& head) : head_(head) {}

  HeadResults<N> run() {
    const Head<N>& h = head_;
    r_.o.assign(h.values(), N(0.0));
    std::vector<N> s = h.s0;
    std::vector<std::vector<N>> starts;  // the state before each block of tokens
    for (std::int64_t t = 0; t < h.t; ++t) {
      if (t % kBlock == 0 && h.backward) starts.push_back(s);
      step(t, s, nullptr);
    }
    r_.st = std::move(s);
    if (h.backward) backward(starts);
    return std::move(r_);
  }

 private:
  static constexpr std::int64_t kBlock = 64;  // tokens whose states are kept at a time

  struct Token {
    std::vector<N> r, x, d, s;
  };

  N decay(std::int64_t t, std::int64_t channel) const {
    const auto at = static_cast<std::size_t>(head_.gate == Gate::scalar ? t : t * head_.kd + channel);
    return exp(N(head_.g[at]));
  }
  bool resets(std::int64_t t, std::int64_t channel) const {
    const auto at = static_cast<std::size_t>(head_.gate == Gate::scalar ? t : t * head_.kd + channel);
    return head_.g[at] <= kReset;
  }
  static bool finite(const N& x) { return std::isfinite(to_double(x)); }

  void scale_rows(std::int64_t t, std::vector<N>& s) const {
    if (head_.gate == Gate::none) return;
    N a = head_.gate == Gate::scalar ? decay(t, 0) : N(0.0);
    for (std::int64_t c = 0; c < head_.kd; ++c) {
      if (head_.gate == Gate::channel) a = decay(t, c);
      N* row = s.data() + c * head_.vd;
      const bool reset = resets(t, c);
      for (std::int64_t j = 0; j < head_.vd; ++j) row[j] = reset && !finite(row[j]) ? N(0.0) : a * row[j];
    }
  }

  // s: S_{t-1} to S_t.
  void step(std::int64_t t, std::vector<N>& s, Token* tape) {
    const Head<N>& h = head_;
    scale_rows(t, s);
    if (tape) tape->r = s;
    std::vector<N> x(h.v.begin() + t * h.vd, h.v.begin() + (t + 1) * h.vd);
    if (h.erase)
      for (std::int64_t c = 0; c < h.kd; ++c)
        detail::add_multiple(x.data(), N(0.0) - h.p[static_cast<std::size_t>(t * h.kd + c)],
                             s.data() + c * h.vd, h.vd);
    std::vector<N> d = x;
    for (N& e : d) e = h.beta[static_cast<std::size_t>(t)] * e;
    N* o = r_.o.data() + t * h.vd;
    for (std::int64_t j = 0; j < h.vd && !tape; ++j) o[j] = N(0.0);
    for (std::int64_t c = 0; c < h.kd; ++c) {
      const auto at = static_cast<std::size_t>(t * h.kd + c);
      detail::add_multiple(s.data() + c * h.vd, h.k[at], d.data(), h.vd);
      if (!tape) detail::add_multiple(o, h.scale * h.q[at], s.data() + c * h.vd, h.vd);
    }
    if (!tape) return;
    tape->x = std::move(x);
    tape->d = std::move(d);
    tape->s = s;
  }

  void backward(const std::vector<std::vector<N>>& starts) {
    const Head<N>& h = head_;
    for (auto* keys : {&r_.dq, &r_.dk, &r_.dp}) keys->assign(h.keys(), N(0.0));
    r_.dv.assign(h.values(), N(0.0));
    r_.dg.assign(h.gates(), N(0.0));
    r_.dbeta.assign(static_cast<std::size_t>(h.t), N(0.0));
    std::vector<N> D = h.d_st;
    std::vector<Token> tape(static_cast<std::size_t>(std::min(h.t, kBlock)));
    for (std::int64_t block = static_cast<std::int64_t>(starts.size()) - 1; block >= 0; --block) {
      const std::int64_t first = block * kBlock, end = std::min(h.t, first + kBlock);
      std::vector<N> s = starts[static_cast<std::size_t>(block)];
      for (std::int64_t t = first; t < end; ++t) step(t, s, &tape[static_cast<std::size_t>(t - first)]);
      for (std::int64_t t = end - 1; t >= first; --t) back(t, tape[static_cast<std::size_t>(t - first)], D);
    }
    r_.ds0 = std::move(D);
  }

  void back(std::int64_t t, const Token& token, std::vector<N>& D) {
    const Head<N>& h = head_;
    const std::int64_t V = h.vd;
    const N* d_o = h.d_o.data() + t * V;
    const N beta = h.beta[static_cast<std::size_t>(t)];
    std::vector<N> z(static_cast<std::size_t>(V), N(0.0));
    for (std::int64_t c = 0; c < h.kd; ++c) {
      const auto at = static_cast<std::size_t>(t * h.kd + c);
      N* row = D.data() + c * V;
      detail::add_multiple(row, h.scale * h.q[at], d_o, V);
      detail::add_multiple(z.data(), h.k[at], row, V);
      r_.dq[at] = h.scale * detail::dot(token.s.data() + c * V, d_o, V);
      r_.dk[at] = detail::dot(row, token.d.data(), V);
    }
    r_.dbeta[static_cast<std::size_t>(t)] = detail::dot(z.data(), token.x.data(), V);
    for (std::int64_t j = 0; j < V; ++j)
      r_.dv[static_cast<std::size_t>(t * V + j)] = beta * z[static_cast<std::size_t>(j)];
    for (std::int64_t c = 0; c < h.kd; ++c) {
      const auto at = static_cast<std::size_t>(t * h.kd + c);
      const N* r = token.r.data() + c * V;
      N* row = D.data() + c * V;
      if (h.erase) {
        r_.dp[at] = N(0.0) - beta * detail::dot(r, z.data(), V);
        detail::add_multiple(row, N(0.0) - beta * h.p[at], z.data(), V);
      }
      if (h.gate == Gate::none) continue;
      const auto gate = h.gate == Gate::scalar ? static_cast<std::size_t>(t) : at;
      r_.dg[gate] = r_.dg[gate] + detail::dot(r, row, V);
    }
    for (std::int64_t c = 0; c < h.kd && h.gate != Gate::none; ++c) {
      const auto gate = static_cast<std::size_t>(h.gate == Gate::scalar ? t : t * h.kd + c);
      if (resets(t, c) && !finite(r_.dg[gate])) r_.dg[gate] = N(0.0);
    }
    scale_rows(t, D);
  }

  const Head<N>& head_;
  HeadResults<N> r_;
};

// Outputs and, where the problem has d_o and d_st, gradients.
template <class N>
Results evaluate(const Problem& problem) {
  Exact<N> exact;
  return each_head(problem, exact, [](const Head<N>& head) { return Recurrence<N>(head).run(); });
}
extern template Results evaluate<double>(const Problem& problem);

// The truth for problems of every size.
inline Results truth(const Problem& problem) {
  return evaluate<double>(problem);
}

}  // namespace assay::gdn
