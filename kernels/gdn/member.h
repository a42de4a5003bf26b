#pragma once

// The family as template arguments: which gate, and how the state is erased before it is written.
//
//   member             gate      erase    written value d_t                       inputs beside q, k, v, s0
//   GDN                scalar    key      beta (v - R^T k)                        g[t,hv], beta[t,hv]
//   DeltaNet           none      key      beta (v - R^T k)                        beta[t,hv]
//   KDA                channel   key      beta (v - R^T k)                        g[t,hv,kd], beta[t,hv]
//   GDN-2              channel   gated    w o v - R^T (b o k)                     g[t,hv,kd], b[t,hv,kd],
//   w[t,hv,vd] GLA                channel   none     v                                       g[t,hv,kd] SSD
//   scalar    none     v                                       g[t,hv] linear attention   none      none v
//
// R_t = diag(exp g_t) S_{t-1}, S_t = R_t + k_t d_t^T, o_t = scale S_t^T q_t.

namespace assay::gdn {

enum class Gated { none, scalar, channel };
enum class Erase { none, key, gated };

template <Gated G, Erase E>
struct Recurrence {
  static constexpr Gated gate = G;
  static constexpr Erase erase = E;
  static constexpr bool gated = G != Gated::none;
  static constexpr bool by_channel = G == Gated::channel;
  static constexpr bool erases = E != Erase::none;
  static constexpr bool has_beta = E == Erase::key;
  static constexpr bool wraps = E == Erase::gated;  // b and w
};

using Gdn = Recurrence<Gated::scalar, Erase::key>;
using DeltaNet = Recurrence<Gated::none, Erase::key>;
using Gdn2 = Recurrence<Gated::channel, Erase::gated>;
using Kda = Recurrence<Gated::channel, Erase::key>;
using Gla = Recurrence<Gated::channel, Erase::none>;
using Ssd = Recurrence<Gated::scalar, Erase::none>;
using LinearAttention = Recurrence<Gated::none, Erase::none>;

}  // namespace assay::gdn
