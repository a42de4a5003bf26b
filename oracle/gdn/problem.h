#pragma once

// The gated-linear-recurrence family as one signature that contracts, kernels and the oracle share.
//
//   dims        n sequences, t tokens (padding tail included), h key heads, r value heads a key head, kd, vd
//   attributes  scale, l2norm (0 or 1)
//   inputs      q[t,h,kd], k[t,h,kd], v[t,h*r,vd]            f32, bf16 or f16
//               g[t,h*r] (scalar gates) or g[t,h*r,kd]       f32, natural logarithm, <= 0
//               beta[t,h*r], or for GDN-2 b[t,h*r,kd] and w[t,h*r,vd]   f32
//               s0[n,h*r,kd,vd]                              f32
//               cu[n+1]                                      i32, ascending from 0, cu[n] <= t
//   outputs     o like v, st like s0
//   backward    reads d_o like v, d_st like s0; writes dq, dk, dv, dg, dbeta or db and dw, ds0
//
// Value head x reads key head x / r. Tokens cu[i] .. cu[i+1]-1 are sequence i; it may be empty. Rows of every
// output past cu[n] are zero. A state is kd x vd.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "oracle/gdn/rounding.h"

namespace assay::gdn {

enum class Gate : std::uint8_t { none, scalar, channel };

struct Member {
  std::string_view name;  // its contracts are NAME_forward and NAME_backward
  Gate gate = Gate::none;
  bool erase = false;  // what the state predicts for the key is subtracted before the write
  bool beta = false;   // a write strength for each token and value head
  bool wrap = false;   // erase key b o k and value w o v instead
};
std::span<const Member> members();
const Member* find_member(std::string_view name);  // null if there is none

struct Size {
  std::int64_t n = 1, t = 1, h = 1, r = 1, kd = 1, vd = 1;
  std::int64_t heads() const { return h * r; }  // of values
  friend bool operator==(const Size&, const Size&) = default;
};

// One problem with its contents. Tensors that the member does not have, and d_o and d_st of a forward one,
// are of size 0.
struct Problem {
  const Member* member = nullptr;
  DType dtype = DType::f32;  // of q, k, v, o and their gradients
  Size size;
  double scale = 1;
  bool l2norm = false;
  Tensor q, k, v, g, beta, b, w, s0, cu, d_o, d_st;

  std::int64_t first(std::int64_t sequence) const { return cu.integer(sequence); }
  std::int64_t end(std::int64_t sequence) const { return cu.integer(sequence + 1); }
  bool has_gradient() const { return !d_o.shape().empty(); }

  Tensor* find(std::string_view name);  // by the signature's names; null if there is none
  const Tensor* find(std::string_view name) const;
};

// Names and shapes of the member's inputs and outputs, in the order of the signature.
struct Named {
  std::string name;
  DType dtype;
  Dims shape;
};
std::vector<Named> inputs(const Member& member, const Size& size, DType dtype, bool backward);
std::vector<Named> outputs(const Member& member, const Size& size, DType dtype, bool backward);

// A problem with all tensors zero, cu = {0, t, t, ...}.
Problem blank(const Member& member, const Size& size, DType dtype, bool backward);

// What is wrong with a problem's shapes or cu, or an empty string.
std::string fault_of(const Problem& problem);

// The outputs as doubles, row-major, by the signature's names; those that the member lacks are empty.
struct Results {
  std::vector<double> o, st, dq, dk, dv, dg, dbeta, db, dw, ds0;

  std::vector<double>* find(std::string_view name);
  const std::vector<double>* find(std::string_view name) const;
};
Results zeros(const Problem& problem);

}  // namespace assay::gdn
