// The contracts of the gated-linear-recurrence family against the recurrence in plain doubles, and what they
// accept and refuse of kernels that work on chunks.

#include <gtest/gtest.h>

#include <cmath>

#include "core/realise.h"
#include "oracle/contract.h"
#include "oracle/evaluator.h"
#include "oracle/gdn/models.h"
#include "oracle/gdn/problem.h"
#include "oracle/gdn/recurrence.h"
#include "oracle/judge.h"
#include "oracle/program.h"
#include "tests/oracle/double_algebra.h"

namespace assay {
namespace {

struct Drawn {
  Contract contract;
  Instance instance;
  Shapes shapes;
  std::vector<Tensor> inputs;
};

Drawn draw(const gdn::Member& member, bool backward, const Dims& dims, std::vector<double> attributes,
           std::uint64_t seed, Fill fill = Fill::normal, DType dtype = DType::f32) {
  const std::string name = std::string(member.name) + (backward ? "_backward" : "_forward");
  auto contract = load_contract(name);
  if (!contract) ADD_FAILURE() << contract.error().message;
  Drawn d{*contract, {dtype, dims, std::move(attributes)}, {}, {}};
  auto shapes = shapes_of(d.contract, d.instance);
  if (!shapes) ADD_FAILURE() << shapes.error().message;
  d.shapes = *shapes;
  Case c;
  c.contract = name;
  c.instance = d.instance;
  c.seed = seed;
  c.inputs.assign(d.shapes.inputs.size(), {fill});
  c.output_offsets.resize(d.shapes.outputs.size());
  d.inputs = realise(c, d.shapes);
  return d;
}

gdn::Problem problem(const gdn::Member& member, bool backward, const Drawn& d) {
  const Dims& n = d.instance.dims;
  gdn::Problem p = gdn::blank(member, {n[0], n[1], n[2], n[3], n[4], n[5]}, d.instance.dtype, backward);
  p.scale = d.instance.attributes[0];
  p.l2norm = d.instance.attributes[1] != 0;
  for (std::size_t i = 0; i < d.inputs.size(); ++i)
    *p.find(d.contract.signature().inputs[i].name) = d.inputs[i];
  EXPECT_EQ(gdn::fault_of(p), "");
  return p;
}

TEST(GdnContract, AgreesWithTheRecurrence) {
  const std::vector<Dims> sizes = {
      {1, 1, 1, 1, 1, 1}, {3, 17, 1, 2, 3, 5}, {2, 70, 1, 1, 4, 2}, {5, 20, 2, 1, 2, 3}, {2, 0, 1, 1, 2, 2}};
  for (const gdn::Member& member : gdn::members()) {
    for (const bool backward : {false, true}) {
      for (const Dims& dims : sizes) {
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
          const double scale = seed == 2 ? 0 : 0.5;
          const Drawn d = draw(member, backward, dims, {scale, static_cast<double>(seed % 2)}, seed);
          const gdn::Problem p = problem(member, backward, d);
          const gdn::Results want = gdn::truth(p);
          for (const char* form : {"", "chunks"}) {
            DoubleAlgebra algebra;
            Evaluator<DoubleAlgebra> evaluator(d.contract.program(), d.instance, d.shapes, d.inputs, algebra,
                                               form);
            for (std::size_t k = 0; k < d.shapes.outputs.size(); ++k) {
              const std::string& name = d.contract.signature().outputs[k].name;
              const std::vector<double>& truth = *want.find(name);
              ASSERT_EQ(static_cast<std::int64_t>(truth.size()), count(d.shapes.outputs[k].shape)) << name;
              double size = 1e-300;
              for (const double x : truth) size = std::max(size, std::fabs(x));
              for (std::size_t i = 0; i < truth.size(); ++i) {
                const double got = evaluator.output(k, static_cast<std::int64_t>(i));
                ASSERT_NEAR(got, truth[i], 1e-11 * size) << d.contract.signature().name << ' ' << form << ' '
                                                         << name << '[' << i << "] seed " << seed;
              }
            }
            EXPECT_FALSE(evaluator.fault()) << *evaluator.fault();
          }
        }
      }
    }
  }
}

// Gates as a kernel sees them that takes decays from differences of f32 sums over a chunk.
void take_differences(gdn::Problem& p) {
  if (p.member->gate == gdn::Gate::none) return;
  const std::int64_t row = p.g.size() / std::max<std::int64_t>(p.size.t, 1);
  for (std::int64_t s = 0; s < p.size.n; ++s) {
    for (std::int64_t c = 0; c < row; ++c) {
      float sum = 0;
      for (std::int64_t i = p.first(s); i < p.end(s); ++i) {
        if ((i - p.first(s)) % gdn::kChunk == 0) sum = 0;
        const auto g = static_cast<float>(p.g.value(i * row + c));
        if (g <= gdn::kReset) continue;
        const float next = sum + g;
        p.g.set_bits(i * row + c, encode(DType::f32, next - sum));
        sum = next;
      }
    }
  }
}

Tensor stored(const std::vector<double>& values, const TensorSpec& spec) {
  Tensor t(spec.dtype, spec.shape);
  for (std::int64_t i = 0; i < t.size(); ++i)
    t.set_bits(i, encode(spec.dtype, values[static_cast<std::size_t>(i)]));
  return t;
}

struct Judged {
  std::int64_t judged = 0, refused = 0, undecidable = 0, useless = 0;
  std::string first;
};

Judged judged(const Drawn& d, const gdn::Results& got) {
  Judged all;
  Judge judge(d.contract, d.instance, d.inputs);
  for (std::size_t k = 0; k < d.shapes.outputs.size(); ++k) {
    const std::string& name = d.contract.signature().outputs[k].name;
    const OutputReport r = judge.all(k, stored(*got.find(name), d.shapes.outputs[k]));
    all.judged += r.judged;
    all.refused += r.refused;
    all.undecidable += r.undecidable;
    all.useless += r.useless;
    if (r.refused > 0 && all.first.empty()) {
      char text[200];
      std::snprintf(text, sizeof text, "%s[%ld]: got %.9g, truth %.9g, accepted %.9g .. %.9g", name.c_str(),
                    static_cast<long>(r.first_refused), r.first.got, r.first.truth, r.first.low,
                    r.first.high);
      all.first = text;
    }
  }
  return all;
}

TEST(GdnContract, AcceptsKernelsThatWorkOnChunks) {
  const std::vector<Dims> sizes = {{2, 70, 1, 2, 3, 2}, {3, 20, 1, 1, 6, 5}, {1, 66, 1, 1, 2, 9}};
  std::int64_t all = 0, useless = 0;
  for (const gdn::Member& member : gdn::members())
    for (const bool backward : {false, true})
      for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
        for (const Dims& dims : sizes)
          for (std::uint64_t seed = 0; seed < 3; ++seed) {
            const Fill fill = seed == 2 ? Fill::grid : Fill::normal;
            const Drawn d =
                draw(member, backward, dims, {0.5, static_cast<double>(seed % 2)}, seed + 10, fill, dtype);
            gdn::Problem p = problem(member, backward, d);
            if (seed == 1) take_differences(p);
            const Judged r = judged(d, gdn::simulated(p, gdn::Leaf::scalar));
            EXPECT_EQ(r.refused, 0) << d.contract.signature().name << ' ' << name(dtype) << " seed " << seed
                                    << ' ' << r.first;
            EXPECT_EQ(r.undecidable, 0) << d.contract.signature().name << ' ' << name(dtype);
            all += r.judged;
            useless += r.useless;
          }
  EXPECT_LT(useless, all / 20) << useless << " of " << all;
}

// In f32 every fault of the chunk form shows, but for those that round to the dtype.
TEST(GdnContract, RefusesFaultsOfTheChunkForm) {
  const gdn::Member& member = *gdn::find_member("gdn");
  for (int number = 1; number < gdn::kFaults; ++number) {
    const auto fault = static_cast<gdn::Fault>(number);
    if (fault == gdn::Fault::state_in_io || fault == gdn::Fault::beta_in_io) continue;
    std::int64_t refused = 0;
    for (std::uint64_t seed = 0; seed < 12 && refused == 0; ++seed) {
      const Drawn d = draw(member, true, {1, 165, 1, 1, 3, 2}, {0.5, 1}, seed);
      refused = judged(d, gdn::simulated(problem(member, true, d), gdn::Leaf::scalar, fault)).refused;
    }
    EXPECT_GT(refused, 0) << name(fault);
  }
}

// One sequence of 200 tokens, then one of 10; a NaN in v at token 70, which is in the second chunk.
TEST(GdnContract, NanReachesItsChunkAndAllLaterOnesOfItsSequence) {
  const gdn::Member& member = *gdn::find_member("gdn");
  Drawn d = draw(member, false, {2, 212, 1, 1, 2, 2}, {0.5, 0}, 4);
  for (const std::int64_t i : {0, 1, 2})
    d.inputs[6].set_bits(
        i, encode_integer(DType::i32, std::vector<std::int64_t>{0, 200, 210}[static_cast<std::size_t>(i)]));
  for (std::int64_t i = 0; i < 212; ++i) d.inputs[3].set_bits(i, encode(DType::f32, -0.05));
  d.inputs[2].set_bits(70 * 2, encode(DType::f32, NAN));
  Judge judge(d.contract, d.instance, d.inputs);
  const gdn::Results want = gdn::truth(problem(member, false, d));
  const auto ruling = [&](std::int64_t token, std::int64_t column, double value) {
    return judge.element(0, token * 2 + column, encode(DType::f32, value)).ruling;
  };
  const auto right = [&](std::int64_t token, std::int64_t column) {
    return want.o[static_cast<std::size_t>(token * 2 + column)];
  };
  EXPECT_EQ(ruling(70, 0, NAN), Ruling::accepted);
  EXPECT_EQ(ruling(70, 0, 1), Ruling::refused);  // laundered
  EXPECT_EQ(ruling(199, 0, NAN), Ruling::accepted);
  EXPECT_EQ(ruling(199, 0, 1), Ruling::refused);
  for (const std::int64_t token : {64, 69}) {  // earlier tokens of the chunk may be spoilt, or not
    EXPECT_EQ(ruling(token, 0, NAN), Ruling::accepted);
    EXPECT_EQ(ruling(token, 0, right(token, 0)), Ruling::accepted);
    EXPECT_EQ(ruling(token, 0, right(token, 0) * 1.01), Ruling::refused);
  }
  EXPECT_EQ(ruling(63, 0, NAN), Ruling::refused);   // the chunk before
  EXPECT_EQ(ruling(70, 1, NAN), Ruling::refused);   // another column
  EXPECT_EQ(ruling(200, 0, NAN), Ruling::refused);  // another sequence
  EXPECT_EQ(ruling(210, 0, NAN), Ruling::refused);  // the padding tail is zeros
  EXPECT_EQ(ruling(210, 0, 0), Ruling::accepted);
  EXPECT_EQ(ruling(210, 0, 1e-30), Ruling::refused);
}

// Nothing flows across a gate of minus infinity, and what e^-104 leaves may be nothing.
TEST(GdnContract, AStrongDecayIsAReset) {
  const gdn::Member& member = *gdn::find_member("gdn");
  for (const double gate : {-HUGE_VAL, -1000.0, -104.0}) {
    Drawn d = draw(member, false, {1, 6, 1, 1, 2, 1}, {1, 0}, 3);
    d.inputs[6].set_bits(1, encode_integer(DType::i32, 6));
    for (std::int64_t i = 0; i < 6; ++i) d.inputs[3].set_bits(i, encode(DType::f32, i == 3 ? gate : -0.1));
    const std::vector<double> whole = gdn::truth(problem(member, false, d)).o;
    Drawn cut = d;  // the same tokens after the reset, from a state of zeros
    for (std::int64_t i = 0; i < 2; ++i) cut.inputs[5].set_bits(i, 0);
    for (std::int64_t i = 0; i < 3; ++i) cut.inputs[2].set_bits(i, 0);
    const std::vector<double> after = gdn::truth(problem(member, false, cut)).o;
    Judge judge(d.contract, d.instance, d.inputs);
    for (std::int64_t i = 3; i < 6; ++i)
      EXPECT_EQ(judge.element(0, i, encode(DType::f32, after[static_cast<std::size_t>(i)])).ruling,
                Ruling::accepted)
          << gate;
    EXPECT_NE(whole[2], 0);
    d.inputs[2].set_bits(0, encode(DType::f32, NAN));  // before the reset: it need not be seen after it
    Judge spoilt(d.contract, d.instance, d.inputs);
    EXPECT_EQ(spoilt.element(0, 2, encode(DType::f32, 0.0)).ruling, Ruling::refused);
    EXPECT_EQ(spoilt.element(0, 3, encode(DType::f32, after[3])).ruling, Ruling::accepted) << gate;
    EXPECT_EQ(spoilt.element(0, 3, encode(DType::f32, NAN)).ruling, Ruling::accepted);
  }
}

}  // namespace
}  // namespace assay
