// The contracts of the gated-linear-recurrence family against the recurrence in plain doubles.

#include <gtest/gtest.h>

#include <cmath>

#include "core/realise.h"
#include "oracle/contract.h"
#include "oracle/evaluator.h"
#include "oracle/gdn/problem.h"
#include "oracle/gdn/recurrence.h"
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
           std::uint64_t seed, Fill fill = Fill::normal) {
  const std::string name = std::string(member.name) + (backward ? "_backward" : "_forward");
  auto contract = load_contract(name);
  if (!contract) ADD_FAILURE() << contract.error().message;
  Drawn d{*contract, {DType::f32, dims, std::move(attributes)}, {}, {}};
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
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
          const double scale = seed == 3 ? 0 : 0.5;
          const Drawn d = draw(member, backward, dims, {scale, static_cast<double>(seed % 2)}, seed);
          const gdn::Problem p = problem(member, backward, d);
          const gdn::Results want = gdn::truth(p);
          DoubleAlgebra algebra;
          Evaluator<DoubleAlgebra> evaluator(d.contract.program(), d.instance, d.shapes, d.inputs, algebra);
          for (std::size_t k = 0; k < d.shapes.outputs.size(); ++k) {
            const std::string& name = d.contract.signature().outputs[k].name;
            const std::vector<double>& truth = *want.find(name);
            ASSERT_EQ(static_cast<std::int64_t>(truth.size()), count(d.shapes.outputs[k].shape)) << name;
            double size = 1e-300;
            for (const double x : truth) size = std::max(size, std::fabs(x));
            for (std::size_t i = 0; i < truth.size(); ++i) {
              const double got = evaluator.output(k, static_cast<std::int64_t>(i));
              ASSERT_NEAR(got, truth[i], 1e-11 * size)
                  << d.contract.signature().name << ' ' << name << '[' << i << "] seed " << seed;
            }
          }
          EXPECT_FALSE(evaluator.fault()) << *evaluator.fault();
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
