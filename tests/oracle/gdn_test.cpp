// The native oracle of the gated-linear-recurrence family: the recurrence against MPFR and central
// differences, the chunk form against the recurrence, the Monte-Carlo tier against honest and faulty
// simulated kernels.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "oracle/gdn/bound.h"
#include "oracle/gdn/budget.h"
#include "oracle/gdn/draw.h"
#include "oracle/gdn/laws.h"
#include "oracle/gdn/monte_carlo.h"
#include "oracle/gdn/recurrence.h"
#include "oracle/real.h"

namespace assay::gdn {

// A number of the recurrence with a precision of its own.
struct Precise {
  Real value;
  Precise() = default;
  explicit Precise(double x) : value(x) {}
  explicit Precise(Real x) : value(std::move(x)) {}
};
Precise operator+(const Precise& a, const Precise& b) {
  return Precise(assay::add(a.value, b.value).value);
}
Precise operator-(const Precise& a, const Precise& b) {
  return Precise(assay::subtract(a.value, b.value).value);
}
Precise operator*(const Precise& a, const Precise& b) {
  return Precise(assay::multiply(a.value, b.value).value);
}
Precise exp(const Precise& a) {
  return Precise(assay::call(Function::exp, a.value).value);
}
Precise inverse_root(const Precise& a) {
  return Precise(assay::call(Function::rsqrt, a.value).value);
}
double to_double(const Precise& a) {
  return a.value.to_double();
}

namespace {

std::vector<std::string> output_names(const Problem& p) {
  std::vector<std::string> names;
  for (bool backward : {false, true})
    for (const Named& output : outputs(*p.member, p.size, p.dtype, backward)) names.push_back(output.name);
  return names;
}

// Largest difference against the largest value.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0, largest = 1e-300;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) return HUGE_VAL;
    worst = std::max(worst, std::fabs(a[i] - b[i]));
    largest = std::max(largest, std::fabs(b[i]));
  }
  return worst / largest;
}

void expect_close(const Problem& p, const Results& a, const Results& b, double limit) {
  for (const std::string& output : output_names(p))
    EXPECT_LE(distance(*a.find(output), *b.find(output)), limit) << p.member->name << ' ' << output;
}

class GdnMembers : public testing::TestWithParam<std::string> {
 protected:
  const Member& member() const { return *find_member(GetParam()); }
};

TEST_P(GdnMembers, RecurrenceAgreesWithMpfr) {
  const Real::Scope scope(256);
  for (bool l2norm : {false, true}) {
    const Problem p = make_problem(member(), {3, 40, 1, 2, 6, 5}, {0, 9, 9, 37}, DType::f32,
                                   {.gates = Gates::mid, .l2norm = l2norm}, true, 3);
    expect_close(p, truth(p), evaluate<Precise>(p), 1e-14);
  }
}

// <d_o, o> + <d_st, st> as a function of the inputs.
double loss(const Problem& p) {
  const Real::Scope scope(256);
  Problem forward = p;
  forward.d_o = forward.d_st = Tensor();
  const Results r = evaluate<Precise>(forward);
  long double sum = 0;
  for (std::int64_t i = 0; i < p.d_o.size(); ++i)
    sum += static_cast<long double>(r.o[static_cast<std::size_t>(i)]) * p.d_o.value(i);
  for (std::int64_t i = 0; i < p.d_st.size(); ++i)
    sum += static_cast<long double>(r.st[static_cast<std::size_t>(i)]) * p.d_st.value(i);
  return static_cast<double>(sum);
}

TEST_P(GdnMembers, GradientsAreCentralDifferences) {
  for (bool l2norm : {false, true}) {
    const Problem p = make_problem(member(), {2, 6, 1, 2, 3, 2}, {0, 4, 6}, DType::f32,
                                   {.gates = Gates::mid, .l2norm = l2norm}, true, 4);
    const Results r = truth(p);
    for (const Named& output : outputs(member(), p.size, p.dtype, true)) {
      const std::string input = output.name.substr(1);
      const std::vector<double>& gradient = *r.find(output.name);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        // Steps of the inputs' own f32: third-order error 1e-8.
        Problem up = p, down = p;
        const double x = p.find(input)->value(at), h = 0x1p-12;
        up.find(input)->set_bits(at, encode(DType::f32, x + h));
        down.find(input)->set_bits(at, encode(DType::f32, x - h));
        const double width = up.find(input)->value(at) - down.find(input)->value(at);
        EXPECT_NEAR((loss(up) - loss(down)) / width, gradient[i], 2e-6)
            << member().name << ' ' << output.name << ' ' << i;
      }
    }
  }
}

TEST_P(GdnMembers, ChunkFormIsTheRecurrence) {
  const std::vector<Gates> kinds = {Gates::zero,  Gates::weak,   Gates::extreme,
                                    Gates::mixed, Gates::resets, Gates::edges};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Problem p = make_problem(member(), {4, 215, 1, 2, 12, 20}, {0, 129, 129, 130, 200}, DType::f32,
                                   {.gates = kinds[i], .l2norm = i % 2 == 1}, true, i);
    expect_close(p, chunked(p), truth(p), 1e-12);
  }
}

TEST_P(GdnMembers, ExactProblemsAreExact) {
  for (std::uint64_t i = 0; i < 6; ++i) {
    const Problem p = exact_problem(member(), DType::bf16, true, 7, i);
    // Bits, but for the sign of zeros, which an order of sums may decide.
    const Answer got = answer_of(p, simulated(p, Leaf::tensor)), want = answer_of(p, truth(p));
    for (std::size_t k = 0; k < want.size(); ++k)
      for (std::int64_t e = 0; e < want[k].size(); ++e)
        ASSERT_EQ(got[k].value(e), want[k].value(e)) << member().name << ' ' << i << ' ' << k << ' ' << e;
  }
}

TEST_P(GdnMembers, HonestKernelsScatterAsPredicted) {
  double worst = 0, chunk = 0;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const Leaf leaf = i % 2 ? Leaf::tensor : Leaf::scalar;
    const DType dtype = i < 2 ? DType::bf16 : DType::f32;
    const Problem p = make_problem(member(), {1, 129, 1, 1, 32, 24}, {}, dtype,
                                   {.gates = i % 2 ? Gates::weak : Gates::mid}, true, i);
    const Results t = truth(p);
    for (const OutputScore& s : score(p, simulated(p, leaf), t, spread(p, leaf, t, 1))) {
      worst = std::max(worst, s.worst);
      chunk = std::max(chunk, s.chunk);
      EXPECT_FALSE(s.suspect()) << member().name << ' ' << s.output << ' ' << s.worst << ' ' << s.chunk;
    }
  }
  // A tier that never comes near its limits would say nothing.
  EXPECT_GT(worst, 1.5);
  EXPECT_GT(chunk, 0.2);
}

TEST_P(GdnMembers, LawsHoldForTheSimulatedKernel) {
  const KernelRun run = [](const Problem& p) -> Expected<Answer> {
    return answer_of(p, simulated(p, Leaf::tensor));
  };
  for (const auto& cu :
       {std::vector<std::int64_t>{0, 70, 70, 135, 136}, std::vector<std::int64_t>{0, 150, 150, 150, 150}}) {
    const Problem p =
        make_problem(member(), {4, 150, 1, 2, 16, 12}, cu, DType::bf16, {.gates = Gates::mid}, true, 5);
    const Answer answer = *run(p);
    for (const Law& law : laws()) {
      const auto broken = law.check(p, answer, run);
      ASSERT_TRUE(broken);
      EXPECT_FALSE(*broken) << member().name << ' ' << law.name << ' ' << (*broken)->output << ' '
                            << (*broken)->index;
    }
  }
}

TEST_P(GdnMembers, HonestErrorsAreWellInsideTheHardBudget) {
  for (std::uint64_t i = 0; i < 2; ++i) {
    const Leaf leaf = i % 2 ? Leaf::tensor : Leaf::scalar;
    const Problem p = make_problem(member(), {1, 100, 1, 1, 24, 16}, {}, i ? DType::bf16 : DType::f32,
                                   {.gates = Gates::mid}, true, i);
    const Budget b = budget(p, leaf, 1);
    const Results got = simulated(p, leaf);
    for (const std::string& output : output_names(p)) {
      double worst = 0;
      const std::vector<double>&x = *got.find(output), &y = *b.truth.find(output),
            &hard = *b.hard.find(output);
      for (std::size_t e = 0; e < x.size(); ++e) worst = std::max(worst, std::fabs(x[e] - y[e]) / hard[e]);
      EXPECT_LT(worst, 0.6) << member().name << ' ' << output;
      EXPECT_GT(worst, 1e-4) << member().name << ' ' << output;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Family, GdnMembers,
                         testing::Values("gdn", "deltanet", "gdn2", "kda", "gla", "ssd", "linear_attention"),
                         [](const auto& info) { return info.param; });

// A state carried in bf16 hides inside of honest rounding, but for inputs that let it add up; there honest
// roundings repeat, too, from chunk to chunk.
TEST(Gdn, DriftExposesNarrowStates) {
  for (const char* member : {"gdn", "gla"}) {
    const Problem p = drift_problem(*find_member(member), DType::bf16, true, 1);
    const Results t = truth(p);
    const Spread s = spread(p, Leaf::tensor, t, 1);
    EXPECT_FALSE(suspect(score(p, simulated(p, Leaf::tensor), t, s))) << member;
    EXPECT_TRUE(suspect(score(p, simulated(p, Leaf::tensor, Fault::state_in_io), t, s))) << member;
  }
}

// With operands in f32 a beta in bf16 cannot hide: gradients that are f32 show it.
TEST(Gdn, ScalarLeafExposesNarrowBeta) {
  const Problem p = make_problem(*find_member("gdn"), {1, 70, 1, 1, 16, 12}, {}, DType::bf16,
                                 {.gates = Gates::mid}, true, 1);
  const Results t = truth(p);
  const Spread s = spread(p, Leaf::scalar, t, 1);
  EXPECT_FALSE(suspect(score(p, simulated(p, Leaf::scalar), t, s)));
  EXPECT_TRUE(suspect(score(p, simulated(p, Leaf::scalar, Fault::beta_in_io), t, s)));
}

// The a-priori bound in norms is another derivation of what a kernel may lose.
TEST(Gdn, NormBoundsHold) {
  std::map<std::string, double> worst;
  for (Gates gates : {Gates::zero, Gates::weak, Gates::mid, Gates::extreme})
    for (Strengths strengths : {Strengths::random, Strengths::one, Strengths::two}) {
      const Problem p = make_problem(*find_member("gdn"), {1, 200, 1, 1, 64, 60}, {}, DType::bf16,
                                     {.gates = gates, .strengths = strengths}, true, 3);
      const NormBounds bounds = norm_bounds(p, 0, 0);
      const Results got = simulated(p, Leaf::tensor), t = truth(p);
      for (const auto& [output, list] : bounds.of) {
        if (output == "dp") continue;
        const std::vector<Tile> all = tiles(p, output);
        for (std::size_t i = 0; i < all.size(); ++i) {
          double square = 0;
          for (std::int64_t e : all[i].elements)
            square += std::pow((*got.find(output))[static_cast<std::size_t>(e)] -
                                   (*t.find(output))[static_cast<std::size_t>(e)],
                               2);
          // dk is that of the writes and, with keys that erase, that of the reads.
          const double bound = list[i] + (output == "dk" ? bounds.of.at("dp")[i] : 0);
          EXPECT_LE(std::sqrt(square), bound) << output << ' ' << i;
          worst[output] = std::max(worst[output], std::sqrt(square) / bound);
        }
      }
    }
  for (const char* output : {"dv", "dq", "dbeta", "ds0"}) EXPECT_GT(worst[output], 5e-3) << output;
}

TEST(Gdn, EmptySequencesHandTheirStatesOn) {
  const Problem p =
      make_problem(*find_member("gdn"), {3, 5, 1, 1, 4, 3}, {0, 0, 5, 5}, DType::f32, {}, true, 1);
  const Results r = truth(p);
  for (std::int64_t i : {0, 2})
    for (std::int64_t e = i * 12; e < (i + 1) * 12; ++e) {
      EXPECT_EQ(r.st[static_cast<std::size_t>(e)], p.s0.value(e));
      EXPECT_EQ(r.ds0[static_cast<std::size_t>(e)], p.d_st.value(e));
    }
}

// A fault is suspect where it changes an answer by more than honest rounding does. The fixed relative norm of
// 2 % that libraries test with misses one row, one tile and a gate gradient by differences.
TEST(Gdn, FaultsThatAFixedNormMissesAreSuspect) {
  struct Seen {
    Gates gates;
    Fault fault;
    bool by_norm;
  };
  const std::vector<Seen> expected = {
      {Gates::weak, Fault::ignores_final_gradient, true},
      {Gates::weak, Fault::tail_off_by_one, true},
      {Gates::weak, Fault::no_solve_adjoint, true},
      {Gates::weak, Fault::no_whole_chunk_term, true},
      {Gates::weak, Fault::partial_chunk_tail, true},
      {Gates::weak, Fault::inclusive_prefix, true},
      {Gates::weak, Fault::weak_last_link, false},
      {Gates::weak, Fault::one_token, false},
      {Gates::mid, Fault::stale_tile, false},
      {Gates::mid, Fault::beta_late, false},
      {Gates::mid, Fault::first_order, false},
      {Gates::extreme, Fault::difference, false},
  };
  for (Gates gates : {Gates::weak, Gates::mid, Gates::extreme}) {
    const Problem p = make_problem(*find_member("gdn"), {1, 465, 1, 1, 64, 60}, {}, DType::bf16,
                                   {.gates = gates}, true, 11);
    const Results t = truth(p);
    const Spread sigma = spread(p, Leaf::tensor, t, 1);
    EXPECT_FALSE(suspect(score(p, simulated(p, Leaf::tensor), t, sigma)));
    for (const Seen& one : expected) {
      if (one.gates != gates) continue;
      const auto scores = score(p, simulated(p, Leaf::tensor, one.fault), t, sigma);
      double relative = 0;
      for (const OutputScore& s : scores) relative = std::max(relative, s.relative);
      EXPECT_TRUE(suspect(scores)) << name(one.fault);
      EXPECT_EQ(relative > 0.02, one.by_norm) << name(one.fault) << ' ' << relative;
    }
  }
}

}  // namespace
}  // namespace assay::gdn
