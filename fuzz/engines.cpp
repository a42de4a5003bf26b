#include "fuzz/engines.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/file.h"
#include "core/random.h"

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestTurn{30};
constexpr int kMostFailures = 3;

bool has_ended(const Process& process) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process.pid()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == process.pid();
}

std::string end_of(const std::filesystem::path& log) {
  const auto text = read_file(log);
  if (!text || text->empty()) return "it says nothing";
  constexpr std::size_t kShown = 600;
  std::string end = text->substr(text->size() - std::min(text->size(), kShown));
  while (end.ends_with('\n')) end.pop_back();
  return end;
}

}  // namespace

void Totals::add(const EngineNumbers& n) {
  executions += n.executions;
  outside += n.outside;
  runs += n.runs;
  restarts += n.restarts;
  kernel_ns += n.kernel_ns;
  oracle_ns += n.oracle_ns;
  total_ns += n.total_ns;
  entries += n.entries;
  findings += n.findings;
  elements += n.elements;
  by_mpfr += n.by_mpfr;
  undecidable += n.undecidable;
  checked += n.checked;
  stable += n.stable;
  last_feature = std::max<std::int64_t>(last_feature, n.last_feature);
  for (std::size_t i = 0; i < features.size(); ++i)
    features[i] = std::max<std::uint64_t>(features[i], n.features[i]);
  for (std::size_t i = 0; i < tried.size(); ++i) {
    tried[i] += n.tried[i];
    yielded[i] += n.yielded[i];
  }
}

void Totals::add(const Totals& n) {
  executions += n.executions;
  outside += n.outside;
  runs += n.runs;
  restarts += n.restarts;
  kernel_ns += n.kernel_ns;
  oracle_ns += n.oracle_ns;
  total_ns += n.total_ns;
  entries += n.entries;
  findings += n.findings;
  elements += n.elements;
  by_mpfr += n.by_mpfr;
  undecidable += n.undecidable;
  checked += n.checked;
  stable += n.stable;
  last_feature = std::max(last_feature, n.last_feature);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] += n.features[i];
  for (std::size_t i = 0; i < tried.size(); ++i) {
    tried[i] += n.tried[i];
    yielded[i] += n.yielded[i];
  }
}

Engines::Engines(const CampaignOptions& options, const StateFolder& state)
    : options_(options), state_(state), retired_(options.kernels.size()) {
  if (!options.runs) return;
  // As many tasks as engines or kernels, whichever are more, each with its share.
  const std::size_t kernels = options.kernels.size();
  const std::size_t tasks = std::max(kernels, static_cast<std::size_t>(options.jobs) / kernels * kernels);
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::int64_t n = static_cast<std::int64_t>(tasks);
    const std::int64_t share = *options.runs / n + (static_cast<std::int64_t>(i) < *options.runs % n ? 1 : 0);
    if (share > 0) tasks_.push_back({i % kernels, share});
  }
}

std::optional<Engines::Task> Engines::next_task() {
  if (!options_.runs) return Task{turns_++ % options_.kernels.size(), -1};
  if (tasks_.empty()) return std::nullopt;
  const Task task = tasks_.front();
  tasks_.pop_front();
  return task;
}

bool Engines::turn_is_over(const Running& engine) const {
  if (options_.runs || options_.kernels.size() <= static_cast<std::size_t>(options_.jobs)) return false;
  std::chrono::milliseconds turn = kLongestTurn;
  if (options_.time) {
    const auto turns = (options_.kernels.size() + static_cast<std::size_t>(options_.jobs) - 1) /
                       static_cast<std::size_t>(options_.jobs);
    turn = std::min(turn, *options_.time / static_cast<std::int64_t>(turns));
  }
  return Clock::now() - engine.since >= turn;
}

Expected<Engines::Running> Engines::start(const Task& task) {
  const auto program = engine_program();
  if (!program) return tl::unexpected(program.error());
  auto numbers = Numbers::create();
  if (!numbers) return tl::unexpected(numbers.error());
  const TargetOptions& target = options_.kernels[task.kernel];
  const KernelState folders = state_.of(target);

  EngineOptions options;
  options.target = target;
  options.corpus = folders.corpus;
  options.inbox = folders.inbox;
  options.seed = started_ == 0 ? options_.seed : mix(options_.seed ^ mix(started_));
  options.runs = task.runs;
  options.families = options_.families;
  options.seeded = options_.seeded;
  options.raw = options_.raw;
  const std::filesystem::path file = folders.folder / fmt::format("engine-{}.json", started_);
  const std::filesystem::path log = folders.folder / fmt::format("engine-{}.log", started_);
  if (const auto written = write_file(file, to_json(options)); !written)
    return tl::unexpected(written.error());
  const Fd output(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!output) return infrastructure_error("{}: {}", log.string(), std::strerror(errno));

  Command command;
  command.arguments = {program->string(), file.string()};
  command.fds = {{numbers->fd(), kNumbersFd}, {output.get(), 1}, {output.get(), 2}};
  command.environment = {"ASSAY_CACHE", "ASSAY_LIBEXEC", "XDG_CACHE_HOME", "CUDA_VISIBLE_DEVICES", "TMPDIR"};
  auto process = Process::start(command);
  if (!process) return tl::unexpected(process.error());
  ++started_;
  return Running{task, std::move(*process), std::move(*numbers), log, Clock::now()};
}

void Engines::retire(const Running& engine) {
  retired_[engine.task.kernel].add(*engine.numbers);
  std::error_code ignored;
  for (const char* extension : {".json", ".log"})
    std::filesystem::remove(std::filesystem::path(engine.log).replace_extension(extension), ignored);
}

Expected<void> Engines::turn() {
  for (std::size_t i = 0; i < running_.size();) {
    Running& engine = running_[i];
    const bool ended = has_ended(engine.process);
    if (!ended && !turn_is_over(engine)) {
      ++i;
      continue;
    }
    const bool idle = engine.numbers->executions == 0;
    const int status = ended ? engine.process.wait() : 0;
    engine.process.stop();
    failures_ = ended && status != 0 && idle ? failures_ + 1 : 0;
    const bool cannot_go_on = ended && WIFEXITED(status) && WEXITSTATUS(status) == 3;
    if (failures_ >= kMostFailures || cannot_go_on)
      return infrastructure_error("an engine ended: {}", end_of(engine.log));
    retire(engine);
    // What a task lost by an early end is done again.
    const auto done = static_cast<std::int64_t>(engine.numbers->executions);
    if (ended && status != 0 && engine.task.runs > done)
      tasks_.push_back({engine.task.kernel, engine.task.runs - done});
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  while (running_.size() < static_cast<std::size_t>(options_.jobs)) {
    const auto task = next_task();
    if (!task) break;
    auto engine = start(*task);
    if (!engine) return tl::unexpected(engine.error());
    running_.push_back(std::move(*engine));
  }
  return {};
}

bool Engines::done() const {
  return options_.runs && tasks_.empty() && running_.empty();
}

void Engines::stop() {
  for (Running& engine : running_) {
    engine.process.stop();
    retire(engine);
  }
  running_.clear();
}

std::vector<Totals> Engines::totals() const {
  std::vector<Totals> result = retired_;
  for (const Running& engine : running_) result[engine.task.kernel].add(*engine.numbers);
  return result;
}

}  // namespace assay::fuzz
