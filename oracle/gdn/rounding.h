#pragma once

// Where a kernel of the gated-linear-recurrence family rounds: one table that the kernels (kernels/gdn) and
// the oracle both read, so that what is judged is what was declared. Plain C++ without includes: device code
// reads it too.
//
// The names are those of the chunk form (oracle/gdn/chunked.h), 64 tokens a chunk:
//
//   G = inclusive sum of g in the chunk, e_i = exp(G_i), w_j = exp(G_n - G_j), Gam_ij = exp(G_i - G_j), i >=
//   j T = (I + L)^-1, L_ij = beta_i (p_i.k_j) Gam_ij, i > j          X = V - e * (P S),  Y = beta * X Delta =
//   T Y      A_ij = s (q_i.k_j) Gam_ij                     O = s e * (Q S) + A Delta dDelta = A^T dO + w * (K
//   D)      Z = T^T dDelta                dAm = s (dO Delta^T) o Gam,  Me = beta dL o Gam
//
// Laws: a site is rounded to its unit each time it becomes the operand of a product; what is carried from
// chunk to chunk (S and D) is f32; sums are f32 whatever their operands are.

namespace assay::gdn {

enum class Site : unsigned char {
  normalised,     // q and k after the L2 normalisation
  wrapped,        // b o k and w o v of GDN-2
  gated_rows,     // e * Q, e * P, w * K as operands; with channel gates q and k times their decays
  scores,         // A, and (p_i.k_j) Gam_ij where it multiplies Delta
  inverse,        // T
  written,        // Y
  state,          // the operand copy of S
  adjoint,        // the operand copy of D
  delta,          // Delta
  delta_adjoint,  // dDelta
  z,              // Z
  score_adjoint,  // dAm and Me
  output,         // o, dq, dk, dv as they are stored
  carried,        // S and D from chunk to chunk
  gate,  // exp of a sum of up to 64 g, or a product of as many exp: never from a difference of f32 sums
  sum,   // every accumulation
};
constexpr int kSites = static_cast<int>(Site::sum) + 1;

enum class Unit : unsigned char {
  f32,
  io,  // the dtype of q, k and v
};

// How a kernel's products are computed (kernels/gdn/tile.h).
enum class Leaf : unsigned char {
  scalar,  // f32 operands: only what is stored for the caller is rounded to io
  tensor,  // tensor cores: what is an operand is rounded to io
};

constexpr Unit unit_of(Site site, Leaf leaf) {
  switch (site) {
    case Site::output:
      return Unit::io;
    case Site::carried:
    case Site::gate:
    case Site::sum:
      return Unit::f32;
    default:
      return leaf == Leaf::tensor ? Unit::io : Unit::f32;
  }
}

// Tokens in a chunk.
constexpr int kChunk = 64;

// exp(g) is 0 in f32 at and below it, so that such a token is a hard reset: nothing flows across it and its
// dg is 0. Minus infinity is one too.
constexpr float kReset = -104.0f;

// The constant under the root of the L2 normalisation: y = x / sqrt(sum x^2 + eps).
constexpr double kNormEps = 1e-6;

}  // namespace assay::gdn
