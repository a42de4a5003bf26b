#include "fuzz/state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/random.h"
#include "core/reproducer.h"
#include "core/text.h"
#include "fuzz/standalone.h"
#include "kernels/process.h"
#include "properties/saved_case.h"

namespace assay::fuzz {
namespace fs = std::filesystem;
namespace {

using nlohmann::ordered_json;

constexpr int kVersion = 1;

std::string_view name(Executor executor) {
  return executor == Executor::cuda ? "cuda" : "cpu";
}

// What makes one campaign another; paths as seen from the folder, so that both may move together.
ordered_json identity(const fs::path& folder, const TargetOptions& kernel) {
  const bool file = kernel.contract.ends_with(".contract");
  return {{"kernel", path_seen_from(folder, kernel.kernel).string()},
          {"contract", file ? path_seen_from(folder, kernel.contract).string() : kernel.contract},
          {"bind", kernel.bind},
          {"where", kernel.where},
          {"allow", kernel.allow},
          {"dtype", kernel.dtype},
          {"executor", name(kernel.executor)}};
}

// "softmax.cu --contract softmax --where cols<=64", for people.
std::string words(const ordered_json& identity) {
  std::string text = identity.value("kernel", "");
  for (const char* key : {"contract", "bind", "where", "allow", "dtype"})
    if (const std::string value = identity.value(key, ""); !value.empty())
      text += fmt::format(" --{} {}", key, value);
  if (identity.value("executor", "cpu") != "cpu") text += " --executor cuda";
  return text;
}

std::string words(const std::vector<ordered_json>& kernels) {
  std::vector<std::string> parts;
  for (const ordered_json& kernel : kernels) parts.push_back(words(kernel));
  return join(parts, ", ");
}

// The folders of a campaign's kernels: two of one name are told apart by their numbers.
std::vector<KernelState> folders_of(const fs::path& folder, const std::vector<ordered_json>& kernels) {
  std::vector<std::string> names;
  std::vector<KernelState> folders;
  for (const ordered_json& kernel : kernels) {
    std::string name = fs::path(kernel.value("kernel", "")).stem().string();
    if (std::find(names.begin(), names.end(), name) != names.end())
      name += fmt::format("-{}", names.size() + 1);
    const fs::path own = folder / name;
    folders.push_back({own, own / "corpus", own / "inbox", own / "findings", own / "regressions"});
    names.push_back(std::move(name));
  }
  return folders;
}

TargetOptions options_of(const fs::path& folder, const ordered_json& identity) {
  const auto resolved = [&](const fs::path& path) {
    return path.is_absolute() ? path : (folder / path).lexically_normal();
  };
  TargetOptions options;
  options.kernel = resolved(identity.value("kernel", ""));
  options.contract = identity.value("contract", "");
  if (options.contract.ends_with(".contract")) options.contract = resolved(options.contract).string();
  options.bind = identity.value("bind", "");
  options.where = identity.value("where", "");
  options.allow = identity.value("allow", "");
  options.dtype = identity.value("dtype", "");
  if (identity.value("executor", "") == name(Executor::cuda)) options.executor = Executor::cuda;
  return options;
}

Expected<std::vector<ordered_json>> kernels_in(const fs::path& file) {
  const Expected<std::string> text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  const ordered_json json = ordered_json::parse(*text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || json.value("version", 0) != kVersion ||
      !json.contains("kernels") || !json["kernels"].is_array())
    return usage_error("{}: not the description of a campaign; name another folder with --state",
                       file.string());
  return std::vector<ordered_json>(json["kernels"].begin(), json["kernels"].end());
}

Expected<Fd> lock(const fs::path& folder) {
  const fs::path file = folder / "lock";
  Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!fd) return infrastructure_error("{}: {}", file.string(), std::strerror(errno));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return infrastructure_error("{}: {}", file.string(), std::strerror(errno));
    const Expected<std::string> holder = read_file(file);
    const std::string who(holder && !trim(*holder).empty() ? trim(*holder) : "unknown");
    return usage_error(
        "{} is in use by another campaign (process {}); wait for its end, or name another folder with "
        "--state",
        folder.string(), who);
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), pid.data(), pid.size(), 0) < 0)
    return infrastructure_error("{}: {}", file.string(), std::strerror(errno));
  return fd;
}

// The process that made ".assay-PID-N.tmp" (core/file.h); 0 for any other name.
pid_t writer_of(const std::string& file) {
  constexpr std::string_view kPrefix = ".assay-";
  pid_t pid = 0;
  if (file.starts_with(kPrefix) && file.ends_with(".tmp"))
    std::from_chars(file.data() + kPrefix.size(), file.data() + file.size(), pid);
  return pid;
}

// What killed processes left behind.
void remove_temporaries(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, ignored)) {
    const pid_t pid = writer_of(entry.path().filename().string());
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) left.push_back(entry.path());
  }
  for (const fs::path& file : left) fs::remove(file, ignored);
}

// A line that a kill cut short is dropped.
Expected<void> drop_torn_line(const fs::path& file) {
  std::error_code missing;
  if (!fs::exists(file, missing)) return {};
  const Expected<std::string> text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  const std::size_t whole = text->empty() ? 0 : text->rfind('\n') + 1;  // npos + 1 is 0
  if (whole == text->size()) return {};
  std::error_code failure;
  fs::resize_file(file, whole, failure);
  if (failure) return infrastructure_error("{}: {}", file.string(), failure.message());
  return {};
}

Expected<void> append(const fs::path& file, std::string text) {
  text += '\n';
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return infrastructure_error("{}: {}", file.string(), std::strerror(errno));
  return {};
}

}  // namespace

struct StateFolder::Impl {
  fs::path folder;
  Fd lock;
  std::vector<std::string> identities;  // as dumped, by kernel
  std::vector<KernelState> kernels;     // likewise
};

StateFolder::StateFolder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StateFolder::StateFolder(StateFolder&&) noexcept = default;
StateFolder::~StateFolder() = default;

const fs::path& StateFolder::path() const {
  return impl_->folder;
}

Expected<StateFolder> StateFolder::open(const fs::path& folder, const std::vector<TargetOptions>& kernels) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return usage_error("--state: {}: {}", folder.string(), failure.message());
  auto impl = std::make_unique<Impl>();
  impl->folder = folder;

  std::vector<ordered_json> asked;
  for (const TargetOptions& kernel : kernels) asked.push_back(identity(folder, kernel));
  Expected<Fd> held = lock(folder);
  if (!held) return tl::unexpected(held.error());
  impl->lock = std::move(*held);

  const fs::path description = folder / "campaign.json";
  if (fs::exists(description)) {
    const auto known = kernels_in(description);
    if (!known) return tl::unexpected(known.error());
    if (*known != asked)
      return usage_error("--state: {} belongs to another campaign: {}; asked for: {}; name another folder",
                         folder.string(), words(*known), words(asked));
  } else {
    const ordered_json json = {{"version", kVersion}, {"kernels", asked}};
    const Expected<void> written = write_file(description, json.dump(2) + "\n");
    if (!written) return tl::unexpected(written.error());
  }

  for (const ordered_json& kernel : asked) impl->identities.push_back(kernel.dump());
  impl->kernels = folders_of(folder, asked);
  for (const char* lines : {"log.jsonl", "plot.csv"})
    if (const Expected<void> whole = drop_torn_line(folder / lines); !whole)
      return tl::unexpected(whole.error());
  remove_temporaries(folder);
  StateFolder state(std::move(impl));
  for (const TargetOptions& kernel : kernels) {
    const KernelState of = state.of(kernel);
    for (const fs::path& part : {of.corpus, of.inbox, of.findings, of.regressions}) {
      fs::create_directories(part, failure);
      if (failure) return infrastructure_error("{}: {}", part.string(), failure.message());
    }
  }
  return state;
}

KernelState StateFolder::of(const TargetOptions& kernel) const {
  const auto at =
      std::find(impl_->identities.begin(), impl_->identities.end(), identity(impl_->folder, kernel).dump());
  assert(at != impl_->identities.end());
  return impl_->kernels[static_cast<std::size_t>(at - impl_->identities.begin())];
}

Expected<std::vector<std::pair<TargetOptions, KernelState>>> StateFolder::kernels_of(const fs::path& folder) {
  const auto known = kernels_in(folder / "campaign.json");
  if (!known) return tl::unexpected(known.error());
  const std::vector<KernelState> folders = folders_of(folder, *known);
  std::vector<std::pair<TargetOptions, KernelState>> result;
  for (std::size_t i = 0; i < known->size(); ++i)
    result.emplace_back(options_of(folder, (*known)[i]), folders[i]);
  return result;
}

Expected<std::vector<Record>> StateFolder::findings(const Target& target) const {
  std::vector<fs::path> files;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(of(target.asked).findings, failure))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (failure) return infrastructure_error("{}: {}", of(target.asked).findings.string(), failure.message());
  std::sort(files.begin(), files.end());
  std::vector<Record> records;
  for (const fs::path& file : files) {
    const Expected<std::string> text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    Expected<Record> record = parse_record(*text, file.string(), target);
    if (!record) return tl::unexpected(record.error());
    records.push_back(std::move(*record));
  }
  return records;
}

std::vector<fs::path> StateFolder::reports(const TargetOptions& kernel) const {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(of(kernel).inbox, ignored))
    if (entry.path().extension() == ".case") files.emplace_back(entry.last_write_time(ignored), entry.path());
  std::sort(files.begin(), files.end());
  std::vector<fs::path> result;
  for (auto& [time, file] : files) result.push_back(std::move(file));
  return result;
}

Expected<void> StateFolder::file(const Record& record, const Target& target,
                                 const RunnerFactory& runners) const {
  const KernelState where = of(target.asked);
  const Gate* gate = find_gate(record.gate);
  assert(gate != nullptr);
  const Signature& signature = target.subject.contract.signature();
  const auto case_in = [&](const fs::path& folder) {
    return write_file(
        folder / (record.name + ".case"),
        print(reproducer_of(folder, target, *gate, record.signature, record.verdict, record.shrunk),
              signature));
  };
  // The record comes last: what it names is there. A repaired finding keeps the program that it had.
  if (const auto written = case_in(where.findings); !written) return written;
  if (record.state == State::fixed) {
    if (const auto written = case_in(where.regressions); !written) return written;
  } else if (record.state != State::fresh) {
    const Expected<std::string> program = standalone(record, target, runners, where.findings);
    if (!program) {
      log(ordered_json({{"time", utc_now()},
                        {"event", "no program"},
                        {"finding", record.name},
                        {"reason", program.error().message}})
              .dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    } else if (const auto written = write_file(where.findings / (record.name + ".cu"), *program); !written) {
      return written;
    }
  }
  return write_file(where.findings / (record.name + ".json"), to_json(record, target));
}

void StateFolder::log(std::string_view json_line) const {
  (void)append(impl_->folder / "log.jsonl", std::string(json_line));
}

void StateFolder::plot(std::string_view csv_line) const {
  (void)append(impl_->folder / "plot.csv", std::string(csv_line));
}

}  // namespace assay::fuzz
