#pragma once

// The gated linear recurrences token by token, in double: what kernels/gdn is held against. Nothing here is a
// chunk, and nothing is shared with the kernels. Plain C++17, since the GPU program reads it too.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace gdn_reference {

enum class Gate { none, scalar, channel };
enum class Erase { none, key, gated };

struct Problem {
  Gate gate = Gate::scalar;
  Erase erase = Erase::key;
  int64_t n = 0, t = 0, h = 1, r = 1, kd = 1, vd = 1;
  double scale = 1;
  bool l2norm = false;
  std::vector<float> q, k, v, g, beta, b, w, s0, d_o, d_st;
  std::vector<int32_t> cu;

  int64_t heads() const { return h * r; }
};

struct Results {
  std::vector<double> o, st, dq, dk, dv, dg, dbeta, db, dw, ds0;
};

using Rows = std::vector<double>;

// y = x / sqrt(sum x^2 + 1e-6) of each row, and dx from dy.
inline Rows normalised(const std::vector<float>& x, int64_t width, bool on) {
  Rows y(x.begin(), x.end());
  for (size_t row = 0; on && row < y.size(); row += width) {
    double sum = 1e-6;
    for (int64_t c = 0; c < width; ++c) sum += y[row + c] * y[row + c];
    for (int64_t c = 0; c < width; ++c) y[row + c] /= std::sqrt(sum);
  }
  return y;
}
inline void through_norm(const std::vector<float>& x, const Rows& y, int64_t width, Rows& d) {
  for (size_t row = 0; row < d.size(); row += width) {
    double sum = 1e-6, dot = 0;
    for (int64_t c = 0; c < width; ++c) sum += double(x[row + c]) * x[row + c];
    for (int64_t c = 0; c < width; ++c) dot += y[row + c] * d[row + c];
    for (int64_t c = 0; c < width; ++c) d[row + c] = (d[row + c] - y[row + c] * dot) / std::sqrt(sum);
  }
}

// One value head of one sequence; dq and dk are added to.
inline void sequence(const Problem& p, int64_t s, int64_t head, const Rows& q, const Rows& k, Results& out,
                     bool backward) {
  const int64_t K = p.kd, V = p.vd, HV = p.heads(), first = p.cu[s], last = p.cu[s + 1];
  const auto key = [&](int64_t t, int64_t c) { return (t * p.h + head / p.r) * K + c; };
  const auto row = [&](int64_t t) { return t * HV + head; };
  const auto gate = [&](int64_t t, int64_t c) {
    if (p.gate == Gate::none) return 1.0;
    return std::exp(double(p.g[p.gate == Gate::scalar ? row(t) : row(t) * K + c]));
  };
  const auto beta = [&](int64_t t) { return p.erase == Erase::key ? double(p.beta[row(t)]) : 1.0; };
  const auto erase_key = [&](int64_t t, int64_t c) {
    if (p.erase == Erase::none) return 0.0;
    return p.erase == Erase::gated ? p.b[row(t) * K + c] * k[key(t, c)] : k[key(t, c)];
  };
  const int64_t state = (s * HV + head) * K * V;
  Rows S(p.s0.begin() + state, p.s0.begin() + state + K * V);
  std::vector<Rows> before, errors;  // R and x of each token
  for (int64_t t = first; t < last; ++t) {
    for (int64_t c = 0; c < K; ++c)
      for (int64_t v = 0; v < V; ++v) S[c * V + v] *= gate(t, c);
    if (backward) before.push_back(S);
    Rows x(V);
    for (int64_t v = 0; v < V; ++v) {
      const int64_t at = row(t) * V + v;
      x[v] = p.erase == Erase::gated ? double(p.w[at]) * p.v[at] : double(p.v[at]);
      if (p.erase != Erase::none)
        for (int64_t c = 0; c < K; ++c) x[v] -= S[c * V + v] * erase_key(t, c);
    }
    for (int64_t c = 0; c < K; ++c)
      for (int64_t v = 0; v < V; ++v) S[c * V + v] += k[key(t, c)] * (beta(t) * x[v]);
    for (int64_t v = 0; v < V; ++v) {
      double sum = 0;
      for (int64_t c = 0; c < K; ++c) sum += S[c * V + v] * q[key(t, c)];
      out.o[row(t) * V + v] = p.scale * sum;
    }
    errors.push_back(x);
  }
  for (int64_t i = 0; i < K * V; ++i) out.st[state + i] = S[i];
  if (!backward) return;

  Rows D(p.d_st.begin() + state, p.d_st.begin() + state + K * V);
  for (int64_t t = last - 1; t >= first; --t) {
    const Rows &R = before[t - first], &x = errors[t - first];
    const float* d_o = &p.d_o[row(t) * V];
    Rows z(V, 0.0);
    for (int64_t c = 0; c < K; ++c) {
      double dq = 0, dk = 0;
      for (int64_t v = 0; v < V; ++v) {
        D[c * V + v] += p.scale * q[key(t, c)] * d_o[v];
        dq += p.scale * (R[c * V + v] + k[key(t, c)] * (beta(t) * x[v])) * d_o[v];
        dk += D[c * V + v] * (beta(t) * x[v]);
        z[v] += D[c * V + v] * k[key(t, c)];
      }
      out.dq[key(t, c)] += dq;
      out.dk[key(t, c)] += dk;
    }
    double dbeta = 0;
    for (int64_t v = 0; v < V; ++v) {
      const int64_t at = row(t) * V + v;
      dbeta += z[v] * x[v];
      out.dv[at] = beta(t) * z[v] * (p.erase == Erase::gated ? p.w[at] : 1.0);
      if (p.erase == Erase::gated) out.dw[at] = z[v] * p.v[at];
    }
    if (p.erase == Erase::key) out.dbeta[row(t)] = dbeta;
    double dg = 0;
    for (int64_t c = 0; c < K; ++c) {
      double dp = 0, channel = 0;
      for (int64_t v = 0; v < V; ++v) {
        if (p.erase != Erase::none) {
          dp -= beta(t) * R[c * V + v] * z[v];
          D[c * V + v] -= beta(t) * erase_key(t, c) * z[v];
        }
        channel += R[c * V + v] * D[c * V + v];
        D[c * V + v] *= gate(t, c);
      }
      if (p.erase == Erase::key) out.dk[key(t, c)] += dp;
      if (p.erase == Erase::gated) {
        out.dk[key(t, c)] += dp * p.b[row(t) * K + c];
        out.db[row(t) * K + c] = dp * k[key(t, c)];
      }
      if (p.gate == Gate::channel) out.dg[row(t) * K + c] = channel;
      dg += channel;
    }
    if (p.gate == Gate::scalar) out.dg[row(t)] = dg;
  }
  for (int64_t i = 0; i < K * V; ++i) out.ds0[state + i] = D[i];
}

// Outputs that the member does not have stay empty.
inline Results run(const Problem& p, bool backward = true) {
  const Rows q = normalised(p.q, p.kd, p.l2norm), k = normalised(p.k, p.kd, p.l2norm);
  Results out;
  out.o.assign(p.v.size(), 0);
  out.st.assign(p.s0.size(), 0);
  out.dq.assign(p.q.size(), 0);
  out.dk.assign(p.k.size(), 0);
  out.dv.assign(p.v.size(), 0);
  out.dg.assign(p.g.size(), 0);
  out.dbeta.assign(p.beta.size(), 0);
  out.db.assign(p.b.size(), 0);
  out.dw.assign(p.w.size(), 0);
  out.ds0.assign(p.s0.size(), 0);
  for (int64_t s = 0; s < p.n; ++s)
    for (int64_t head = 0; head < p.heads(); ++head) sequence(p, s, head, q, k, out, backward);
  if (p.l2norm && backward) {
    through_norm(p.q, q, p.kd, out.dq);
    through_norm(p.k, k, p.kd, out.dk);
  }
  return out;
}

}  // namespace gdn_reference
