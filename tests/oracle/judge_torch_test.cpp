// What PyTorch 2.11 answered, on its CPU and on an H200 (tests/data/torch_vectors.jsonl.gz), is what the
// library's contracts accept: every element, in every dtype, on both devices.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "oracle/judge.h"
#include "tests/oracle/torch_vectors.h"

namespace assay {
namespace {

TEST(Torch, AcceptsEveryAnswerOfBothDevices) {
  const std::vector<Json> all = records();
  ASSERT_GT(all.size(), 1700u);
  const std::vector<std::string> known = library_contracts();
  const std::set<std::string> library(known.begin(), known.end());
  std::map<std::string, std::int64_t> judged, refused;
  std::set<std::string> unbound;
  std::int64_t total = 0, bad = 0, undecidable = 0, by_mpfr = 0;
  for (const Json& record : all) {
    const std::string op = record["op"], name = contract_of(op);
    if (!library.count(name)) continue;
    const Expected<Contract> contract = load_contract(name);
    ASSERT_TRUE(contract) << contract.error().message;
    const std::optional<Bound> bound = bind(*contract, record);
    if (!bound) {
      unbound.insert(op);
      continue;
    }
    const Expected<Shapes> shapes = shapes_of(*contract, bound->instance);
    ASSERT_TRUE(shapes) << op << ": " << shapes.error().message;
    Judge judge(*contract, bound->instance, bound->inputs);
    for (const char* device : {"cpu", "cuda"}) {
      ASSERT_EQ(record[device].size(), shapes->outputs.size());
      for (std::size_t k = 0; k < shapes->outputs.size(); ++k) {
        const Tensor got = tensor_of(record[device][k], shapes->outputs[k].shape);
        const OutputReport r = judge.all(k, got);
        judged[op] += r.judged;
        total += r.judged;
        by_mpfr += r.by_mpfr;
        refused[op] += r.refused;
        bad += r.refused;
        undecidable += r.undecidable;
        if (r.undecidable)
          ADD_FAILURE() << op << " " << device << " " << record["inputs"][0]["dtype"] << " "
                        << record["family"] << ": " << r.undecidable << " undecidable";
        if (r.refused)
          ADD_FAILURE() << op << " " << device << " " << record["inputs"][0]["dtype"] << " "
                        << record["family"] << " output " << k << ": " << r.refused << " refused, first "
                        << r.first_refused << " (" << assay::name(r.first.reason) << "): got "
                        << Json(r.first.got) << ", truth " << Json(r.first.truth) << ", accepted "
                        << Json(r.first.low) << " .. " << Json(r.first.high) << " nan " << r.first.nan_allowed
                        << " +inf " << r.first.pos_inf_allowed << " -inf " << r.first.neg_inf_allowed
                        << " excess " << r.first.excess;
      }
    }
  }
  std::ostringstream text;
  for (const auto& [op, n] : judged)
    text << op << ' ' << n << (refused[op] ? " refused " + std::to_string(refused[op]) : "") << ", ";
  for (const std::string& op : unbound) text << "not bound: " << op << ", ";
  RecordProperty("judged", std::to_string(total));
  std::printf("%ssum %ld judged, %ld refused, %ld undecidable, %ld by MPFR\n", text.str().c_str(),
              static_cast<long>(total), static_cast<long>(bad), static_cast<long>(undecidable),
              static_cast<long>(by_mpfr));
  EXPECT_EQ(undecidable, 0);
  EXPECT_GT(total, 50'000);
}

// What a derived contract cannot know is what a backward reads that its forward stored: the halves of
// softmax (its output) and, on the CPU, of layer_norm (its statistics) need the contracts written by hand.
TEST(Torch, AcceptsGradientsByDerivedContracts) {
  const std::vector<Json> all = records();
  for (const std::string forward : {"softmax", "layer_norm", "rms_norm", "gelu", "matmul"}) {
    const auto contracts = parse_contracts("contract derived = adjoint of " + forward + "\n", "a.contract");
    ASSERT_TRUE(contracts) << contracts.error().message;
    const Contract& contract = contracts->back();
    std::int64_t judged = 0;
    for (const Json& record : all) {
      if (record["op"] != forward + "_backward") continue;
      const std::optional<Bound> bound = bind(contract, record);
      ASSERT_TRUE(bound) << forward;
      const bool half = bound->instance.dtype == DType::f16 || bound->instance.dtype == DType::bf16;
      const Shapes shapes = *shapes_of(contract, bound->instance);
      Judge judge(contract, bound->instance, bound->inputs);
      for (const char* device : {"cpu", "cuda"}) {
        if (half && (forward == "softmax" || (forward == "layer_norm" && std::string(device) == "cpu")))
          continue;
        for (std::size_t k = 0; k < shapes.outputs.size(); ++k) {
          const OutputReport r = judge.all(k, tensor_of(record[device][k], shapes.outputs[k].shape));
          judged += r.judged;
          EXPECT_EQ(r.refused, 0) << forward << " " << device << " " << record["family"] << ": got "
                                  << r.first.got << ", truth " << r.first.truth;
        }
      }
    }
    EXPECT_GT(judged, 1000) << forward;
  }
}

}  // namespace
}  // namespace assay
