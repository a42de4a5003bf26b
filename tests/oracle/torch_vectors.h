#pragma once

// What PyTorch 2.11 answered, on its CPU and on an H200 (tests/data/torch_vectors.jsonl.gz), and how a record
// binds to a contract.

#include <zlib.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "oracle/contract.h"
#include "oracle/program.h"

namespace assay {

using Json = nlohmann::json;

inline std::vector<Json> records() {
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

inline Tensor tensor_of(const Json& j, const Dims& shape) {
  Tensor t(*parse_dtype(j["dtype"].get<std::string>()), shape);
  std::istringstream words(j["bits"].get<std::string>());
  std::string word;
  for (std::int64_t i = 0; words >> word; ++i) t.set_bits(i, std::strtoull(word.c_str(), nullptr, 16));
  return t;
}

// Names differ where PyTorch's operation is one mode of the contract's.
inline std::string contract_of(const std::string& op) {
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
inline std::optional<Bound> bind(const Contract& contract, const Json& record) {
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

}  // namespace assay
