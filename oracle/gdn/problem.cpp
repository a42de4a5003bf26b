#include "oracle/gdn/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace assay::gdn {
namespace {

constexpr std::array<Member, 7> kMembers = {{
    {"gdn", Gate::scalar, true, true, false},
    {"deltanet", Gate::none, true, true, false},
    {"gdn2", Gate::channel, true, false, true},
    {"kda", Gate::channel, true, true, false},
    {"gla", Gate::channel, false, false, false},
    {"ssd", Gate::scalar, false, false, false},
    {"linear_attention", Gate::none, false, false, false},
}};

}  // namespace

std::span<const Member> members() {
  return kMembers;
}

const Member* find_member(std::string_view name) {
  for (const Member& member : kMembers)
    if (member.name == name) return &member;
  return nullptr;
}

Tensor* Problem::find(std::string_view name) {
  if (name == "q") return &q;
  if (name == "k") return &k;
  if (name == "v") return &v;
  if (name == "g") return &g;
  if (name == "beta") return &beta;
  if (name == "b") return &b;
  if (name == "w") return &w;
  if (name == "s0") return &s0;
  if (name == "cu") return &cu;
  if (name == "d_o") return &d_o;
  if (name == "d_st") return &d_st;
  return nullptr;
}
const Tensor* Problem::find(std::string_view name) const {
  return const_cast<Problem*>(this)->find(name);
}

std::vector<Named> inputs(const Member& m, const Size& s, DType dtype, bool backward) {
  const Dims keys = {s.t, s.h, s.kd}, values = {s.t, s.heads(), s.vd}, strengths = {s.t, s.heads()};
  const Dims channels = {s.t, s.heads(), s.kd}, states = {s.n, s.heads(), s.kd, s.vd};
  std::vector<Named> list = {{"q", dtype, keys}, {"k", dtype, keys}, {"v", dtype, values}};
  if (m.gate == Gate::scalar) list.push_back({"g", DType::f32, strengths});
  if (m.gate == Gate::channel) list.push_back({"g", DType::f32, channels});
  if (m.beta) list.push_back({"beta", DType::f32, strengths});
  if (m.wrap) list.push_back({"b", DType::f32, channels});
  if (m.wrap) list.push_back({"w", DType::f32, values});
  list.push_back({"s0", DType::f32, states});
  list.push_back({"cu", DType::i32, {s.n + 1}});
  if (backward) list.push_back({"d_o", dtype, values});
  if (backward) list.push_back({"d_st", DType::f32, states});
  return list;
}

std::vector<Named> outputs(const Member& m, const Size& s, DType dtype, bool backward) {
  if (!backward)
    return {{"o", dtype, {s.t, s.heads(), s.vd}}, {"st", DType::f32, {s.n, s.heads(), s.kd, s.vd}}};
  std::vector<Named> list;
  for (Named& input : inputs(m, s, dtype, false))
    if (input.name != "cu") list.push_back({"d" + input.name, input.dtype, std::move(input.shape)});
  return list;
}

Problem blank(const Member& member, const Size& size, DType dtype, bool backward) {
  Problem p;
  p.member = &member;
  p.dtype = dtype;
  p.size = size;
  for (Named& input : inputs(member, size, dtype, backward))
    *p.find(input.name) = Tensor(input.dtype, std::move(input.shape));
  for (std::int64_t i = 1; i <= size.n; ++i) p.cu.set_bits(i, encode_integer(DType::i32, size.t));
  return p;
}

std::string fault_of(const Problem& p) {
  for (const Named& input : inputs(*p.member, p.size, p.dtype, p.has_gradient())) {
    const Tensor& tensor = *p.find(input.name);
    if (tensor.shape() != input.shape || tensor.dtype() != input.dtype)
      return fmt::format("{} is not {}[{}]", input.name, name(input.dtype), fmt::join(input.shape, ", "));
  }
  if (p.cu.integer(0) != 0) return fmt::format("cu[0] is {}, not 0", p.cu.integer(0));
  for (std::int64_t i = 0; i < p.size.n; ++i)
    if (p.cu.integer(i + 1) < p.cu.integer(i))
      return fmt::format("cu descends: cu[{}] is {}, cu[{}] is {}", i, p.cu.integer(i), i + 1,
                         p.cu.integer(i + 1));
  if (p.cu.integer(p.size.n) > p.size.t)
    return fmt::format("cu[{}] is {}, beyond t = {}", p.size.n, p.cu.integer(p.size.n), p.size.t);
  return {};
}

std::vector<double>* Results::find(std::string_view name) {
  if (name == "o") return &o;
  if (name == "st") return &st;
  if (name == "dq") return &dq;
  if (name == "dk") return &dk;
  if (name == "dv") return &dv;
  if (name == "dg") return &dg;
  if (name == "dbeta") return &dbeta;
  if (name == "db") return &db;
  if (name == "dw") return &dw;
  if (name == "ds0") return &ds0;
  return nullptr;
}
const std::vector<double>* Results::find(std::string_view name) const {
  return const_cast<Results*>(this)->find(name);
}

Results zeros(const Problem& p) {
  Results r;
  for (bool backward : {false, true}) {
    if (backward && !p.has_gradient()) continue;
    for (const Named& output : outputs(*p.member, p.size, p.dtype, backward))
      r.find(output.name)->assign(static_cast<std::size_t>(count(output.shape)), 0.0);
  }
  return r;
}

}  // namespace assay::gdn
