#include "fuzz/campaign.h"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/file.h"
#include "fuzz/corpus.h"
#include "fuzz/engines.h"
#include "fuzz/mutate.h"

namespace assay::fuzz {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{50};
constexpr std::chrono::seconds kReport{1}, kPlot{5}, kRateWindow{10};
constexpr std::chrono::milliseconds kLateShrink{5000};  // of what is still in the inbox at the end

double seconds(Clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

// What earlier commands on the state have counted, from its stats.json.
struct Base {
  double seconds = 0;
  std::int64_t executions = 0, runs = 0, outside = 0, restarts = 0;
};
Base base_of(const fs::path& stats) {
  Base base;
  const auto text = read_file(stats);
  if (!text) return base;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) return base;
  base.seconds = json.value("total_seconds", 0.0);
  base.executions = json.value("executions", std::int64_t{0});
  base.runs = json.value("runs_of_the_kernel", std::int64_t{0});
  base.outside = json.value("outside_of_the_domain", std::int64_t{0});
  base.restarts = json.value("worker_deaths", std::int64_t{0});
  return base;
}

std::int64_t files_in(const fs::path& folder) {
  std::error_code ignored;
  std::int64_t n = 0;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    n += !entry.path().filename().string().starts_with('.');
  return n;
}

class Campaign {
 public:
  Campaign(const CampaignOptions& options, const CampaignEvents& events, StateFolder state)
      : options_(options),
        events_(events),
        state_(std::move(state)),
        engines_(options_, state_),
        base_(base_of(state_.path() / "stats.json")) {}

  Expected<void> prepare() {
    for (const TargetOptions& asked : options_.kernels) {
      auto planned = plan(asked);
      if (!planned) return tl::unexpected(planned.error());
      // The engines' build, so that they find it in the cache; then the one that `check` and `replay` use,
      // on which findings are confirmed.
      planned->asked.branches = asked.executor == Executor::cpu;
      if (const auto built = build(*planned); !built) return tl::unexpected(built.error());
      planned->asked.branches = false;
      auto target = build(*planned);
      if (!target) return tl::unexpected(target.error());
      Fuzzed& fuzzed = fuzzed_.emplace_back(Fuzzed{std::move(*target), {}, {}});
      fuzzed.runners = runners(fuzzed.target.kernel);
      std::error_code ignored;
      if (fs::is_directory(options_.cases, ignored))
        if (const auto taken = import_cases(options_.cases, fuzzed.target, state_.of(asked).corpus); !taken)
          return tl::unexpected(taken.error());
      auto records = state_.findings(fuzzed.target);
      if (!records) return tl::unexpected(records.error());
      for (Record& record : *records) fuzzed.records.emplace(record.name, std::move(record));
    }
    return {};
  }

  CampaignReport run() {
    log({{"event", "begun"}, {"jobs", options_.jobs}, {"seed", options_.seed}});
    std::thread triage([this] { triage_all(); });
    CampaignReport report;
    while (report.ended_by.empty()) {
      if (const auto turned = engines_.turn(); !turned) {
        report.ended_by = turned.error().message;
        report.failed = true;
        break;
      }
      report.ended_by = over();
      show(false);
      if (report.ended_by.empty()) std::this_thread::sleep_for(kTick);
    }
    engines_.stop();
    ending_ = true;
    while (!triaged_) {
      show(false);
      std::this_thread::sleep_for(kTick);
    }
    triage.join();
    show(true);
    if (!failure_.empty()) {
      report.failed = true;
      report.ended_by = failure_;
    }
    log({{"event", "ended"}, {"by", report.ended_by}});
    report.statistics = statistics();
    for (Fuzzed& fuzzed : fuzzed_) {
      std::vector<Record> records;
      for (auto& [name, record] : fuzzed.records) records.push_back(std::move(record));
      report.findings.emplace_back(std::move(fuzzed.target), std::move(records));
    }
    return report;
  }

 private:
  struct Fuzzed {
    Target target;
    RunnerFactory runners;
    std::map<std::string, Record> records;  // by name
  };

  bool interrupted() const { return options_.stop && *options_.stop; }

  // Why it is over; empty where it is not.
  std::string over() {
    if (interrupted()) return "interrupted";
    const auto now = Clock::now();
    if (options_.time && now - start_ >= *options_.time) return "time";
    if (engines_.done()) return "runs";
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) return failure_;
    if (options_.findings && new_findings_ >= *options_.findings) return "findings";
    if (options_.plateau) {
      const Clock::time_point newest = std::max({start_, last_finding_, last_feature()});
      if (now - newest >= *options_.plateau) return "plateau";
    }
    return "";
  }

  Clock::time_point last_feature() const {
    std::int64_t newest = 0;
    for (const Totals& totals : engines_.totals()) newest = std::max(newest, totals.last_feature);
    return Clock::time_point(std::chrono::milliseconds(newest));
  }

  // --- triage, in a thread of its own -----------------------------------------------------------------

  void triage_all() {
    for (Fuzzed& fuzzed : fuzzed_) recheck_all(fuzzed);
    while (!failed_) {
      const bool last_look = ending_;
      bool any = false;
      for (Fuzzed& fuzzed : fuzzed_)
        for (const fs::path& file : state_.reports(fuzzed.target.asked)) {
          if (interrupted() || failed_) break;
          any = true;
          triage_one(fuzzed, file);
        }
      if (interrupted() || (last_look && !any)) break;
      if (!any) std::this_thread::sleep_for(kTick);
    }
    triaged_ = true;
  }

  // What became of old findings on the kernel as it is now.
  void recheck_all(Fuzzed& fuzzed) {
    for (auto& [name, record] : fuzzed.records) {
      if (interrupted()) return;
      const State now = recheck(record, fuzzed.target, fuzzed.runners);
      if (now == record.state) continue;
      Record changed = record;
      changed.state = now;
      changed.kernel_hash = fuzzed.target.kernel.content_hash;
      keep(fuzzed, std::move(changed));
    }
  }

  void triage_one(Fuzzed& fuzzed, const fs::path& file) {
    const auto raw = read_report(file, fuzzed.target);
    std::error_code ignored;
    if (!raw) {
      log({{"event", "unreadable report"}, {"why", raw.error().message}});
      fs::remove(file, ignored);
      return;
    }
    const std::string name = name_of(fuzzed.target, *raw->gate, raw->signature);
    const auto known = fuzzed.records.find(name);
    if (known != fuzzed.records.end() && known->second.state != State::fixed &&
        known->second.state != State::flaky) {
      Record again = known->second;
      ++again.hits;
      again.last_seen = utc_now();
      keep(fuzzed, std::move(again));
      fs::remove(file, ignored);
      return;
    }
    set_activity(fmt::format("triaging {}", raw->signature));
    TriageOptions triage_options{options_.shrink, options_.stop};
    if (ending_) triage_options.shrink.time = std::min(triage_options.shrink.time, kLateShrink);
    Record record =
        triage(raw->test, *raw->gate, raw->signature, fuzzed.target, fuzzed.runners, triage_options);
    set_activity("");
    if (record.state == State::fresh) {
      // Interrupted: the report waits for the next command. Otherwise no worker could be started.
      if (!interrupted()) fail(fmt::format("{}: cannot be confirmed: no worker starts", raw->signature));
      return;
    }
    if (known != fuzzed.records.end()) {
      const Record& old = known->second;
      record.first_seen = old.first_seen;
      record.hits = old.hits + 1;
      record.executions = old.executions;
      record.seconds = old.seconds;
      if (old.state == State::fixed && record.state == State::confirmed) record.state = State::regressed;
    } else {
      const Statistics now = statistics();
      record.executions = now.executions;
      record.seconds = now.total_seconds;
    }
    const bool fresh = known == fuzzed.records.end() || known->second.state != record.state;
    const bool filed = keep(fuzzed, record);
    if (!filed) return;
    fs::remove(file, ignored);
    if (!fresh) return;
    log({{"event", "finding"},
         {"name", record.name},
         {"state", assay::fuzz::name(record.state)},
         {"signature", record.signature},
         {"executions", record.executions}});
    {
      const std::lock_guard lock(mutex_);
      ++new_findings_;
      last_finding_ = Clock::now();
    }
    if (events_.on_finding) events_.on_finding(record, fuzzed.target);
  }

  bool keep(Fuzzed& fuzzed, Record record) {
    const auto filed = state_.file(record, fuzzed.target, fuzzed.runners);
    if (!filed) {
      fail(filed.error().message);
      return false;
    }
    const std::lock_guard lock(mutex_);
    const std::string name = record.name;
    fuzzed.records.insert_or_assign(name, std::move(record));
    return true;
  }

  void fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = why;
    failed_ = true;
  }
  void set_activity(std::string text) {
    const std::lock_guard lock(mutex_);
    activity_ = std::move(text);
  }

  // --- statistics -------------------------------------------------------------------------------------

  Statistics statistics() {
    const std::lock_guard lock(statistics_mutex_);
    return newest_;
  }

  Statistics count() {
    const auto now = Clock::now();
    Statistics s;
    Totals sum;
    for (const Totals& totals : engines_.totals()) sum.add(totals);
    s.seconds = seconds(now - start_);
    s.total_seconds = base_.seconds + s.seconds;
    s.executions = base_.executions + static_cast<std::int64_t>(sum.executions);
    s.runs = base_.runs + static_cast<std::int64_t>(sum.runs);
    s.outside = base_.outside + static_cast<std::int64_t>(sum.outside);
    s.restarts = base_.restarts + static_cast<std::int64_t>(sum.restarts);
    rates_.emplace_back(now, s.executions);
    while (rates_.size() > 2 && now - rates_.front().first > kRateWindow) rates_.pop_front();
    const double span = seconds(now - rates_.front().first);
    if (span > 0) s.executions_per_second = static_cast<double>(s.executions - rates_.front().second) / span;
    for (const TargetOptions& kernel : options_.kernels) {
      s.corpus += files_in(state_.of(kernel).corpus);
      s.waiting += static_cast<int>(state_.reports(kernel).size());
    }
    for (std::size_t f = 0; f < sum.features.size(); ++f) {
      s.by_family[f] = static_cast<std::int64_t>(sum.features[f]);
      s.features += s.by_family[f];
    }
    if (sum.last_feature > 0)
      s.since_feature = seconds(now - Clock::time_point(std::chrono::milliseconds(sum.last_feature)));
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
      return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    s.kernel_share = share(sum.kernel_ns, sum.total_ns);
    s.oracle_share = share(sum.oracle_ns, sum.total_ns);
    s.mpfr_share = share(sum.by_mpfr, sum.elements);
    s.undecidable = static_cast<std::int64_t>(sum.undecidable);
    s.stability = sum.checked == 0 ? 1 : share(sum.stable, sum.checked);
    for (std::size_t m = 0; m < mutators().size(); ++m)
      s.mutators.push_back({std::string(mutators()[m].name), static_cast<std::int64_t>(sum.tried[m]),
                            static_cast<std::int64_t>(sum.yielded[m])});
    std::stable_sort(s.mutators.begin(), s.mutators.end(), [](const auto& a, const auto& b) {
      return a.yielded * std::max<std::int64_t>(b.tried, 1) > b.yielded * std::max<std::int64_t>(a.tried, 1);
    });
    const std::lock_guard lock(mutex_);
    s.activity = activity_;
    if (last_finding_ != Clock::time_point{}) s.since_finding = seconds(now - last_finding_);
    for (const Fuzzed& fuzzed : fuzzed_)
      for (const auto& [name, record] : fuzzed.records) ++s.findings[record.state];
    s.advice = advise(s);
    return s;
  }

  void show(bool last) {
    const auto now = Clock::now();
    if (!last && now - shown_ < kReport) return;
    shown_ = now;
    const Statistics s = count();
    {
      const std::lock_guard lock(statistics_mutex_);
      newest_ = s;
    }
    if (const auto written = write_file(state_.path() / "stats.json", to_json(s) + "\n"); !written)
      fail(written.error().message);
    if (last || now - plotted_ >= kPlot) {
      plotted_ = now;
      plot(s);
    }
    if (events_.on_statistics) events_.on_statistics(s);
  }

  void plot(const Statistics& s) const {
    std::error_code missing;
    if (const auto size = fs::file_size(state_.path() / "plot.csv", missing); missing || size == 0)
      state_.plot("seconds,executions,executions_per_second,corpus,features,findings,stability");
    int findings = 0;
    for (const auto& [state, n] : s.findings) findings += n;
    state_.plot(fmt::format("{:.1f},{},{:.1f},{},{},{},{:.3f}", s.total_seconds, s.executions,
                            s.executions_per_second, s.corpus, s.features, findings, s.stability));
  }

  void log(nlohmann::ordered_json event) const {
    event["time"] = utc_now();
    state_.log(event.dump());
  }

  const CampaignOptions& options_;
  const CampaignEvents& events_;
  const StateFolder state_;
  Engines engines_;
  const Base base_;
  const Clock::time_point start_ = Clock::now();
  std::vector<Fuzzed> fuzzed_;
  std::deque<std::pair<Clock::time_point, std::int64_t>> rates_;
  Clock::time_point shown_{}, plotted_{};

  std::atomic<bool> ending_{false}, triaged_{false}, failed_{false};
  std::mutex statistics_mutex_;
  Statistics newest_;
  std::mutex mutex_;  // guards what follows, and the records
  std::string failure_, activity_;
  int new_findings_ = 0;
  Clock::time_point last_finding_{};
};

}  // namespace

Expected<CampaignReport> run(const CampaignOptions& options, const CampaignEvents& events) {
  auto state = StateFolder::open(options.state, options.kernels);
  if (!state) return tl::unexpected(state.error());
  Campaign campaign(options, events, std::move(*state));
  if (const auto prepared = campaign.prepare(); !prepared) return tl::unexpected(prepared.error());
  return campaign.run();
}

}  // namespace assay::fuzz
