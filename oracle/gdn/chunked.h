#pragma once

// The chunk form of one value head, forward and backward (solve-adjoint, gate gradient by sums only), with
// every place where a kernel rounds handed to an arithmetic (oracle/gdn/rounding.h names them).
//
// The arithmetic A is that of oracle/gdn/head.h and has besides
//   N gate(double exponent)                          exp of an exponent <= 0 that is exact to double
//   void summed(Matrix<N>& c, const Matrix<N>& a, const Matrix<N>& b)   after c = a b
//   void accumulated(std::span<N> sums, std::span<const double> squares, std::int64_t terms)   after sums
//                                                     whose terms' squares add up to `squares`
//   double reset() const                              a g at and below it is a hard reset
//   bool counts() const                               whether `squares` are looked at
//
// Law: with an arithmetic that does nothing the results are those of the recurrence
// (oracle/gdn/recurrence.h).

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "oracle/gdn/head.h"
#include "oracle/gdn/matrix.h"

namespace assay::gdn {

// A fault of a kernel, to show that it is seen. Those of one place are in chunk 0, 1 or 2.
enum class Fault : std::uint8_t {
  none,
  ignores_final_gradient,  // D starts at 0
  tail_off_by_one,         // w_j is w_{j+1}
  no_solve_adjoint,        // Me is 0
  no_whole_chunk_term,     // dg without exp(G_n) <S, D>
  inclusive_prefix,        // dg with sum over j <= t of y
  partial_chunk_tail,      // dg of a partial last chunk without what reaches its end
  weak_last_link,          // D of the last chunk times 0.98
  state_in_io,             // D carried in the dtype of q, k and v
  beta_in_io,
  one_token,    // one row of dv is 5 % off
  stale_tile,   // one 16 x 16 tile of dAm is missing from dk
  beta_late,    // one row of dv uses the next beta
  difference,   // dg by differences
  first_order,  // T is I - L
};
constexpr int kFaults = static_cast<int>(Fault::first_order) + 1;
std::string_view name(Fault fault);

// Sums of g from the chunk's start, apart from resets: segments are numbered by the resets before them.
class Decays {
 public:
  Decays(const std::vector<double>& g, std::int64_t first, std::int64_t n, std::int64_t width, double reset);

  std::int64_t rows() const { return n_; }
  std::int64_t width() const { return width_; }  // 1 or kd
  bool linked(std::int64_t i, std::int64_t j, std::int64_t c) const {
    return segment_[at(i, c)] == segment_[at(j, c)];
  }
  bool starts(std::int64_t i, std::int64_t c) const { return segment_[at(i, c)] == 0; }
  bool is_reset(std::int64_t i, std::int64_t c) const { return reset_[at(i, c)]; }
  double sum(std::int64_t i, std::int64_t c) const { return sum_[at(i, c)]; }

 private:
  std::size_t at(std::int64_t i, std::int64_t c) const { return static_cast<std::size_t>(i * width_ + c); }

  std::int64_t n_, width_;
  std::vector<double> sum_;
  std::vector<int> segment_;
  std::vector<bool> reset_;
};

template <class A>
class ChunkForm {
 public:
  using N = typename A::Number;
  using M = Matrix<N>;

  ChunkForm(const Head<N>& head, A& arithmetic, Fault fault = Fault::none)
      : h_(head), a_(arithmetic), fault_(fault), width_(head.gate == Gate::channel ? head.kd : 1) {}

  HeadResults<N> run() {
    std::vector<Chunk> list = chunks();
    if (h_.backward) backward(list);
    return std::move(r_);
  }

  // A chunk's intermediates, by the names of rounding.h.
  struct Chunk {
    std::int64_t first = 0, n = 0;
    M q, k, p, v;
    std::vector<N> beta;
    Decays decays;
    M e, w, gamma;        // n x width, n x width, n x n (scalar gates)
    std::vector<N> last;  // width
    M s, s_operand;       // at the chunk's start
    M wq, wp, a, t, ps, x, delta;
  };

  // The forward pass alone.
  std::vector<Chunk> chunks() {
    r_.o.assign(h_.values(), N(0));
    M s(h_.kd, h_.vd, h_.s0);
    std::vector<Chunk> list;
    for (std::int64_t first = 0; first < h_.t; first += kChunk) {
      list.push_back(start(first));
      forward(list.back(), s);
    }
    r_.st = std::move(s.x);
    return list;
  }

 private:
  // ---- gates ------------------------------------------------------------------------------------------

  bool gated() const { return h_.gate != Gate::none; }
  bool channels() const { return h_.gate == Gate::channel; }
  N gate(double exponent) { return gated() ? a_.gate(exponent) : N(1); }

  Chunk start(std::int64_t first) {
    const std::int64_t n = std::min<std::int64_t>(kChunk, h_.t - first);
    Chunk c{.first = first,
            .n = n,
            .q = M(h_.q, first, n, h_.kd),
            .k = M(h_.k, first, n, h_.kd),
            .p = {},
            .v = M(h_.v, first, n, h_.vd),
            .beta = std::vector<N>(h_.beta.begin() + first, h_.beta.begin() + first + n),
            .decays = Decays(h_.g, first, n, width_, a_.reset()),
            .e = M(n, width_),
            .w = M(n, width_),
            .gamma = {},
            .last = std::vector<N>(static_cast<std::size_t>(width_)),
            .s = {},
            .s_operand = {},
            .wq = {},
            .wp = {},
            .a = {},
            .t = {},
            .ps = {},
            .x = {},
            .delta = {}};
    if (h_.erase) c.p = M(h_.p, first, n, h_.kd);
    const Decays& d = c.decays;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t x = 0; x < width_; ++x) {
        c.e(i, x) = d.starts(i, x) ? gate(d.sum(i, x)) : N(0);
        c.w(i, x) = d.linked(i, n - 1, x) ? gate(d.sum(n - 1, x) - d.sum(i, x)) : N(0);
      }
    for (std::int64_t x = 0; x < width_; ++x) c.last[static_cast<std::size_t>(x)] = c.e(n - 1, x);
    if (fault_ == Fault::tail_off_by_one)
      for (std::int64_t i = 0; i + 1 < n; ++i)
        for (std::int64_t x = 0; x < width_; ++x) c.w(i, x) = c.w(i + 1, x);
    if (!channels()) {
      c.gamma = M(n, n);
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j <= i; ++j)
          if (d.linked(i, j, 0)) c.gamma(i, j) = gate(d.sum(i, 0) - d.sum(j, 0));
    }
    return c;
  }

  // exp(G_i - G_j) of every channel, for i >= j.
  void between(const Chunk& c, std::int64_t i, std::int64_t j, std::vector<N>& result) {
    for (std::int64_t x = 0; x < width_; ++x)
      result[static_cast<std::size_t>(x)] =
          c.decays.linked(i, j, x) ? a_.gate(c.decays.sum(i, x) - c.decays.sum(j, x)) : N(0);
  }

  // ---- products ---------------------------------------------------------------------------------------

  M product(const M& a, const M& b) {
    M c = multiply(a, b);
    a_.summed(c, a, b);
    return c;
  }
  M rounded(Site site, M m) {
    // Without gates rows are as they were given, without erase what is written is v.
    const bool given = (site == Site::gated_rows && !gated()) || (site == Site::delta && !h_.erase);
    if (!given) a_.at(site, m.x);
    return m;
  }

  // weights * (rows operand): scalar weights scale the product, those of channels scale the operand.
  M gated_product(const M& rows, const M& weights, const M& operand) {
    if (channels()) return product(rounded(Site::gated_rows, weighted(rows, weights)), operand);
    return weighted(product(rows, operand), weights);
  }

  // (rows_i.k_j) Gam_ij for i >= j + (strict ? 1 : 0), else 0.
  M scores(const Chunk& c, const M& rows, bool strict) {
    if (!channels()) {
      M m = weighted(product(rows, transposed(c.k)), c.gamma);
      for (std::int64_t i = 0; i < c.n && strict; ++i) m(i, i) = N(0);
      return m;
    }
    const M r = rounded(Site::gated_rows, rows), k = rounded(Site::gated_rows, c.k);
    M m(c.n, c.n);
    std::vector<double> squares(m.x.size());
    std::vector<N> e(static_cast<std::size_t>(width_));
    for (std::int64_t i = 0; i < c.n; ++i)
      for (std::int64_t j = 0; j < i + (strict ? 0 : 1); ++j) {
        between(c, i, j, e);
        N sum(0);
        double square = 0;
        for (std::int64_t x = 0; x < width_; ++x) {
          const N term = r(i, x) * k(j, x) * e[static_cast<std::size_t>(x)];
          sum += term;
          if (a_.counts()) square += to_double(term) * to_double(term);
        }
        m(i, j) = sum;
        squares[static_cast<std::size_t>(i * c.n + j)] = square;
      }
    a_.accumulated(m.x, squares, width_);
    return m;
  }

  // (I + L)^-1 by forward substitution.
  M inverse(const M& l) {
    M t(l.rows, l.cols);
    for (std::int64_t i = 0; i < l.rows; ++i) {
      t(i, i) = N(1);
      for (std::int64_t k = 0; k < i; ++k) {
        if (fault_ == Fault::first_order) {
          t(i, k) = -l(i, k);
          continue;
        }
        const N factor = l(i, k);
        for (std::int64_t j = 0; j <= k; ++j) t(i, j) -= factor * t(k, j);
      }
    }
    a_.summed(t, t, l);
    return t;
  }

  M carry(const Chunk& c, const M& s) const {
    M result = s;
    for (std::int64_t x = 0; x < h_.kd; ++x)
      for (std::int64_t j = 0; j < h_.vd; ++j)
        result(x, j) *= c.last[static_cast<std::size_t>(channels() ? x : 0)];
    return result;
  }

  // ---- forward ----------------------------------------------------------------------------------------

  void forward(Chunk& c, M& s) {
    c.s = s;
    c.s_operand = rounded(Site::state, s);
    c.wq = scores(c, c.q, false);
    c.a = rounded(Site::scores, scaled(c.wq, h_.scale));
    c.x = c.v;
    M written;
    if (h_.erase) {
      c.wp = scores(c, c.p, true);
      c.t = rounded(Site::inverse, inverse(scaled_rows<N>(c.wp, c.beta)));
      c.ps = gated_product(c.p, c.e, c.s_operand);
      for (std::size_t i = 0; i < c.x.x.size(); ++i) c.x.x[i] -= c.ps.x[i];
      written = product(c.t, rounded(Site::written, scaled_rows<N>(c.x, c.beta)));
    } else {
      written = scaled_rows<N>(c.v, c.beta);
    }
    c.delta = rounded(Site::delta, std::move(written));
    M o = scaled(gated_product(c.q, c.e, c.s_operand), h_.scale);
    o += product(c.a, c.delta);
    std::copy(o.x.begin(), o.x.end(), r_.o.begin() + c.first * h_.vd);
    s = carry(c, c.s);
    s += product(transposed(rounded(Site::gated_rows, weighted(c.k, c.w))), c.delta);
    a_.at(Site::carried, s.x);
  }

  // ---- backward ---------------------------------------------------------------------------------------

  void backward(std::vector<Chunk>& chunks) {
    for (auto* keys : {&r_.dq, &r_.dk, &r_.dp}) keys->assign(h_.keys(), N(0));
    r_.dv.assign(h_.values(), N(0));
    r_.dg.assign(h_.gates(), N(0));
    r_.dbeta.assign(static_cast<std::size_t>(h_.t), N(0));
    M d(h_.kd, h_.vd, h_.d_st);
    if (fault_ == Fault::ignores_final_gradient) d = M(h_.kd, h_.vd);
    while (!chunks.empty()) {
      const bool last = chunks.back().first + chunks.back().n == h_.t;
      back(chunks.back(), d);
      if (last && fault_ == Fault::weak_last_link) d = scaled(d, N(0.98));
      chunks.pop_back();
    }
    r_.ds0 = std::move(d.x);
  }

  void back(Chunk& c, M& d) {
    if (fault_ == Fault::state_in_io) a_.at(Site::adjoint, d.x);
    if (fault_ == Fault::beta_in_io) a_.at(Site::output, c.beta);
    const M d_o(h_.d_o, c.first, c.n, h_.vd);
    const M d_operand = rounded(Site::adjoint, d), d_o_t = transposed(d_o), delta_t = transposed(c.delta);
    M d_delta = product(transposed(c.a), d_o);
    d_delta += gated_product(c.k, c.w, d_operand);
    const M z = h_.erase ? product(transposed(c.t), rounded(Site::delta_adjoint, d_delta)) : d_delta;
    const M z_operand = h_.erase ? rounded(Site::z, z) : z;

    // Gradients of the reads of S and of the writes that reach the chunk's end.
    const M s_t = transposed(c.s_operand);
    M dq = scaled(weighted(product(d_o, s_t), c.e), h_.scale);
    M dk = weighted(product(c.delta, transposed(d_operand)), c.w);
    M dp(h_.erase ? c.n : 0, h_.kd);
    if (h_.erase) dp = scaled(weighted(scaled_rows<N>(product(z_operand, s_t), c.beta), c.e), N(-1));
    gate_gradient_ends(c, dq, dk, dp, d);

    // Gradients of the scores q_i.k_j and p_i.k_j.
    M to_q = scaled(product(d_o, delta_t), h_.scale);
    M to_p(h_.erase ? c.n : 0, c.n);
    if (h_.erase) to_p = scaled(scaled_rows<N>(product(z_operand, delta_t), c.beta), N(-1));
    for (std::int64_t i = 0; i < c.n; ++i)
      for (std::int64_t j = i; j < c.n; ++j) {
        if (j > i) to_q(i, j) = N(0);
        if (h_.erase) to_p(i, j) = N(0);
      }
    if (fault_ == Fault::no_solve_adjoint) to_p = M(to_p.rows, to_p.cols);
    if (channels())
      by_channel(c, to_q, to_p, dq, dk, dp);
    else
      by_mask(c, to_q, to_p, dq, dk, dp);

    M prediction = c.x;
    if (h_.erase) {
      const M overlap = product(rounded(Site::scores, c.wp), c.delta);
      for (std::size_t i = 0; i < prediction.x.size(); ++i) prediction.x[i] -= overlap.x[i];
    }
    for (std::int64_t i = 0; i < c.n; ++i) {
      N sum(0);
      for (std::int64_t j = 0; j < h_.vd; ++j) {
        sum += z(i, j) * prediction(i, j);
        r_.dv[static_cast<std::size_t>((c.first + i) * h_.vd + j)] = strength(c, i) * z(i, j);
      }
      r_.dbeta[static_cast<std::size_t>(c.first + i)] = sum;
    }
    store(r_.dq, dq, c);
    store(r_.dk, dk, c);
    if (h_.erase) store(r_.dp, dp, c);

    M next = carry(c, d);
    next += product(transposed(rounded(Site::gated_rows, scaled(weighted(c.q, c.e), h_.scale))), d_o);
    if (h_.erase) {
      const M erased = product(
          transposed(rounded(Site::gated_rows, scaled_rows<N>(weighted(c.p, c.e), c.beta))), z_operand);
      for (std::size_t i = 0; i < next.x.size(); ++i) next.x[i] -= erased.x[i];
    }
    d = std::move(next);
    a_.at(Site::carried, d.x);
  }

  N strength(const Chunk& c, std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    if (fault_ == Fault::one_token && c.first == kChunk && i == 7) return c.beta[at] * N(1.05);
    if (fault_ == Fault::beta_late && c.first == 0 && i == 3 && c.n > 4) return c.beta[4];
    return c.beta[at];
  }

  void store(std::vector<N>& to, const M& from, const Chunk& c) const {
    std::copy(from.x.begin(), from.x.end(), to.begin() + c.first * from.cols);
  }

  void by_mask(const Chunk& c, const M& to_q, const M& to_p, M& dq, M& dk, M& dp) {
    M pairs = weighted(to_q, c.wq);
    M da = rounded(Site::score_adjoint, weighted(to_q, c.gamma));
    dq += product(da, c.k);
    if (fault_ == Fault::stale_tile && c.first == 2 * kChunk && c.n >= 32)
      for (std::int64_t i = 16; i < 32; ++i)
        for (std::int64_t j = 0; j < 16; ++j) da(i, j) = N(0);
    dk += product(transposed(da), c.q);
    if (h_.erase) {
      pairs += weighted(to_p, c.wp);
      const M me = rounded(Site::score_adjoint, weighted(to_p, c.gamma));
      dp += product(me, c.k);
      dk += product(transposed(me), c.p);
    }
    if (!gated()) return;
    // dg_t takes every pair i >= t > j.
    std::vector<N> below(static_cast<std::size_t>(c.n), N(0));
    for (std::int64_t i = 0; i < c.n; ++i) {
      N prefix(0);
      for (std::int64_t j = 0; j < i; ++j) {
        prefix += pairs(i, j);
        below[static_cast<std::size_t>(j + 1)] += prefix;
      }
      if (fault_ == Fault::difference) {
        N net = prefix;
        for (std::int64_t k = i + 1; k < c.n; ++k) net -= pairs(k, i);
        differences_[static_cast<std::size_t>(i)] += net;
      }
    }
    finish_gate_gradient(c, below);
  }

  void by_channel(const Chunk& c, M to_q, M to_p, M& dq, M& dk, M& dp) {
    a_.at(Site::score_adjoint, to_q.x);
    a_.at(Site::score_adjoint, to_p.x);
    const M q = rounded(Site::gated_rows, c.q), k = rounded(Site::gated_rows, c.k);
    const M p = h_.erase ? rounded(Site::gated_rows, c.p) : M();
    M q_sum(c.n, width_), k_sum(c.n, width_), p_sum(h_.erase ? c.n : 0, width_);
    std::vector<double> q_squares(q_sum.x.size()), k_squares(k_sum.x.size()), p_squares(p_sum.x.size());
    std::vector<N> e(static_cast<std::size_t>(width_)), prefix(e.size());
    std::vector<N> below(static_cast<std::size_t>(c.n * width_), N(0));
    const bool counts = a_.counts();
    for (std::int64_t i = 0; i < c.n; ++i) {
      std::fill(prefix.begin(), prefix.end(), N(0));
      for (std::int64_t j = 0; j <= i; ++j) {
        between(c, i, j, e);
        const N qij = to_q(i, j), pij = h_.erase ? to_p(i, j) : N(0);
        for (std::int64_t x = 0; x < width_; ++x) {
          const auto at = static_cast<std::size_t>(x);
          const N key = k(j, x) * e[at];
          const N read = qij * q(i, x) + (h_.erase ? pij * p(i, x) : N(0));
          q_sum(i, x) += qij * key;
          if (h_.erase) p_sum(i, x) += pij * key;
          k_sum(j, x) += read * e[at];
          if (j < i) {
            prefix[at] += read * key;
            below[static_cast<std::size_t>((j + 1) * width_) + at] += prefix[at];
          }
          if (counts) {
            const double dk_term = to_double(read * e[at]), dkey = to_double(key);
            q_squares[static_cast<std::size_t>(i * width_) + at] += to_double(qij * qij) * dkey * dkey;
            if (h_.erase)
              p_squares[static_cast<std::size_t>(i * width_) + at] += to_double(pij * pij) * dkey * dkey;
            k_squares[static_cast<std::size_t>(j * width_) + at] += dk_term * dk_term;
          }
        }
      }
    }
    a_.accumulated(q_sum.x, q_squares, c.n);
    a_.accumulated(k_sum.x, k_squares, 2 * c.n);
    a_.accumulated(p_sum.x, p_squares, c.n);
    dq += q_sum;
    dk += k_sum;
    if (h_.erase) dp += p_sum;
    finish_gate_gradient(c, below);
  }

  // The parts of dg that touch the chunk's ends, from the gradients of the reads of S and the last writes:
  // x_i reaches back to the start, y_j on to the end, z crosses the whole chunk.
  void gate_gradient_ends(const Chunk& c, const M& dq, const M& dk, const M& dp, const M& d) {
    if (!gated()) return;
    x_.assign(static_cast<std::size_t>(c.n * width_), N(0));
    y_ = x_;
    whole_.assign(static_cast<std::size_t>(width_), N(0));
    differences_.assign(static_cast<std::size_t>(c.n), N(0));
    for (std::int64_t i = 0; i < c.n; ++i)
      for (std::int64_t k = 0; k < h_.kd; ++k) {
        const auto at = static_cast<std::size_t>(i * width_ + (channels() ? k : 0));
        x_[at] += dq(i, k) * c.q(i, k);
        if (h_.erase) x_[at] += dp(i, k) * c.p(i, k);
        y_[at] += dk(i, k) * c.k(i, k);
      }
    if (fault_ == Fault::no_whole_chunk_term) return;
    for (std::int64_t k = 0; k < h_.kd; ++k) {
      N sum(0);
      for (std::int64_t j = 0; j < h_.vd; ++j) sum += c.s(k, j) * d(k, j);
      const auto at = static_cast<std::size_t>(channels() ? k : 0);
      whole_[at] += c.last[at] * sum;
    }
  }

  void finish_gate_gradient(const Chunk& c, const std::vector<N>& below) {
    const bool lost = fault_ == Fault::partial_chunk_tail && c.n < kChunk;
    for (std::int64_t x = 0; x < width_; ++x) {
      const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(i * width_ + x); };
      std::vector<N> suffix(static_cast<std::size_t>(c.n)), net = suffix;
      N sum(0), y_total(0), run(0);
      for (std::int64_t i = c.n - 1; i >= 0; --i) suffix[static_cast<std::size_t>(i)] = sum += x_[at(i)];
      for (std::int64_t i = 0; i < c.n; ++i) y_total += y_[at(i)];
      for (std::int64_t i = c.n - 1; i >= 0 && fault_ == Fault::difference && !channels(); --i) {
        const auto k = static_cast<std::size_t>(i);
        run += differences_[k] + x_[at(i)] - y_[at(i)];
        if (i == c.n - 1) run += y_total + whole_[0];
        net[k] = run;
      }
      N prefix(0);
      for (std::int64_t i = 0; i < c.n; ++i) {
        const N ends = suffix[static_cast<std::size_t>(i)] + whole_[static_cast<std::size_t>(x)];
        if (fault_ == Fault::inclusive_prefix) prefix += y_[at(i)];
        N value = below[at(i)] + ends + prefix;
        if (lost) value -= y_total + whole_[static_cast<std::size_t>(x)];
        if (fault_ == Fault::difference && !channels()) value = net[static_cast<std::size_t>(i)];
        if (fault_ != Fault::inclusive_prefix) prefix += y_[at(i)];
        const auto to = static_cast<std::size_t>((c.first + i) * width_ + x);
        r_.dg[to] = c.decays.is_reset(i, x) ? N(0) : value;
      }
    }
  }

  const Head<N>& h_;
  A& a_;
  Fault fault_;
  std::int64_t width_;
  HeadResults<N> r_;
  std::vector<N> x_, y_, whole_, differences_;
};

}  // namespace assay::gdn
