#include "kernels/crash.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>

#include "core/text.h"
#include "kernels/sanitizer.h"

namespace assay {
namespace {

using namespace protocol;

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string call_name(std::uint32_t number) {
  static const std::map<std::uint32_t, const char*> names = {
      {SYS_fork, "fork"},     {SYS_vfork, "vfork"},     {SYS_clone, "fork"},      {SYS_execve, "execve"},
      {SYS_kill, "kill"},     {SYS_tkill, "tkill"},     {SYS_tgkill, "tgkill"},   {SYS_socket, "socket"},
      {SYS_ptrace, "ptrace"}, {SYS_unlink, "unlink"},   {SYS_unlinkat, "unlink"}, {SYS_rename, "rename"},
      {SYS_mkdir, "mkdir"},   {SYS_connect, "connect"},
  };
  const auto it = names.find(number);
  return it == names.end() ? fmt::format("number {}", number) : it->second;
}

std::string tensor_name(const CrashScene& scene, std::size_t k) {
  const Signature& s = scene.kernel->signature;
  return k < s.inputs.size() ? "input " + s.inputs[k].name : "output " + s.outputs[k - s.inputs.size()].name;
}

// distance: negative before the start, else from the end.
std::string beside(const std::string& tensor, std::int64_t distance) {
  if (distance < 0) return fmt::format("{} bytes before the start of {}", -distance, tensor);
  return fmt::format("{} bytes past the end of {}", distance, tensor);
}

// In terms of the nearest tensor.
std::string name_address(const CrashScene& scene, const std::uint64_t* addresses, std::uint64_t address) {
  std::uint64_t nearest = 4096;
  std::string result;
  for (std::size_t k = 0; k < scene.bytes.size(); ++k) {
    const std::uint64_t start = addresses[k];
    const std::uint64_t end = start + scene.bytes[k];
    if (start == 0) continue;
    if (address >= start && address < end) {
      return fmt::format("in {}, {} bytes from its start", tensor_name(scene, k), address - start);
    }
    const std::uint64_t distance = address < start ? start - address : address - end;
    if (distance >= nearest) continue;
    nearest = distance;
    result = beside(tensor_name(scene, k), address < start ? -static_cast<std::int64_t>(distance)
                                                           : static_cast<std::int64_t>(distance));
  }
  return result;
}

std::optional<std::string> inside_of_tensor(const CrashScene& scene, const std::uint64_t* addresses,
                                            std::uint64_t address) {
  for (std::size_t k = 0; k < scene.bytes.size(); ++k)
    if (addresses[k] != 0 && address >= addresses[k] && address < addresses[k] + scene.bytes[k])
      return fmt::format("{}, {} bytes from its start", tensor_name(scene, k), address - addresses[k]);
  return std::nullopt;
}

std::string last_lines(const std::string& log) {
  constexpr std::size_t kMost = 1500;
  const std::string_view text = trim(log);
  return std::string(text.size() <= kMost ? text : text.substr(text.size() - kMost));
}

}  // namespace

std::vector<Diagnostic> read_findings(Keeper& keeper, std::uint32_t bytes) {
  std::vector<Diagnostic> result;
  if (bytes == 0) return result;
  const std::string text(keeper.shared().header().text, std::min<std::size_t>(bytes, kTextBytes));
  for (const std::string& record : split(text, '\x1e')) {
    std::vector<std::string> fields = split(record, '\x1f');
    if (fields.size() == 3)
      result.push_back({std::move(fields[0]), std::move(fields[2]), std::move(fields[1])});
  }
  return result;
}

CrashReport explain(const Death& death, Keeper& keeper, const CrashScene& scene,
                    std::chrono::milliseconds deadline) {
  CrashReport report;
  Note note = keeper.shared().header().note;
  std::uint64_t addresses[kMostTensors];
  std::memcpy(addresses, keeper.shared().header().addresses, sizeof addresses);
  note.position[sizeof note.position - 1] = '\0';
  const std::string position = note.position;
  const auto at_position = [&] { return position.empty() ? "" : " (" + position + ")"; };

  if (death.given_up) {
    report.status = RunResult::Status::infrastructure;
    report.detail = "interrupted";
    return report;
  }
  if (death.no_child) {
    report.status = RunResult::Status::infrastructure;
    report.detail = "the worker's keeper died or could not start a process";
    return report;
  }
  if (death.over_memory) {
    report.detail = "the kernel used up its memory (2 GiB)";
    report.diagnostics.push_back({"out of memory", report.detail, ""});
    return report;
  }
  if (death.deadline) {
    report.status = RunResult::Status::hung;
    report.detail = fmt::format("the kernel did not end within {} ms", deadline.count());
    return report;
  }
  if (note.cause == Cause::no_memory) {
    report.status = RunResult::Status::infrastructure;
    report.detail = "the worker has not enough memory for the tensors";
    return report;
  }
  if (note.cause == Cause::lost_socket) {
    report.detail = "the kernel closed file descriptors that are not its own";
    return report;
  }
  if (note.fatal != 0) {
    report.diagnostics = read_findings(keeper, note.findings);
    report.detail =
        report.diagnostics.empty() ? "the runtime stopped the kernel" : report.diagnostics.back().text;
    return report;
  }
  const auto sanitizers = parse_sanitizer_report(
      keeper.report(), scene.plugin.filename().string(),
      [&](std::uint64_t offset) { return symbolize(scene.plugin, offset, scene.kernel->options.sandbox); },
      [&](std::uint64_t address) { return name_address(scene, addresses, address); });
  if (!sanitizers.empty()) {
    report.diagnostics = sanitizers;
    Diagnostic& last = report.diagnostics.back();
    last.text += at_position();
    report.detail = fmt::format("{}: {}", last.kind, last.text);
    return report;
  }
  if (WIFEXITED(death.status)) {
    report.detail = fmt::format("the kernel called exit({})", WEXITSTATUS(death.status));
    return report;
  }
  const int signal = note.signal != 0 ? note.signal : WTERMSIG(death.status);
  Diagnostic d;
  if (note.offset != 0 && note.offset < (std::uint64_t{1} << 32)) {
    d.location = symbolize(scene.plugin, note.offset, scene.kernel->options.sandbox);
  }
  if (signal == SIGSYS) {
    report.detail =
        fmt::format("the kernel made a system call that it may not make: {}", call_name(note.syscall));
    return report;
  }
  if (signal == SIGSEGV || signal == SIGBUS) {
    d.kind = "out of bounds";
    const char* access = note.is_write != 0 ? "write" : "read";
    const std::optional<std::string> inside = inside_of_tensor(scene, addresses, note.address);
    if (inside && position.empty()) {  // of a guarded call, as what follows
      d.kind = "host access";
      d.text = fmt::format("host code {}s {}, which lies in device memory: cudaMemcpy reaches it", access,
                           *inside);
    } else if (inside) {
      d.kind = "input changed";
      d.text = fmt::format("{} to {}, which a call leaves as it is", access, *inside);
    } else if (note.slot >= 0 && static_cast<std::size_t>(note.slot) < scene.bytes.size()) {
      d.text = fmt::format("{} {}", access,
                           beside(tensor_name(scene, static_cast<std::size_t>(note.slot)), note.distance));
    } else {
      d.text = fmt::format("{} at address {:#x}, which is no memory of the kernel's", access, note.address);
    }
    d.text += at_position();
    report.detail = fmt::format("died by {}: {}", signal_name(signal), d.text);
    report.diagnostics.push_back(std::move(d));
    return report;
  }
  report.detail = fmt::format("died by {}{}", signal_name(signal), at_position());
  if (const std::string printed = last_lines(keeper.log()); !printed.empty())
    report.detail += "; it printed: " + printed;
  if (!d.location.empty()) report.diagnostics.push_back({"undefined behaviour", report.detail, d.location});
  return report;
}

}  // namespace assay
