// What PyTorch 2.11 answered, on its CPU and on an H200 (tests/data/torch_vectors.jsonl.gz), is what the
// library's contracts accept: every element, in every dtype, on both devices.

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "oracle/judge.h"
#include "oracle/program.h"

namespace assay {
namespace {

using Json = nlohmann::json;

std::vector<Json> records() {
  const std::string path = std::string(ASSAY_SOURCE_DIR) + "/tests/data/torch_vectors.jsonl.gz";
  std::vector<Json> result;
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) return result;
  std::string text(1 << 20, '\0'), rest;
  for (int n; (n = gzread(file, text.data(), static_cast<unsigned>(text.size()))) > 0;) {
    rest.append(text, 0, static_cast<std::size_t>(n));
    std::size_t from = 0;
    for (std::size_t to; (to = rest.find('\n', from)) != std::string::npos; from = to + 1)
      result.push_back(Json::parse(rest.begin() + static_cast<std::ptrdiff_t>(from),
                                   rest.begin() + static_cast<std::ptrdiff_t>(to)));
    rest.erase(0, from);
  }
  gzclose(file);
  return result;
}

Tensor tensor_of(const Json& j, const Dims& shape) {
  Tensor t(*parse_dtype(j["dtype"].get<std::string>()), shape);
  std::istringstream words(j["bits"].get<std::string>());
  std::string word;
  for (std::int64_t i = 0; words >> word; ++i) t.set_bits(i, std::strtoull(word.c_str(), nullptr, 16));
  return t;
}

// Names differ where PyTorch's operation is one mode of the contract's.
std::string contract_of(const std::string& op) {
  static const std::map<std::string, std::string> kNames = {{"gelu_erf", "gelu"},
                                                            {"cross_entropy_mean", "cross_entropy"}};
  const auto found = kNames.find(op);
  return found == kNames.end() ? op : found->second;
}

struct Bound {
  Instance instance;
  std::vector<Tensor> inputs;
};

// The instance of a record: dims from the shapes of inputs, attributes by name. A contract over one dimension
// takes a tensor of any shape, flattened.
std::optional<Bound> bind(const Contract& contract, const Json& record) {
  const lang::Program& program = contract.program();
  Bound b;
  b.instance.dtype = *parse_dtype(record["inputs"][0]["dtype"].get<std::string>());
  std::map<std::string, std::int64_t> dims;
  std::size_t next = 0;
  for (const lang::Declaration& d : program.inputs) {
    Dims shape;
    const bool is_target = d.type.kind == ElementType::Kind::index;
    if (is_target) {
      shape = {static_cast<std::int64_t>(record["attrs"]["target"].size())};
    } else {
      if (next == record["inputs"].size()) return std::nullopt;
      shape = record["inputs"][next]["shape"].get<Dims>();
      if (d.shape.size() == 1) shape = {count(shape)};
    }
    if (shape.size() != d.shape.size()) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const lang::Expr& e = program[d.shape[i]];
      if (e.kind == lang::Expr::Kind::name) dims[e.text] = shape[i];
    }
    if (is_target) {
      Tensor t(DType::i64, shape);
      for (std::int64_t i = 0; i < t.size(); ++i)
        t.set_bits(
            i, encode_integer(DType::i64,
                              record["attrs"]["target"][static_cast<std::size_t>(i)].get<std::int64_t>()));
      b.inputs.push_back(std::move(t));
    } else {
      b.inputs.push_back(tensor_of(record["inputs"][next++], shape));
    }
  }
  const Signature& signature = contract.signature();
  for (const std::string& d : signature.dims) {
    if (!dims.count(d)) return std::nullopt;
    b.instance.dims.push_back(dims[d]);
  }
  for (const Attribute& a : signature.attributes) {
    const std::string key = a.name == "ignore" ? "ignore_index" : a.name;
    const bool stated = record["attrs"].contains(key) &&
                        (record["attrs"][key].is_number() || record["attrs"][key].is_boolean());
    if (!stated && (!a.fallback || record["attrs"].contains(key))) return std::nullopt;
    // A default that equals the stated value stays the exact decimal that the contract writes.
    const Json value = stated ? record["attrs"][key] : Json(*a.fallback);
    b.instance.attributes.push_back(value.is_boolean() ? value.get<bool>() : value.get<double>());
  }
  return b;
}

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
