#include "kernels/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kMostOutput = 256 << 10;

std::atomic<bool (*)()> given_up{nullptr};

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    const std::string candidate = folder + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Fd::~Fd() {
  if (fd_ >= 0) close(fd_);
}

Expected<Process> Process::start(const Command& command) {
  const std::string program = find_program(command.arguments[0]);
  if (program.empty()) return infrastructure_error("{}: not found in PATH", command.arguments[0]);
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = {"LANG=C.UTF-8"};
  std::vector<const char*> passed = {"PATH", "HOME"};
  passed.insert(passed.end(), command.environment.begin(), command.environment.end());
  for (const char* name : passed) {
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  }
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);

  int highest = 2;
  for (const auto& [ours, theirs] : command.fds) highest = std::max({highest, ours, theirs});
  const int spare = highest + 1;
  const pid_t pid = fork();
  if (pid < 0) return infrastructure_error("cannot start {}: {}", program, std::strerror(errno));
  if (pid == 0) {  // only async-signal-safe calls from here
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int s = 1; s < 32; ++s) signal(s, SIG_DFL);
    for (const Limit& limit : command.limits) {
      rlimit r{};
      getrlimit(static_cast<__rlimit_resource_t>(limit.resource), &r);
      r.rlim_cur = r.rlim_max = std::min<rlim_t>(limit.value, r.rlim_max);
      setrlimit(static_cast<__rlimit_resource_t>(limit.resource), &r);
    }
    // First out of the way of each other, then into place.
    int next = spare;
    for (const auto& [ours, theirs] : command.fds) {
      if (dup2(ours, next++) < 0) _exit(127);
    }
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
    next = spare;
    int last = 2;
    for (const auto& [ours, theirs] : command.fds) {
      dup2(next++, theirs);
      last = std::max(last, theirs);
    }
    for (int fd = 3; fd <= last; ++fd) {
      bool named = false;
      for (const auto& [ours, theirs] : command.fds) named = named || fd == theirs;
      if (!named) close(fd);
    }
    syscall(SYS_close_range, last + 1, ~0U, 0);
    execve(program.c_str(), argv.data(), envp.data());
    _exit(127);
  }
  setpgid(pid, pid);
  Process process;
  process.pid_ = pid;
  return process;
}

int Process::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

void Process::stop() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  wait();
}

void give_up_waiting_when(bool (*over)()) {
  given_up = over;
}

bool waiting_is_given_up() {
  const auto over = given_up.load();
  return over != nullptr && over();
}

Expected<Finished> run_to_end(const Command& command, std::chrono::milliseconds deadline) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return infrastructure_error("pipe: {}", std::strerror(errno));
  const Fd ours(ends[0]);
  Fd theirs(ends[1]);
  Command piped = command;
  piped.fds.emplace_back(theirs.get(), 1);
  piped.fds.emplace_back(theirs.get(), 2);
  auto process = Process::start(piped);
  if (!process) return tl::unexpected(process.error());
  theirs.reset();

  Finished result;
  const auto end = std::chrono::steady_clock::now() + deadline;
  char buffer[16384];
  while (true) {
    if (waiting_is_given_up()) {
      process->stop();
      return infrastructure_error("interrupted while {} ran", command.arguments[0]);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd p{ours.get(), POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&p, 1, static_cast<int>(std::min(left, kGlance).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && left > kGlance) continue;
    if (ready <= 0) {
      result.timed_out = true;
      process->stop();
      return result;
    }
    const ssize_t n = read(ours.get(), buffer, sizeof buffer);
    if (n <= 0) break;
    if (result.output.size() < kMostOutput) result.output.append(buffer, static_cast<std::size_t>(n));
  }
  result.status = process->wait();
  return result;
}

}  // namespace assay
