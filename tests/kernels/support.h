#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "core/file.h"
#include "kernels/kernel.h"

namespace assay::testing_support {

inline TensorSignature floats(std::string name, std::size_t rank) {
  return {std::move(name), rank, {}};
}
inline Signature add_signature() {
  return {"add", {"n"}, {}, {floats("a", 1), floats("b", 1)}, {floats("c", 1)}};
}
inline Signature relu_signature() {
  return {"relu", {"n"}, {}, {floats("x", 1)}, {floats("y", 1)}};
}
inline Signature softmax_signature() {
  return {"softmax", {"rows", "cols"}, {}, {floats("x", 2)}, {floats("y", 2)}};
}

// A folder beside the test program, kept between runs: what was compiled once is found in its cache.
inline std::filesystem::path folder() {
  const auto path =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "assay_kernels_tests_files";
  std::filesystem::create_directories(path);
  return path;
}

inline std::filesystem::path write_source(std::string_view text) {
  const auto path = folder() / fmt::format("kernel{:016x}.cu", std::hash<std::string_view>()(text));
  if (!write_file(path, text)) ADD_FAILURE() << "cannot write " << path;
  return path;
}

inline BuildOptions options(bool sandbox = true) {
  BuildOptions o;
  o.cache = folder() / "cache";
  o.sandbox = sandbox;
  return o;
}

struct Loaded {
  Kernel kernel;
};

// The kernel of a source text, built; fails the test where it cannot be.
inline Loaded load(std::string_view text, const Signature& signature, std::string_view binding = "",
                   bool sandbox = true) {
  const auto source = read_source(write_source(text));
  if (!source) {
    ADD_FAILURE() << source.error().message;
    return {};
  }
  auto bindings = assay::bind(*source, signature, binding, std::nullopt);
  if (!bindings) {
    ADD_FAILURE() << bindings.error().message;
    return {};
  }
  auto kernel = build(*source, signature, std::move(*bindings), options(sandbox));
  if (!kernel) {
    ADD_FAILURE() << kernel.error().message;
    return {};
  }
  return {std::move(*kernel)};
}

inline Tensor ramp(int n, double step) {
  Tensor t(DType::f32, {n});
  for (int i = 0; i < n; ++i) t.set_bits(i, encode(DType::f32, i * step));
  return t;
}

}  // namespace assay::testing_support
