#include "properties/certificate.h"

#include <algorithm>
#include <array>
#include <thread>

#include "gates/execute.h"
#include "oracle/equality.h"
#include "oracle/imposters.h"
#include "properties/generate.h"
#include "properties/target.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMostElements = 8192;  // of a case: larger ones cost more than they tell
constexpr int kCompared = 24;                 // cases in high precision before an imposter counts as equal

// Gates that look at how a kernel runs see nothing in an imposter's outputs.
constexpr std::array<std::string_view, 3> kOfRuns = {"ORD-02", "RES-01", "RES-02"};

// An imposter in the kernel's place; without one, the contract itself.
class ImposterRunner final : public Runner {
 public:
  ImposterRunner(const Contract& contract, const Imposter* imposter)
      : contract_(contract), imposter_(imposter) {}

  RunResult run(const Launch& launch, Build) override {
    RunResult result;
    std::optional<std::vector<Tensor>> outputs;
    if (imposter_ != nullptr)
      outputs = answer(*imposter_, launch.instance, launch.inputs);
    else
      outputs = simulate(contract_, launch.instance, launch.inputs,
                         {contract_.accumulator(launch.instance.dtype), false});
    if (outputs)
      result.outputs = std::move(*outputs);
    else
      result.status = RunResult::Status::refused;
    return result;
  }
  SparseResult run_sparse(const SparseLaunch&) override {
    SparseResult result;
    result.status = RunResult::Status::refused;
    return result;
  }
  void restart() override {}

 private:
  const Contract& contract_;
  const Imposter* imposter_;
};

struct Candidate {
  const Gate* gate;
  Case test;
  std::atomic<int> honest{0};  // 0 not known yet, 1 the contract itself passes, 2 it does not

  Candidate(const Gate* g, Case c) : gate(g), test(std::move(c)) {}
};

class Certifier {
 public:
  Certifier(const Subject& subject, const CheckReport& report, const CertificateOptions& options)
      : subject_(subject), options_(options), end_(Clock::now() + options.time) {
    draw(report);
    imposters_ = imposters(subject.contract);
    for (const Imposter& imposter : imposters_) certificate_.imposters.emplace_back().fault = imposter.fault;
  }

  Certificate run() {
    const auto start = Clock::now();
    const int jobs = options_.jobs > 0 ? options_.jobs
                                       : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::thread> threads;
    for (int i = 0; i < jobs; ++i) {
      threads.emplace_back([this] {
        for (std::size_t n = next_++; n < imposters_.size(); n = next_++)
          try_one(imposters_[n], certificate_.imposters[n]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    certificate_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return std::move(certificate_);
  }

 private:
  // The first cases of every gate, in turn.
  void draw(const CheckReport& report) {
    std::vector<const GateReport*> gates;
    for (const GateReport& gate : report.gates) {
      const bool of_runs = std::find(kOfRuns.begin(), kOfRuns.end(), gate.gate->id) != kOfRuns.end();
      if (of_runs || gate.outcome != Outcome::pass) continue;
      certificate_.cases += gate.passed;
      gates.push_back(&gate);
    }
    for (std::int64_t number = 0; static_cast<std::int64_t>(candidates_.size()) < options_.cases; ++number) {
      bool any = false;
      for (const GateReport* gate : gates) {
        if (number >= gate->cases + gate->not_applicable) continue;
        any = true;
        Case c = draw_case(subject_, *gate->gate, report.seed, static_cast<std::uint64_t>(number));
        if (!in_domain(c, subject_) || elements(*shapes_of(subject_.contract, c.instance)) > kMostElements)
          continue;
        candidates_.push_back(std::make_unique<Candidate>(gate->gate, std::move(c)));
      }
      if (!any) break;
    }
  }

  bool over() const { return (options_.stop && *options_.stop) || Clock::now() >= end_; }

  bool is_honest(Candidate& candidate) const {
    if (candidate.honest == 0) {
      ImposterRunner runner(subject_.contract, nullptr);
      const Verdict verdict = candidate.gate->judge(candidate.test, subject_, runner);
      candidate.honest = verdict.outcome == Outcome::pass ? 1 : 2;
    }
    return candidate.honest == 1;
  }

  void try_one(const Imposter& imposter, Tried& tried) {
    ImposterRunner runner(subject_.contract, &imposter);
    for (const auto& candidate : candidates_) {
      if (over()) {
        tried.fate = Fate::untried;
        return;
      }
      if (!is_honest(*candidate)) continue;
      const Verdict verdict = candidate->gate->judge(candidate->test, subject_, runner);
      if (verdict.outcome == Outcome::not_applicable) continue;
      ++tried.cases;
      tried.fate = Fate::survived;
      if (!is_finding(verdict.outcome)) continue;
      tried.fate = Fate::rejected;
      tried.gate = candidate->gate;
      tried.on = describe(candidate->test, subject_);
      return;
    }
    if (tried.fate == Fate::survived && is_equal(imposter)) tried.fate = Fate::equal;
  }

  // In high precision, by its definitions; arithmetic and outputs of an imposter are never the contract's.
  bool is_equal(const Imposter& imposter) const {
    if (imposter.accumulator || imposter.tf32 || imposter.spoil) return false;
    int compared = 0;
    for (const auto& candidate : candidates_) {
      if (compared == kCompared || over()) break;
      const Realised tensors = realise(candidate->test, subject_);
      const Compared result =
          compare(subject_.contract, imposter.contract, candidate->test.instance, tensors.inputs);
      if (result.result == Comparability::differ) return false;
      compared += result.result == Comparability::agree;
    }
    return compared > 0;
  }

  const Subject& subject_;
  const CertificateOptions& options_;
  const Clock::time_point end_;
  std::vector<Imposter> imposters_;
  std::vector<std::unique_ptr<Candidate>> candidates_;
  std::atomic<std::size_t> next_{0};
  Certificate certificate_;
};

}  // namespace

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::rejected:
      return "rejected";
    case Fate::survived:
      return "survived";
    case Fate::equal:
      return "equal";
    case Fate::absent:
      return "absent";
    case Fate::untried:
      return "untried";
  }
  return "";
}

std::int64_t Certificate::count(Fate fate) const {
  return std::count_if(imposters.begin(), imposters.end(), [&](const Tried& t) { return t.fate == fate; });
}

Certificate certify(const Subject& subject, const CheckReport& report, const CertificateOptions& options) {
  return Certifier(subject, report, options).run();
}

}  // namespace assay
