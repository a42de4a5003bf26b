#include "properties/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "gates/execute.h"
#include "kernels/process.h"
#include "properties/confirm.h"
#include "properties/generate.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A kernel that crashes or hangs on every case has told what it is after a few of them.
constexpr int kCrashesPerSignature = 12;
constexpr int kHangsPerSignature = 2;

constexpr std::string_view kPast = "/past 2^31";  // end of the signature of a huge case

// The order in which gates take their turn: each as often as its weight, spread evenly.
std::vector<std::size_t> turns(const std::vector<const Gate*>& gates) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t g = 0; g < gates.size(); ++g)
    for (int k = 0; k < gates[g]->weight; ++k) order.emplace_back((k + 0.5) / gates[g]->weight, g);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> result;
  for (const auto& [at, gate] : order) result.push_back(gate);
  return result;
}

int severity(Outcome outcome) {
  switch (outcome) {
    case Outcome::crashed:
      return 7;
    case Outcome::hung:
      return 6;
    case Outcome::violated:
      return 5;
    case Outcome::beyond_budget:
      return 4;
    case Outcome::flaky:
      return 3;
    case Outcome::pass:
      return 2;
    case Outcome::undecidable:
      return 1;
    case Outcome::not_applicable:
      return 0;
  }
  return 0;
}

class Check {
 public:
  Check(const Subject& subject, const RunnerFactory& runners, const CheckOptions& options)
      : subject_(subject), runners_(runners), options_(options) {}

  CheckReport run() {
    choose_gates();
    const int jobs = options_.jobs > 0 ? options_.jobs
                                       : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    if (!turns_.empty()) {
      std::vector<std::thread> threads;
      for (int i = 0; i < jobs; ++i) threads.emplace_back([this] { work(); });
      for (std::thread& thread : threads) thread.join();
    }
    return finish();
  }

 private:
  struct Gated {
    GateReport report;
    std::map<std::string, std::int64_t> hits;  // by signature
    std::map<std::string, std::size_t> filed;  // where the finding is, once it is shrunk
    std::atomic<bool> stopped{false};
  };

  void choose_gates() {
    std::vector<const Gate*> asked = options_.gates;
    if (asked.empty()) asked.assign(all_gates().begin(), all_gates().end());
    std::vector<const Gate*> applicable;
    for (const Gate* gate : asked) {
      auto& gated = gates_.emplace_back(std::make_unique<Gated>());
      gated->report.gate = gate;
      if (auto reason = gate->not_applicable(subject_)) {
        gated->report.reason = std::move(*reason);
        continue;
      }
      applicable.push_back(gate);
      active_.push_back(gated.get());
    }
    turns_ = turns(applicable);
  }

  bool interrupted() const { return options_.stop && *options_.stop; }

  bool over() const {
    if (broken_ || interrupted()) return true;
    return options_.time && Clock::now() - start_ >= *options_.time;
  }

  void work() {
    auto runner = runners_();
    if (!runner) {
      give_up(runner.error().message);
      return;
    }
    while (!over()) {
      const std::uint64_t item = next_++;
      if (!options_.time && item >= static_cast<std::uint64_t>(std::max<std::int64_t>(options_.cases, 0)))
        break;
      const std::size_t turn = item % turns_.size();
      Gated& gated = *active_[turns_[turn]];
      if (gated.stopped) {
        if (all_stopped()) break;
        continue;
      }
      // The how-manieth case of its gate this item is.
      const auto before = static_cast<std::uint64_t>(
          std::count(turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(turn), turns_[turn]));
      const std::uint64_t number =
          item / turns_.size() * static_cast<std::uint64_t>(gated.report.gate->weight) + before;
      one_case(gated, number, **runner);
    }
    const std::lock_guard lock(mutex_);
    report_.elements += (*runner)->tally.elements;
    report_.elements_by_mpfr += (*runner)->tally.by_mpfr;
    report_.elements_useless += (*runner)->tally.useless;
    report_.strain.add((*runner)->tally.strain);
    report_.suspect += (*runner)->tally.suspect;
    if (report_.suspicion.empty()) report_.suspicion = (*runner)->tally.suspicion;
  }

  bool all_stopped() const {
    return std::all_of(active_.begin(), active_.end(),
                       [](const Gated* gated) { return gated->stopped.load(); });
  }

  void give_up(const std::string& reason, bool misused = false) {
    const std::lock_guard lock(mutex_);
    if (report_.infrastructure.empty()) {
      report_.infrastructure = reason;
      report_.misused = misused;
    }
    broken_ = true;
  }

  void one_case(Gated& gated, std::uint64_t number, Runner& runner) {
    const auto start = Clock::now();
    const Gate& gate = *gated.report.gate;
    const Case c = draw_case(subject_, gate, options_.seed, number);
    Verdict verdict = in_domain(c, subject_)
                          ? gate.judge(c, subject_, runner)
                          : unanswered("no case of the domain has the sizes that this gate needs");
    if (is_infrastructure(verdict) && !waiting_is_given_up()) {
      runner.restart();
      verdict = gate.judge(c, subject_, runner);
      if (is_infrastructure(verdict) && !waiting_is_given_up()) return give_up(verdict.evidence.detail);
    }
    if (is_unbound(verdict)) return give_up(verdict.evidence.detail, true);
    // A gate may have judged what some of its calls brought, and the others were given up.
    if (waiting_is_given_up()) return;
    if (count(gated, c, verdict, seconds_since(start))) {
      const auto began = Clock::now();
      investigate(gated, c, verdict, runner);
      const std::lock_guard lock(mutex_);
      gated.report.seconds += seconds_since(began);
    }
    progress(&gate, "checking");
  }

  // Files a verdict; true where it is a finding that nobody has seen yet.
  bool count(Gated& gated, const Case& c, const Verdict& verdict, double seconds) {
    const std::lock_guard lock(mutex_);
    GateReport& report = gated.report;
    report.seconds += seconds;
    if (verdict.outcome == Outcome::not_applicable) {
      ++report.not_applicable;
      if (is_unanswered(verdict) && ++report.unanswered == 1) report.reason = verdict.evidence.detail;
      if (report.reason.empty()) report.reason = verdict.evidence.detail;
      return false;
    }
    ++report.cases;
    ++cases_;
    if (verdict.outcome == Outcome::pass) ++report.passed;
    if (verdict.outcome == Outcome::undecidable) {
      ++report.undecidable;
      if (report.reason.empty() || report.passed == 0) report.reason = verdict.evidence.detail;
    }
    if (!is_finding(verdict.outcome)) return false;
    ++report.findings;
    std::string text = signature_of(c, *report.gate, verdict, subject_.contract.signature()).text;
    // What fails at small sizes, too, is no finding of its own past 2^31.
    if (text.ends_with(kPast) && gated.hits.contains(text.substr(0, text.size() - kPast.size())))
      text.resize(text.size() - kPast.size());
    if (!gated.hits.contains(text) && static_cast<int>(gated.hits.size()) >= options_.findings_per_gate)
      return false;
    const std::int64_t hits = ++gated.hits[text];
    if ((verdict.outcome == Outcome::crashed && hits >= kCrashesPerSignature) ||
        (verdict.outcome == Outcome::hung && hits >= kHangsPerSignature) ||
        static_cast<int>(gated.hits.size()) >= options_.findings_per_gate)
      gated.stopped = true;
    return hits == 1;
  }

  // Confirms and shrinks a new finding, and reports it.
  void investigate(Gated& gated, const Case& c, const Verdict& verdict, Runner& runner) {
    const Gate& gate = *gated.report.gate;
    Finding finding = assay::investigate(
        c, gate, verdict, subject_, runner,
        {options_.shrink, options_.stop, [&](const char* activity) { progress(&gate, activity); }});
    finding.seconds = seconds_since(start_);

    const std::lock_guard lock(mutex_);
    finding.hits = gated.hits[finding.signature.text];
    gated.filed[finding.signature.text] = report_.findings.size();
    report_.findings.push_back(finding);
    if (options_.on_finding) options_.on_finding(finding);
  }

  void progress(const Gate* gate, const char* activity) {
    if (!options_.on_progress) return;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (now - last_progress_ < std::chrono::milliseconds(100)) return;
    last_progress_ = now;
    Progress p;
    p.gate = gate;
    p.cases = cases_;
    p.total = options_.time ? 0 : options_.cases;
    p.cases_per_second = static_cast<double>(cases_) / std::max(seconds_since(start_), 1e-3);
    p.findings = static_cast<std::int64_t>(report_.findings.size());
    p.activity = activity;
    options_.on_progress(p);
  }

  CheckReport finish() {
    for (const auto& gated : gates_) {
      GateReport& report = gated->report;
      for (const auto& [text, at] : gated->filed) {
        Finding& finding = report_.findings[at];
        finding.hits = gated->hits[text];
        if (severity(finding.verdict.outcome) > severity(report.outcome))
          report.outcome = finding.verdict.outcome;
      }
      if (gated->filed.empty()) {
        if (report.unanswered > report.cases || (report.passed == 0 && report.undecidable > 0))
          report.outcome = Outcome::undecidable;
        else if (report.passed > 0)
          report.outcome = Outcome::pass;
        if (report.outcome == Outcome::not_applicable && report.reason.empty())
          report.reason = "no case was judged";
      }
      report_.gates.push_back(report);
    }
    report_.seed = options_.seed;
    report_.seconds = seconds_since(start_);
    report_.interrupted = options_.stop && *options_.stop;
    return std::move(report_);
  }

  const Subject& subject_;
  const RunnerFactory& runners_;
  const CheckOptions& options_;
  const Clock::time_point start_ = Clock::now();
  std::vector<std::unique_ptr<Gated>> gates_;
  std::vector<Gated*> active_;
  std::vector<std::size_t> turns_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> broken_{false};

  std::mutex mutex_;  // guards all below, and every GateReport
  CheckReport report_;
  std::int64_t cases_ = 0;
  Clock::time_point last_progress_{};
};

}  // namespace

CheckReport check(const Subject& subject, const RunnerFactory& runners, const CheckOptions& options) {
  return Check(subject, runners, options).run();
}

Finding investigate(const Case& c, const Gate& gate, const Verdict& seen, const Subject& subject,
                    Runner& runner, const ConfirmOptions& options) {
  Finding finding;
  finding.gate = &gate;
  finding.signature = signature_of(c, gate, seen, subject.contract.signature());
  finding.original = c;
  Confirmation confirmation = confirm(c, gate, finding.signature.text, seen, subject, runner, options);
  finding.reproduced = confirmation.reproduced;
  finding.verdict = std::move(confirmation.verdict);
  if (is_infrastructure(finding.verdict)) {  // it was seen, and that is all that is known of it
    finding.verdict = seen;
    finding.verdict.outcome = Outcome::flaky;
  }
  finding.shrinking = std::move(confirmation.shrinking);
  finding.shrunk = finding.shrinking.smallest;
  return finding;
}

Verdict judge_once(const Case& c, const Gate& gate, const Subject& subject, const RunnerFactory& runners) {
  auto runner = runners();
  if (!runner) return infrastructure(runner.error().message);
  if (!in_domain(c, subject)) return not_applicable("the case is outside the domain");
  (*runner)->restart();
  return gate.judge(c, subject, **runner);
}

FindingSignature signature_of(const Case& c, const Gate& gate, const Verdict& verdict, const Signature&) {
  // Whether time or memory is used up first depends on the load of the machine.
  const std::string& kind = verdict.evidence.kind;
  const bool exhausted = verdict.outcome == Outcome::hung || kind == "out of memory";
  std::string text = fmt::format("{}/{}/{}", gate.id, exhausted ? "exhausted" : kind, name(c.instance.dtype));
  // Extents are left out, as they change while a case shrinks; empty and huge tensors are faults of their
  // own.
  std::int64_t product = 1;
  bool huge = false;
  for (std::int64_t n : c.instance.dims) {
    if (n > 0 && product > (std::int64_t{1} << 31) / n) huge = true;
    product *= huge ? 1 : n;
  }
  if (product == 0)
    text += "/empty";
  else if (huge)
    text += kPast;
  return {std::move(text)};
}

}  // namespace assay
