// assay-fuzz-engine OPTIONS.json: libFuzzer over the Cases of one kernel. fuzz/engine.h has the picture.

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <set>
#include <unordered_set>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/codec.h"
#include "core/file.h"
#include "fuzz/engine.h"
#include "fuzz/finding.h"
#include "fuzz/mutate.h"
#include "properties/generate.h"

extern "C" int LLVMFuzzerRunDriver(int* count, char*** values,
                                   int (*run)(const std::uint8_t* data, std::size_t size));

// libFuzzer clears them before an execution and reads them after it. Not static: nothing here reads them, and
// a compiler would drop them with all that is written to them.
extern "C" {
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t g_counters[assay::fuzz::kCounters];
extern std::uint8_t __start___libfuzzer_extra_counters[] __attribute__((weak));
extern std::uint8_t __stop___libfuzzer_extra_counters[] __attribute__((weak));
}

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kLongestInput = 1024;
constexpr std::chrono::seconds kBetweenLooks{1};  // at what other engines put into the corpus
constexpr int kMostFailures = 3;                  // of workers that cannot be started, in a row
constexpr std::uint64_t kStabilityEvery = 4;      // new entries
// Of so many children one is no child but what a gate draws, the gates in turns by their weights. Their draws
// are good: where nothing guides, a campaign is then hardly worse than `assay check` without end.
constexpr unsigned kDrawnEvery = 4;
constexpr unsigned kCrossedEvery = 4;  // of the children that libFuzzer would have crossed, which are half

std::uint64_t nanoseconds(Clock::duration d) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
}

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::fflush(nullptr);
  std::_Exit(3);
}

class Engine {
 public:
  Engine(EngineOptions options, Target target, std::unique_ptr<Runner> runner, Numbers numbers)
      : options_(std::move(options)),
        target_(std::move(target)),
        runner_(std::move(runner)),
        menu_(target_.subject),
        battery_(menu_, *runner_),
        numbers_(std::move(numbers)) {
    for (const Menu::Entry& entry : menu_.gates())
      for (int k = 0; k < entry.gate->weight; ++k) turns_.push_back(entry.gate);
    look_at_corpus();
    if (queue_.empty() && options_.seeded)
      for (const Case& c : seeds(menu_, options_.seed)) queue_.push_back(encode(c));
  }

  const EngineOptions& options() const { return options_; }

  int run(const std::uint8_t* data, std::size_t size) {
    const std::span input(reinterpret_cast<const std::byte*>(data), size);
    const Case c = decode(input, target_.subject.contract.signature());
    const Observation seen = battery_.observe(c, [this, &c](const Observation& first) {
      return std::ranges::any_of(features(c, first, options_.families),
                                 [this](std::uint32_t index) { return !known_[index]; });
    });
    const std::vector<std::uint32_t> found = features(c, seen, options_.families);
    for (const std::uint32_t index : found) g_counters[index] = 1;
    // libFuzzer gives up where its first input, which is empty, shows nothing.
    g_counters[kCounters - 1] = 1;
    const bool fresh = note(found);
    if (branched_) trunk_.push_back(encode(c));
    const bool mutated = !imported_ && std::ranges::equal(input, child_);
    if (mutated) {
      for (const std::uint8_t m : used_) add(numbers_->tried[m], 1);
      if (fresh)
        for (const std::uint8_t m : used_) add(numbers_->yielded[m], 1);
    }
    if (fresh) keep(c, found);
    count(seen);
    if (seen.gate != nullptr) file(c, seen);
    const auto now = Clock::now();
    add(numbers_->total_ns, nanoseconds(now - last_));
    last_ = now;
    return 0;
  }

  std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    if (Clock::now() - looked_ >= kBetweenLooks) look_at_corpus();
    if (const std::size_t n = import(data, most); n > 0) return n;
    if (const std::size_t n = draw(data, most, seed); n > 0) return n;
    std::span<const std::byte> chosen(reinterpret_cast<const std::byte*>(data), size);
    if (!trunk_.empty() && mix(seed ^ 1) % 2 != 0) chosen = trunk_[mix(seed ^ 2) % trunk_.size()];
    const Case parent = decode(chosen, target_.subject.contract.signature());
    return put(fuzz::mutate(parent, menu_, seed, used_), data, size, most);
  }

  std::size_t cross(std::span<const std::byte> a, std::span<const std::byte> b, std::uint8_t* out,
                    std::size_t most, unsigned seed) {
    if (a.size() > most || mix(mix(seed)) % kCrossedEvery != 0) {
      const std::size_t size = std::min(a.size(), most);
      std::copy_n(a.begin(), size, reinterpret_cast<std::byte*>(out));
      return mutate(out, size, most, seed);
    }
    if (const std::size_t n = import(out, most); n > 0) return n;
    if (const std::size_t n = draw(out, most, seed); n > 0) return n;
    const Signature& signature = target_.subject.contract.signature();
    used_.clear();
    return put(fuzz::cross(decode(a, signature), decode(b, signature), menu_, seed), out, 0, most);
  }

 private:
  static void add(std::atomic<std::uint64_t>& number, std::uint64_t n) {
    number.store(number.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }

  // The next one of the queue; 0 where none is left.
  std::size_t import(std::uint8_t* out, std::size_t most) {
    imported_ = !queue_.empty() && queue_.front().size() <= most;
    if (!queue_.empty()) {
      child_ = std::move(queue_.front());
      queue_.pop_front();
    }
    if (!imported_) return 0;
    std::copy(child_.begin(), child_.end(), reinterpret_cast<std::byte*>(out));
    return child_.size();
  }

  // What the gate whose turn it is draws; 0 where it is not the time for that.
  std::size_t draw(std::uint8_t* out, std::size_t most, unsigned seed) {
    if (turns_.empty() || mix(seed) % kDrawnEvery != 0) return 0;
    constexpr int kAttempts = 8;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const Gate& gate = *turns_[drawn_ % turns_.size()];
      const Case c = draw_case(target_.subject, gate, mix(options_.seed ^ mix(seed)), drawn_++);
      if (!menu_.affordable(c)) continue;
      used_ = {mutator_drawn()};
      return put(c, out, 0, most);
    }
    return 0;
  }

  std::size_t put(const Case& c, std::uint8_t* out, std::size_t size, std::size_t most) {
    child_ = encode(c);
    if (child_.size() > most) return size;
    std::copy(child_.begin(), child_.end(), reinterpret_cast<std::byte*>(out));
    return child_.size();
  }

  // Whether a feature is among them that this engine has not seen.
  bool note(const std::vector<std::uint32_t>& found) {
    bool fresh = false;
    branched_ = false;
    for (const std::uint32_t index : found) {
      if (known_[index]) continue;
      known_[index] = true;
      fresh = true;
      branched_ |= family_of(index) == Family::branches;
      add(numbers_->features[static_cast<std::size_t>(family_of(index))], 1);
    }
    return fresh;
  }

  void count(const Observation& seen) {
    add(numbers_->executions, 1);
    if (!seen.in_domain) add(numbers_->outside, 1);
    numbers_->runs.store(static_cast<std::uint64_t>(battery_.runs()), std::memory_order_relaxed);
    if (seen.outcome == Outcome::crashed || seen.outcome == Outcome::hung) add(numbers_->restarts, 1);
    add(numbers_->kernel_ns, seen.kernel_nanoseconds);
    add(numbers_->oracle_ns, seen.oracle_nanoseconds);
    for (const OutputReport& report : seen.outputs) {
      add(numbers_->elements, static_cast<std::uint64_t>(report.judged));
      add(numbers_->by_mpfr, static_cast<std::uint64_t>(report.by_mpfr));
      add(numbers_->undecidable, static_cast<std::uint64_t>(report.undecidable));
    }
    failures_ = seen.broken ? failures_ + 1 : 0;
    if (failures_ > 0) runner_->restart();
    if (failures_ >= kMostFailures) give_up(seen.verdict.evidence.detail);
  }

  // A case with a feature that is new: into the corpus, and now and then run again.
  void keep(const Case& c, const std::vector<std::uint32_t>& found) {
    const Bytes bytes = encode(c);
    const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
    const std::string name = fmt::format("{:016x}{:016x}", h.high64, h.low64);
    if (!files_.insert(name).second) return;  // as on a resumed campaign
    write_entry(name, bytes);
    add(numbers_->entries, 1);
    numbers_->last_feature.store(
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count());
    if (numbers_->entries % kStabilityEvery != 0) return;
    add(numbers_->checked, 1);
    if (features(c, battery_.observe(c), options_.families) == found) add(numbers_->stable, 1);
  }

  // Whole or not at all, whatever kills this process. The disk may lose it with the power; it is only a
  // guide.
  void write_entry(const std::string& name, const Bytes& bytes) const {
    const fs::path temporary = options_.corpus / fmt::format(".assay-{}-0.tmp", getpid());
    std::ofstream file(temporary, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    std::error_code error;
    if (file) fs::rename(temporary, options_.corpus / name, error);
    if (!file || error) give_up(fmt::format("{}: cannot be written", temporary.string()));
  }

  void look_at_corpus() {
    looked_ = Clock::now();
    std::error_code error;
    std::set<std::string> names;  // sorted: the order of the folder is none
    for (const auto& entry : fs::directory_iterator(options_.corpus, error)) {
      std::string name = entry.path().filename().string();
      if (!name.starts_with('.') && !files_.contains(name)) names.insert(std::move(name));
    }
    for (const std::string& name : names) {
      files_.insert(name);
      const auto text = read_file(options_.corpus / name);
      if (!text) continue;
      const auto* bytes = reinterpret_cast<const std::byte*>(text->data());
      queue_.emplace_back(bytes, bytes + text->size());
    }
  }

  void file(const Case& c, const Observation& seen) {
    if (numbers_->findings == 0) {
      numbers_->first_finding_ns.store(nanoseconds(Clock::now() - start_));
      numbers_->first_finding.store(numbers_->executions);
    }
    add(numbers_->findings, 1);
    const std::string signature =
        signature_of(c, *seen.gate, seen.verdict, target_.subject.contract.signature()).text;
    if (!reported_.insert(signature).second) return;
    const auto reported = report(options_.inbox, target_, *seen.gate, signature, seen.verdict, c);
    if (!reported) give_up(reported.error().message);
  }

  const EngineOptions options_;
  const Target target_;
  const std::unique_ptr<Runner> runner_;
  const Menu menu_;
  Battery battery_;
  Numbers numbers_;

  std::vector<const Gate*> turns_;  // to draw, as often as their weights
  std::uint64_t drawn_ = 0;
  std::bitset<kCounters> known_;
  std::unordered_set<std::string> files_;  // of the corpus, that this engine wrote or has read
  std::unordered_set<std::string> reported_;
  std::deque<Bytes> queue_;  // to be run as they are
  // Cases that took a new branch. Every second parent is one of them: the corpus has many more that only have
  // a new extent.
  std::vector<Bytes> trunk_;
  bool branched_ = false;           // the last execution did
  Bytes child_;                     // the mutator's last result
  std::vector<std::uint8_t> used_;  // the mutators that made it
  bool imported_ = false;           // it comes from the queue
  int failures_ = 0;
  Clock::time_point looked_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

Engine* g_engine = nullptr;  // libFuzzer's callbacks carry no context

Expected<Engine*> start(const char* file) {
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  auto options = engine_options(*text, file);
  if (!options) return tl::unexpected(options.error());
  options->target.branches = true;
  const auto planned = plan(options->target);
  if (!planned) return tl::unexpected(planned.error());
  auto target = build(*planned);
  if (!target) return tl::unexpected(target.error());
  auto runner = runners(target->kernel)();
  if (!runner) return tl::unexpected(runner.error());
  auto numbers = Numbers::open(kNumbersFd);
  if (!numbers) return tl::unexpected(numbers.error());
  // Lives as long as the process, which libFuzzer ends.
  return new Engine(std::move(*options), std::move(*target), std::move(*runner), std::move(*numbers));
}

std::vector<std::string> libfuzzer_flags(const EngineOptions& options) {
  std::vector<std::string> flags = {
      "assay-fuzz-engine",
      fmt::format("-seed={}", options.seed % 0x7fffffff + 1),
      fmt::format("-runs={}", options.runs),
      fmt::format("-max_len={}", kLongestInput),
      "-len_control=0",
      "-mutate_depth=1",  // a child of a draw is none of the corpus entry
      "-timeout=0",       // the workers have their deadlines
      "-rss_limit_mb=0",
      "-detect_leaks=0",
      "-verbosity=0",
  };
  for (const char* signal : {"segv", "bus", "abrt", "ill", "fpe", "int", "term", "xfsz", "usr1", "usr2"})
    flags.push_back(fmt::format("-handle_{}=0", signal));
  flags.insert(flags.end(), options.raw.begin(), options.raw.end());
  return flags;
}

}  // namespace
}  // namespace assay::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return assay::fuzz::g_engine->mutate(data, size, most, seed);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t most, unsigned seed) {
  const auto bytes = [](const std::uint8_t* data, std::size_t size) {
    return std::span(reinterpret_cast<const std::byte*>(data), size);
  };
  return assay::fuzz::g_engine->cross(bytes(data1, size1), bytes(data2, size2), out, most, seed);
}

int main(int count, char** values) {
  using namespace assay::fuzz;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (count != 2) {
    std::fprintf(stderr, "usage: %s OPTIONS.json, started by assay fuzz\n", values[0]);
    return 2;
  }
  const auto engine = start(values[1]);
  if (!engine) give_up(engine.error().message);
  g_engine = *engine;
  // Without them libFuzzer draws at random and says nothing.
  if (__stop___libfuzzer_extra_counters - __start___libfuzzer_extra_counters !=
      static_cast<std::ptrdiff_t>(kCounters))
    give_up("assay-fuzz-engine was linked without the counters that guide it");
  std::vector<std::string> flags = libfuzzer_flags(g_engine->options());
  std::vector<char*> pointers;
  for (std::string& flag : flags) pointers.push_back(flag.data());
  pointers.push_back(nullptr);
  int flag_count = static_cast<int>(flags.size());
  char** flag_values = pointers.data();
  return LLVMFuzzerRunDriver(&flag_count, &flag_values, [](const std::uint8_t* data, std::size_t size) {
    return g_engine->run(data, size);
  });
}
