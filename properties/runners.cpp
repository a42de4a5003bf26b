// Worker processes of a built kernel as a Runner: one for each build, started on first use.

#include "properties/check.h"

namespace assay {
namespace {

class WorkerRunner final : public Runner {
 public:
  explicit WorkerRunner(const Kernel& kernel) : kernel_(kernel) {}

  RunResult run(const Launch& launch, Build build) override {
    auto& slot = build == Build::fast ? fast_ : checked_;
    if (auto error = started(slot, build)) {
      RunResult result;
      result.status = RunResult::Status::infrastructure;
      result.detail = std::move(*error);
      return result;
    }
    return slot->run(launch);
  }

  SparseResult run_sparse(const SparseLaunch& launch) override {
    if (auto error = started(fast_, Build::fast)) {
      SparseResult result;
      result.status = RunResult::Status::infrastructure;
      result.detail = std::move(*error);
      return result;
    }
    return fast_->run_sparse(launch);
  }

  void restart() override {
    if (fast_) fast_->restart();
    if (checked_) checked_->restart();
  }

 private:
  std::optional<std::string> started(std::unique_ptr<Worker>& slot, Build build) {
    if (slot) return std::nullopt;
    auto worker = start(kernel_, build);
    if (!worker) return worker.error().message;
    slot = std::move(*worker);
    return std::nullopt;
  }

  const Kernel kernel_;
  std::unique_ptr<Worker> fast_, checked_;
};

}  // namespace

RunnerFactory runners(const Kernel& kernel) {
  return [kernel]() -> Expected<std::unique_ptr<Runner>> { return std::make_unique<WorkerRunner>(kernel); };
}

}  // namespace assay
