#pragma once

// A contract's signature and random cases of it, for the tests of this folder.

#include "core/codec.h"
#include "core/random.h"

namespace assay {

inline Signature sample_signature() {
  Signature s;
  s.name = "sample";
  s.dims = {"rows", "cols"};
  s.attributes = {{"eps", 1e-5, false}, {"ignore", -100.0, true}};
  s.inputs = {{"x", 2, {}}, {"w", 1, {}}, {"t", 1, {ElementType::Kind::index, DType::i64}}};
  s.outputs = {{"y", 2, {}}, {"loss", 0, {}}};
  return s;
}

inline Shapes sample_shapes(const Instance& i) {
  Shapes s;
  s.inputs = {{i.dtype, {i.dims[0], i.dims[1]}, false, 0, {}},
              {i.dtype, {i.dims[1]}, false, 0, {}},
              {DType::i64, {i.dims[0]}, true, i.dims[1], -100}};
  s.outputs = {{i.dtype, {i.dims[0], i.dims[1]}, false, 0, {}}, {i.dtype, {}, false, 0, {}}};
  return s;
}

inline Case random_case(std::uint64_t seed) {
  CounterRandom random(seed, 0);
  std::vector<std::byte> bytes(random.below(200));
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.next());
  return decode(bytes, sample_signature());
}

}  // namespace assay
