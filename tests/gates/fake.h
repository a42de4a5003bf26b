#pragma once

// Kernels for tests: C++ functions in this process, behind the interface that worker processes have.

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gates/gate.h"

namespace assay::fake {

// Writes result.outputs, which hold the launch's poison, and whatever else a worker would report.
using Kernel = std::function<void(const Launch&, RunResult&)>;

// Makes a kernel with fresh state, as a new process has.
using MakeKernel = std::function<Kernel()>;

class FakeRunner final : public Runner {
 public:
  explicit FakeRunner(MakeKernel make) : make_(std::move(make)), kernel_(make_()) {}

  RunResult run(const Launch& launch, Build) override {
    RunResult result;
    for (const TensorSpec& spec : launch.outputs) {
      Tensor& tensor = result.outputs.emplace_back(spec.dtype, spec.shape);
      std::fill_n(tensor.data(), tensor.size_bytes(), std::byte{launch.poison});
    }
    ++calls;
    kernel_(launch, result);
    return result;
  }
  SparseResult run_sparse(const SparseLaunch& launch) override { return sparse(launch); }
  void restart() override {
    ++restarts;
    kernel_ = make_();
  }

  std::function<SparseResult(const SparseLaunch&)> sparse = [](const SparseLaunch&) {
    SparseResult result;
    result.status = RunResult::Status::refused;
    return result;
  };
  std::int64_t calls = 0;
  std::int64_t restarts = 0;

 private:
  MakeKernel make_;
  Kernel kernel_;
};

inline MakeKernel stateless(Kernel kernel) {
  return [kernel] { return kernel; };
}

// Bytes as something that sets and maps compare.
inline std::string key(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline void store(Tensor& tensor, std::int64_t i, double value) {
  tensor.set_bits(i, encode(tensor.dtype(), value));
}

inline Subject subject(std::string_view contract, std::vector<DType> dtypes = {DType::f32}) {
  auto loaded = load_contract(contract);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return {*loaded, {}, {}, std::move(dtypes)};
}

// --- right kernels ------------------------------------------------------------------------------------

inline void relu(const Launch& launch, RunResult& result) {
  for (std::int64_t i = 0; i < launch.inputs[0].size(); ++i) {
    const double x = launch.inputs[0].value(i);
    store(result.outputs[0], i, x < 0 ? 0.0 : x);
  }
}

inline void add(const Launch& launch, RunResult& result) {
  for (std::int64_t i = 0; i < launch.inputs[0].size(); ++i)
    store(result.outputs[0], i, launch.inputs[0].value(i) + launch.inputs[1].value(i));
}

// Sums a row in float, from the left or from the right.
inline double row_sum(const Tensor& x, std::int64_t row, std::int64_t cols, bool backwards = false) {
  float sum = 0;
  for (std::int64_t j = 0; j < cols; ++j)
    sum += static_cast<float>(x.value(row * cols + (backwards ? cols - 1 - j : j)));
  return sum;
}

inline void sum(const Launch& launch, RunResult& result) {
  for (std::int64_t r = 0; r < launch.instance.dims[0]; ++r)
    store(result.outputs[0], r, row_sum(launch.inputs[0], r, launch.instance.dims[1]));
}

inline void argmax(const Launch& launch, RunResult& result) {
  const std::int64_t rows = launch.instance.dims[0], cols = launch.instance.dims[1];
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t best = 0;
    for (std::int64_t j = 1; j < cols; ++j) {
      const double x = launch.inputs[0].value(r * cols + j), y = launch.inputs[0].value(r * cols + best);
      if (x > y || (std::isnan(x) && !std::isnan(y))) best = j;
    }
    result.outputs[0].set_bits(r, encode_integer(result.outputs[0].dtype(), best));
  }
}

// `start` is what the running maximum starts from.
inline Kernel max_from(double start) {
  return [start](const Launch& launch, RunResult& result) {
    const std::int64_t rows = launch.instance.dims[0], cols = launch.instance.dims[1];
    for (std::int64_t r = 0; r < rows; ++r) {
      double best = start;
      for (std::int64_t j = 0; j < cols; ++j) {
        const double x = launch.inputs[0].value(r * cols + j);
        if (x > best || std::isnan(x)) best = x;
        if (std::isnan(best)) break;
      }
      store(result.outputs[0], r, best);
    }
  };
}
inline const Kernel max = max_from(-std::numeric_limits<double>::infinity());

// softmax of a row in double; `factor` scales the denominator.
inline std::vector<double> softmax_row(const Tensor& x, std::int64_t row, std::int64_t cols,
                                       double factor = 1) {
  double top = -std::numeric_limits<double>::infinity(), total = 0;
  std::vector<double> y(static_cast<std::size_t>(cols));
  for (std::int64_t j = 0; j < cols; ++j) top = std::fmax(top, x.value(row * cols + j));
  for (std::int64_t j = 0; j < cols; ++j)
    total += y[static_cast<std::size_t>(j)] = std::exp(x.value(row * cols + j) - top);
  for (double& value : y) value /= total * factor;
  return y;
}

inline Kernel softmax_times(double factor) {
  return [factor](const Launch& launch, RunResult& result) {
    const std::int64_t rows = launch.instance.dims[0], cols = launch.instance.dims[1];
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto y = softmax_row(launch.inputs[0], r, cols, factor);
      for (std::int64_t j = 0; j < cols; ++j)
        store(result.outputs[0], r * cols + j, y[static_cast<std::size_t>(j)]);
    }
  };
}
inline const Kernel softmax = softmax_times(1);

// With `skip_zeros`, a gradient that is exactly 0 gives a 0 without a look at the row.
inline Kernel softmax_backward(bool skip_zeros) {
  return [skip_zeros](const Launch& launch, RunResult& result) {
    const std::int64_t rows = launch.instance.dims[0], cols = launch.instance.dims[1];
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto y = softmax_row(launch.inputs[0], r, cols);
      double dot = 0;
      for (std::int64_t j = 0; j < cols; ++j)
        dot += y[static_cast<std::size_t>(j)] * launch.inputs[1].value(r * cols + j);
      for (std::int64_t j = 0; j < cols; ++j) {
        const double dy = launch.inputs[1].value(r * cols + j);
        store(result.outputs[0], r * cols + j,
              skip_zeros && dy == 0 ? 0 : y[static_cast<std::size_t>(j)] * (dy - dot));
      }
    }
  };
}

// `operand` is applied to both factors: the identity, or a truncation.
inline Kernel matmul_of(std::function<float(float)> operand) {
  return [operand](const Launch& launch, RunResult& result) {
    const std::int64_t m = launch.instance.dims[0], n = launch.instance.dims[1], k = launch.instance.dims[2];
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        float total = 0;
        for (std::int64_t p = 0; p < k; ++p)
          total += operand(static_cast<float>(launch.inputs[0].value(i * k + p))) *
                   operand(static_cast<float>(launch.inputs[1].value(p * n + j)));
        store(result.outputs[0], i * n + j, total);
      }
  };
}
inline const Kernel matmul = matmul_of([](float x) { return x; });

}  // namespace assay::fake
