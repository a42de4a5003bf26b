#pragma once

// Child processes that cannot outlive, block or flood this one.
//
// A child is the leader of its own process group, gets only the file descriptors named here, and an
// environment of PATH, LANG and HOME alone.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace assay {

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() { *this = Fd(); }

 private:
  int fd_ = -1;
};

struct Limit {
  int resource;  // RLIMIT_...
  std::uint64_t value;
};

struct Command {
  std::vector<std::string> arguments;    // the first is searched in PATH
  std::vector<std::pair<int, int>> fds;  // ours, theirs (3 and up); 0, 1 and 2 are /dev/null unless named
  std::vector<Limit> limits;
  std::vector<const char*> environment = {};  // names of variables that are passed on besides
};

class Process {
 public:
  Process() = default;
  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~Process() { stop(); }

  static Expected<Process> start(const Command& command);
  explicit operator bool() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  int wait();   // until it ends by itself; the wait status
  void stop();  // SIGKILL to its group, and reaps it

 private:
  pid_t pid_ = -1;
};

// Once `over` is true every wait for a process ends within some 20 ms, here and in a Keeper. Asked in any
// thread; without it a wait ends with its process or its deadline alone.
void give_up_waiting_when(bool (*over)());
bool waiting_is_given_up();
constexpr std::chrono::milliseconds kGlance{20};  // how often a wait asks

struct Finished {
  int status = 0;  // of waitpid
  bool timed_out = false;
  std::string output;  // stdout and stderr, capped

  bool ok() const { return !timed_out && status == 0; }
};

// Runs a command to its end or its deadline.
Expected<Finished> run_to_end(const Command& command, std::chrono::milliseconds deadline);

}  // namespace assay
