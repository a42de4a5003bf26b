// Worker processes of a built kernel as a Runner.
//
// On the CPU: one for each build and thread, started on first use. On a GPU: one for all threads, since two
// processes that launch on one GPU slow each other down; threads judge while another's call runs.

#include <mutex>

#include "properties/check.h"

namespace assay {
namespace {

// One worker, started on first use.
class Slot {
 public:
  Slot(const Kernel& kernel, Build build) : kernel_(kernel), build_(build) {}

  RunResult run(const Launch& launch) {
    if (auto error = started()) {
      RunResult result;
      result.status = RunResult::Status::infrastructure;
      result.detail = std::move(*error);
      return result;
    }
    return worker_->run(launch);
  }

  SparseResult run_sparse(const SparseLaunch& launch) {
    if (sparse_hopeless_) {
      SparseResult result;
      result.status = RunResult::Status::refused;
      return result;
    }
    if (auto error = started()) {
      SparseResult result;
      result.status = RunResult::Status::infrastructure;
      result.detail = std::move(*error);
      return result;
    }
    SparseResult result = worker_->run_sparse(launch);
    sparse_hopeless_ = result.status == RunResult::Status::hung;
    return result;
  }

  void restart() {
    if (worker_) worker_->restart();
  }

  std::span<const std::uint8_t> branches() const {
    return worker_ ? worker_->branches() : std::span<const std::uint8_t>();
  }

 private:
  std::optional<std::string> started() {
    if (worker_) return std::nullopt;
    auto worker = start(kernel_, build_);
    if (!worker) return worker.error().message;
    worker_ = std::move(*worker);
    return std::nullopt;
  }

  const Kernel kernel_;
  const Build build_;
  std::unique_ptr<Worker> worker_;
  bool sparse_hopeless_ = false;  // one run did not end in time, and the next ones would not either
};

class CpuRunner final : public Runner {
 public:
  explicit CpuRunner(const Kernel& kernel)
      : fast_(kernel, Build::fast), checked_(kernel, Build::checked), race_(kernel, Build::race) {}

  RunResult run(const Launch& launch, Build build) override {
    last_ = build == Build::fast ? &fast_ : build == Build::checked ? &checked_ : &race_;
    return last_->run(launch);
  }
  SparseResult run_sparse(const SparseLaunch& launch) override { return fast_.run_sparse(launch); }
  void restart() override {
    fast_.restart();
    checked_.restart();
    race_.restart();
  }
  std::span<const std::uint8_t> branches() const override { return last_->branches(); }

 private:
  Slot fast_, checked_, race_;
  Slot* last_ = &fast_;
};

// Without a sanitizer all builds are one.
struct Gpu {
  explicit Gpu(const Kernel& kernel)
      : sanitized(!kernel.options.sanitizer.empty()),
        fast(kernel, Build::fast),
        checked(kernel, Build::checked) {}
  std::mutex mutex;  // guards the slots
  const bool sanitized;
  Slot fast, checked;
};

class GpuRunner final : public Runner {
 public:
  explicit GpuRunner(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}

  RunResult run(const Launch& launch, Build build) override {
    const std::lock_guard lock(gpu_->mutex);
    return (gpu_->sanitized && build == Build::checked ? gpu_->checked : gpu_->fast).run(launch);
  }
  SparseResult run_sparse(const SparseLaunch& launch) override {
    const std::lock_guard lock(gpu_->mutex);
    return gpu_->fast.run_sparse(launch);
  }
  void restart() override {
    const std::lock_guard lock(gpu_->mutex);
    gpu_->fast.restart();
    gpu_->checked.restart();
  }

 private:
  const std::shared_ptr<Gpu> gpu_;
};

}  // namespace

RunnerFactory runners(const Kernel& kernel) {
  if (kernel.options.executor == Executor::cuda)
    return [gpu = std::make_shared<Gpu>(kernel)]() -> Expected<std::unique_ptr<Runner>> {
      return std::make_unique<GpuRunner>(gpu);
    };
  return [kernel]() -> Expected<std::unique_ptr<Runner>> { return std::make_unique<CpuRunner>(kernel); };
}

}  // namespace assay
