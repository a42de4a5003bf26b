#include "oracle/gdn/bound.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "oracle/gdn/models.h"

namespace assay::gdn {
namespace {

using M = Matrix<double>;

double frobenius(const M& a) {
  double sum = 0;
  for (double e : a.x) sum += e * e;
  return std::sqrt(sum);
}

// The largest singular value, by power iteration on a^T a; at most the Frobenius norm.
double spectral(const M& a) {
  if (a.x.empty()) return 0;
  const M t = transposed(a);
  M v(a.cols, 1);
  for (std::int64_t i = 0; i < v.rows; ++i)
    v(i, 0) = 1 + 0.37 * static_cast<double>(i % 7) * (i % 2 ? -1 : 1);
  double value = 0;
  for (int i = 0; i < 24; ++i) {
    const double length = frobenius(v);
    if (length == 0) break;
    v = multiply(t, multiply(a, scaled(v, 1 / length)));
    value = std::sqrt(frobenius(v));
  }
  // What the iteration may still be short of.
  return std::min(1.05 * value, frobenius(a));
}

double largest(const M& a) {
  double value = 0;
  for (double e : a.x) value = std::max(value, std::fabs(e));
  return value;
}

double longest_row(const M& a) {
  double value = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < a.cols; ++j) sum += a(i, j) * a(i, j);
    value = std::max(value, std::sqrt(sum));
  }
  return value;
}

M minus(M a, const M& b) {
  for (std::size_t i = 0; i < a.x.size(); ++i) a.x[i] -= b.x[i];
  return a;
}

M lower(M a, bool strict) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = i + (strict ? 0 : 1); j < a.cols; ++j) a(i, j) = 0;
  return a;
}

class Bounds {
 public:
  Bounds(const Head<double>& head, DType dtype) : h_(head), u_(format_of(dtype).unit_roundoff()) {}

  NormBounds run() {
    Plain plain;
    ChunkForm<Plain> form(h_, plain);
    const std::vector<Chunk> chunks = form.chunks();
    std::vector<Kept> kept;
    double e = 0;
    for (const Chunk& c : chunks) kept.push_back(forward(c, e));
    M d(h_.kd, h_.vd, h_.d_st);
    double f = 0;
    for (std::size_t i = chunks.size(); i-- > 0;) backward(chunks[i], kept[i], d, f);
    for (auto& [output, list] : result_.of) std::reverse(list.begin(), list.end());
    result_.of["ds0"] = {f};
    return std::move(result_);
  }

 private:
  using Chunk = ChunkForm<Plain>::Chunk;
  static constexpr double kEps = 0x1p-24, kAcc = 200 * kEps;

  // What the reverse pass needs of the forward one.
  struct Kept {
    double ug = 0, state = 0, delta = 0, inverse = 0;  // errors of S at the start, Delta, T
    double mc = 0;
    M w, bp, kt;  // W, beta e * P, w * K
  };

  M rows_by_beta(const Chunk& c, M m) const { return scaled_rows<double>(std::move(m), c.beta); }

  Kept forward(const Chunk& c, double& e) {
    Kept k;
    double most = 0;
    for (std::int64_t i = 0; i < c.n; ++i) most = std::max(most, std::fabs(c.decays.sum(i, 0)));
    k.ug = kEps * (8 + 4 * most);
    k.state = e;
    k.kt = weighted(c.k, c.w);
    const double whole = c.last[0], s = frobenius(c.s), delta = spectral(c.delta);
    M mc(h_.kd, h_.kd);
    for (std::int64_t i = 0; i < h_.kd; ++i) mc(i, i) = whole;
    double local = 0, store = u_ * frobenius(c.delta);
    k.delta = store;
    if (h_.erase) {
      k.bp = rows_by_beta(c, weighted(c.p, c.e));
      k.w = multiply(c.t, k.bp);
      const M l = rows_by_beta(c, c.wp), y = rows_by_beta(c, c.x);
      const double t = spectral(c.t), lf = frobenius(l);
      k.inverse = t * t * lf * (k.ug + 130 * kEps) + u_ * frobenius(c.t) + 70 * kEps * t * t * lf;
      local = u_ * spectral(k.w) * s + k.inverse * spectral(y) +
              t * (u_ * frobenius(y) + (k.ug + 130 * kEps) * frobenius(k.bp) * s);
      k.delta = spectral(k.w) * e + local + store;
      mc = minus(mc, multiply(transposed(k.kt), k.w));
    }
    k.mc = spectral(mc);
    e = k.mc * e + spectral(k.kt) * (local + store) + (u_ + k.ug) * frobenius(k.kt) * delta +
        k.ug * whole * s;
    return k;
  }

  void backward(const Chunk& c, const Kept& k, M& d, double& f) {
    const double u = u_, ug = k.ug, all = u + ug + kAcc, s = h_.scale;
    const M d_o(h_.d_o, c.first, c.n, h_.vd);
    const double out = spectral(d_o), df = frobenius(d), sf = frobenius(c.s), delta2 = spectral(c.delta),
                 deltaf = frobenius(c.delta), start = largest(c.e), tail = largest(c.w);
    M dd = multiply(transposed(c.a), d_o);
    dd += multiply(k.kt, d);
    const double local = all * frobenius(c.a) * out + all * spectral(k.kt) * df + u * frobenius(dd);
    const M z = h_.erase ? multiply(transposed(c.t), dd) : dd;
    const double z2 = spectral(z), zf = frobenius(z);
    const double fresh = h_.erase ? spectral(c.t) * local + k.inverse * spectral(dd) : local;
    const double z_error =
        (h_.erase ? spectral(multiply(transposed(c.t), k.kt)) : spectral(k.kt)) * f + fresh;
    const double z_operand = z_error + u * zf, state = k.state + u * sf, adjoint = f + u * df;

    const M s_t = transposed(c.s),
            da = weighted(lower(scaled(multiply(d_o, transposed(c.delta)), s), false), c.gamma);
    const double da_error = s * out * k.delta + all * frobenius(da) + s * kAcc * frobenius(d_o) * deltaf;
    M dq = scaled(weighted(multiply(d_o, s_t), c.e), s);
    const double dq_reads = frobenius(dq);
    dq += multiply(da, c.k);
    push("dq", s * start * out * (state + kAcc * sf) + ug * frobenius(dq) + da_error * spectral(c.k) +
                   kAcc * frobenius(da) * frobenius(c.k) + u * frobenius(dq));

    const M writes = multiply(c.delta, transposed(d));
    const double writes_error = (k.delta * spectral(d) + delta2 * adjoint + kAcc * deltaf * df) * tail +
                                ug * frobenius(weighted(writes, c.w));
    M dk = weighted(writes, c.w);
    dk += multiply(transposed(da), c.q);
    double dk_error = da_error * spectral(c.q) + writes_error + kAcc * frobenius(da) * frobenius(c.q);
    const double beta = *std::max_element(c.beta.begin(), c.beta.end());
    M pairs = weighted(scaled(multiply(d_o, transposed(c.delta)), s), c.wq);
    double score_error = da_error * largest(c.wq), reads_error = s * start * out * state * longest_row(c.q);
    double reads_sum = dq_reads * longest_row(c.q);
    M prediction = c.x;
    double prediction_error = 0;
    if (h_.erase) {
      const M dl = scaled(lower(multiply(z, transposed(c.delta)), true), -1.0);
      const M me = rows_by_beta(c, weighted(dl, c.gamma)), zs = multiply(z, s_t);
      const double me_error =
          beta * (z_operand * delta2 + z2 * k.delta + kAcc * zf * deltaf) + (u + ug) * frobenius(me);
      dk += multiply(transposed(me), c.p);
      dk_error += me_error * spectral(c.p) + kAcc * frobenius(me) * frobenius(c.p);
      const double reach = beta * start;
      M dp = scaled(rows_by_beta(c, weighted(zs, c.e)), -1.0);
      dp += multiply(me, c.k);
      push("dp", reach * (z_operand * spectral(c.s) + z2 * state + kAcc * zf * sf) + ug * frobenius(dp) +
                     me_error * spectral(c.k) + kAcc * frobenius(me) * frobenius(c.k) + u * frobenius(dp));
      prediction = minus(prediction, multiply(c.wp, c.delta));
      prediction_error = start * spectral(c.p) * state + all * frobenius(c.wp) * delta2 +
                         spectral(c.wp) * k.delta + kAcc * (frobenius(c.p) * sf + frobenius(c.x));
      pairs += weighted(dl, rows_by_beta(c, c.wp));
      score_error += (z_operand * delta2 + z2 * k.delta) * largest(rows_by_beta(c, c.wp));
      reads_error += reach * (z_error * longest_row(c.ps) + longest_row(z) * spectral(c.p) * state);
      reads_sum += reach * zf * longest_row(c.ps);
    }
    push("dk", dk_error + u * frobenius(dk));
    push("dv", beta * z_error + u * frobenius(rows_by_beta(c, z)));
    push("dbeta", z_error * longest_row(prediction) + longest_row(z) * prediction_error +
                      kAcc * zf * longest_row(prediction));
    // The sum over i >= t > j of pairs is a map of norm n sqrt(n) / 2 at most, prefix sums one of 0.64 n.
    const double n = static_cast<double>(c.n);
    score_error += (ug + kAcc) * frobenius(lower(pairs, true));
    const double ends = reads_error + (ug + kAcc) * reads_sum + writes_error * longest_row(c.k) +
                        kAcc * frobenius(weighted(writes, c.w)) * longest_row(c.k);
    const double whole = c.last[0] * (k.state * df + sf * f + kAcc * sf * df);
    push("dg", 0.5 * n * std::sqrt(n) * score_error + 0.64 * n * ends + std::sqrt(n) * whole);

    const M reads = scaled(weighted(c.q, c.e), s);
    double step = all * frobenius(reads) * out + ug * c.last[0] * df;
    M next = scaled(d, c.last[0]);
    next += multiply(transposed(reads), d_o);
    if (h_.erase) {
      step += spectral(k.bp) * (fresh + u * zf) + all * frobenius(k.bp) * z2;
      next = minus(next, multiply(transposed(k.bp), z));
    }
    f = k.mc * f + step;
    d = std::move(next);
  }

  void push(const std::string& output, double bound) { result_.of[output].push_back(bound); }

  const Head<double>& h_;
  double u_;
  NormBounds result_;
};

}  // namespace

NormBounds norm_bounds(const Problem& problem, std::int64_t sequence, std::int64_t value_head) {
  assert(problem.member->gate != Gate::channel && problem.has_gradient());
  NormBounds result;
  Plain plain;
  std::int64_t number = 0;
  const std::int64_t wanted = sequence * problem.size.heads() + value_head;
  each_head(problem, plain, [&](const Head<double>& head) {
    if (number++ == wanted) result = Bounds(head, problem.dtype).run();
    HeadResults<double> none;
    none.dq.assign(head.keys(), 0);
    none.dk = none.dp = none.dq;
    none.dbeta.assign(static_cast<std::size_t>(head.t), 0);
    none.dg.assign(head.gates(), 0);
    return none;
  });
  return result;
}

}  // namespace assay::gdn
