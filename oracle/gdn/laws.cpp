#include "oracle/gdn/laws.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.h"
#include "oracle/gdn/monte_carlo.h"

namespace assay::gdn {
namespace {

using Found = Expected<std::optional<Broken>>;

std::vector<Named> names_of(const Problem& p) {
  return outputs(*p.member, p.size, p.dtype, p.has_gradient());
}

bool is_state(const std::string& output) {
  return output == "st" || output == "ds0";
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// Copies blocks of `size` elements: block i of `from` to block at(i) of `to`; negative: nowhere.
template <class At>
void copy_blocks(const Tensor& from, Tensor& to, std::int64_t size, At at) {
  const std::int64_t blocks = size == 0 ? 0 : from.size() / size;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t target = at(i);
    if (target < 0) continue;
    for (std::int64_t e = 0; e < size; ++e) to.set_bits(target * size + e, from.bits(i * size + e));
  }
}

// Element `at(i)` of the answer is element i of `expected`.
template <class At>
std::optional<Broken> differs(const std::string& output, const Tensor& answer, const Tensor& expected, At at,
                              double factor = 1) {
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const std::int64_t mine = at(i);
    if (mine < 0) continue;
    const double want = expected.value(i) * factor;
    if (!same(answer.value(mine), want)) return Broken{output, mine, answer.value(mine), want};
  }
  return std::nullopt;
}

std::int64_t row_size(const Tensor& x) {  // elements of a token, or of a state
  return x.shape()[0] == 0 ? 0 : x.size() / x.shape()[0];
}

// Tokens first .. end-1 as a problem of their own, of one sequence with the states of sequence `s`.
Problem alone(const Problem& p, std::int64_t s, std::int64_t first, std::int64_t end) {
  Size size = p.size;
  size.n = 1;
  size.t = end - first;
  Problem one = blank(*p.member, size, p.dtype, p.has_gradient());
  one.scale = p.scale;
  one.l2norm = p.l2norm;
  for (const Named& input : inputs(*p.member, p.size, p.dtype, p.has_gradient())) {
    if (input.name == "cu") continue;
    const Tensor& from = *p.find(input.name);
    Tensor& to = *one.find(input.name);
    const bool state = input.name == "s0" || input.name == "d_st";
    const std::int64_t skip = (state ? s : first) * row_size(from);
    for (std::int64_t i = 0; i < to.size(); ++i) to.set_bits(i, from.bits(skip + i));
  }
  return one;
}

Found packing(const Problem& p, const Answer& answer, const KernelRun& run) {
  if (p.size.n == 1 && p.end(0) == p.size.t) return std::nullopt;
  const std::vector<Named> names = names_of(p);
  for (std::int64_t s = 0; s < p.size.n; ++s) {
    const Expected<Answer> one = run(alone(p, s, p.first(s), p.end(s)));
    if (!one) return tl::unexpected(one.error());
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::int64_t skip = (is_state(names[k].name) ? s : p.first(s)) * row_size(answer[k]);
      if (auto b = differs(names[k].name, answer[k], (*one)[k], [&](std::int64_t i) { return skip + i; }))
        return b;
    }
  }
  return std::nullopt;
}

Found padding(const Problem& p, const Answer& answer, const KernelRun& run) {
  const std::int64_t used = p.end(p.size.n - 1);
  if (used == p.size.t) return std::nullopt;
  const std::vector<Named> names = names_of(p);
  Problem poisoned = p;
  for (const Named& input : inputs(*p.member, p.size, p.dtype, p.has_gradient())) {
    if (input.name == "cu" || input.name == "s0" || input.name == "d_st") continue;
    Tensor& x = *poisoned.find(input.name);
    for (std::int64_t i = used * row_size(x); i < x.size(); ++i)
      x.set_bits(i, encode(x.dtype(), std::numeric_limits<double>::quiet_NaN()));
  }
  const Expected<Answer> other = run(poisoned);
  if (!other) return tl::unexpected(other.error());
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (auto b = differs(names[k].name, answer[k], (*other)[k], [](std::int64_t i) { return i; })) return b;
    if (is_state(names[k].name)) continue;
    for (std::int64_t i = used * row_size(answer[k]); i < answer[k].size(); ++i)
      if (answer[k].value(i) != 0) return Broken{names[k].name, i, answer[k].value(i), 0};
  }
  return std::nullopt;
}

Found columns(const Problem& p, const Answer& answer, const KernelRun& run) {
  const std::int64_t vd = p.size.vd;
  if (vd < 2) return std::nullopt;
  std::vector<std::int64_t> to(static_cast<std::size_t>(vd));
  std::iota(to.begin(), to.end(), 0);
  CounterRandom random(static_cast<std::uint64_t>(p.size.t), static_cast<std::uint64_t>(vd));
  for (std::size_t i = to.size() - 1; i > 0; --i) std::swap(to[i], to[random.below(i + 1)]);
  const auto moved = [&](std::int64_t i) { return i / vd * vd + to[static_cast<std::size_t>(i % vd)]; };
  Problem q = p;
  for (const char* name : {"v", "w", "s0", "d_o", "d_st"}) {
    const Tensor& from = *p.find(name);
    for (std::int64_t i = 0; i < from.size(); ++i) q.find(name)->set_bits(moved(i), from.bits(i));
  }
  const Expected<Answer> other = run(q);
  if (!other) return tl::unexpected(other.error());
  const std::vector<Named> names = names_of(p);
  std::vector<std::int64_t> back(to.size());
  for (std::size_t i = 0; i < to.size(); ++i)
    back[static_cast<std::size_t>(to[i])] = static_cast<std::int64_t>(i);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& n = names[k].name;
    if (n != "o" && n != "dv" && n != "dw" && !is_state(n)) continue;
    if (auto b = differs(n, answer[k], (*other)[k], [&](std::int64_t i) {
          return i / vd * vd + back[static_cast<std::size_t>(i % vd)];
        }))
      return b;
  }
  return std::nullopt;
}

Found scaling(const Problem& p, const Answer& answer, const KernelRun& run) {
  // Upwards, so that nothing that was normal becomes subnormal; one binade, so that nothing overflows.
  const double factor = 2;
  Problem q = p;
  for (Tensor* x : {&q.d_o, &q.d_st})
    for (std::int64_t i = 0; i < x->size(); ++i) x->set_bits(i, encode(x->dtype(), x->value(i) * factor));
  const Expected<Answer> other = run(q);
  if (!other) return tl::unexpected(other.error());
  const std::vector<Named> names = names_of(p);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double least = format_of(names[k].dtype).least_normal() * 0x1p24;
    for (std::int64_t i = 0; i < answer[k].size(); ++i) {
      const double mine = answer[k].value(i), twice = (*other)[k].value(i);
      // Sums of what was subnormal somewhere may differ.
      if (!same(twice, factor * mine) && std::fabs(twice) > least && std::isfinite(twice))
        return Broken{names[k].name, i, mine, twice / factor};
    }
  }
  return std::nullopt;
}

Found groups(const Problem& p, const Answer& answer, const KernelRun& run) {
  const std::int64_t r = p.size.r, kd = p.size.kd;
  if (r == 1) return std::nullopt;
  Size size = p.size;
  size.h = p.size.heads();
  size.r = 1;
  Problem q = p;
  q.size = size;
  for (auto [from, to] : {std::pair{&p.q, &q.q}, std::pair{&p.k, &q.k}}) {
    *to = Tensor(p.dtype, {size.t, size.h, kd});
    for (std::int64_t i = 0; i < to->size(); ++i)
      to->set_bits(i, from->bits((i / kd / size.h * p.size.h + i / kd % size.h / r) * kd + i % kd));
  }
  const Expected<Answer> other = run(q);
  if (!other) return tl::unexpected(other.error());
  const std::vector<Named> names = names_of(p);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k].name != "dq" && names[k].name != "dk")
      if (auto b = differs(names[k].name, answer[k], (*other)[k], [](std::int64_t i) { return i; })) return b;
  return std::nullopt;
}

// Of one unpacked sequence. The reverse scan reads no state, so the second half, whatever its s0, hands the
// right adjoint to the first, and the first then has all that it had in one piece.
Found split(const Problem& p, const Answer& answer, const KernelRun& run) {
  const std::int64_t t = p.size.t;
  if (p.size.n != 1 || p.end(0) != t || t <= kChunk || !p.has_gradient()) return std::nullopt;
  const std::int64_t at = (t / kChunk - (t % kChunk == 0)) * kChunk;
  Problem late = alone(p, 0, at, t), early = alone(p, 0, 0, at);
  const std::vector<Named> names = names_of(p);
  const Expected<Answer> second = run(late);
  if (!second) return tl::unexpected(second.error());
  std::size_t ds0 = 0;
  while (names[ds0].name != "ds0") ++ds0;
  for (std::int64_t i = 0; i < early.d_st.size(); ++i) early.d_st.set_bits(i, (*second)[ds0].bits(i));
  const Expected<Answer> first = run(early);
  if (!first) return tl::unexpected(first.error());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& n = names[k].name;
    const std::int64_t skip = at * row_size(answer[k]);
    if (n == "dv")
      if (auto b = differs(n, answer[k], (*second)[k], [&](std::int64_t i) { return skip + i; })) return b;
    if (auto b = differs(n, answer[k], (*first)[k], [](std::int64_t i) { return i; })) return b;
  }
  return std::nullopt;
}

Found repeat(const Problem& p, const Answer& answer, const KernelRun& run) {
  const Expected<Answer> again = run(p);
  if (!again) return tl::unexpected(again.error());
  const std::vector<Named> names = names_of(p);
  for (std::size_t k = 0; k < names.size(); ++k)
    for (std::int64_t i = 0; i < answer[k].size(); ++i)
      if (answer[k].bits(i) != (*again)[k].bits(i))
        return Broken{names[k].name, i, answer[k].value(i), (*again)[k].value(i)};
  return std::nullopt;
}

constexpr Law kLaws[] = {
    {"packing", "packed sequences are the sequences run alone, bit for bit", false, packing},
    {"padding", "rows past the last sequence are zeros, whatever the inputs hold there", false, padding},
    {"columns", "a permutation of value columns permutes o, dv, dw and the states, bit for bit", false,
     columns},
    {"scaling", "d_o and d_st times 2 give every gradient times 2, bit for bit", true, scaling},
    {"groups", "value heads of a group are those of repeated keys and queries, bit for bit", false, groups},
    {"split", "a sequence cut at a chunk's edge, its adjoint handed on, gives the same bits", true, split},
    {"repeat", "the same bits again", false, repeat},
};

}  // namespace

std::span<const Law> laws() {
  return kLaws;
}

Answer answer_of(const Problem& p, const Results& results) {
  Answer answer;
  for (const Named& output : names_of(p)) {
    Tensor& x = answer.emplace_back(output.dtype, output.shape);
    const std::vector<double>& values = *results.find(output.name);
    for (std::int64_t i = 0; i < x.size(); ++i)
      x.set_bits(i, encode(output.dtype, values[static_cast<std::size_t>(i)]));
  }
  return answer;
}

Results results_of(const Problem& p, const Answer& answer) {
  Results results;
  const std::vector<Named> names = names_of(p);
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::vector<double>& values = *results.find(names[k].name);
    for (std::int64_t i = 0; i < answer[k].size(); ++i) values.push_back(answer[k].value(i));
  }
  return results;
}

}  // namespace assay::gdn
