// The keeper of a kernel's processes: `assay-worker-fast PLUGIN`, with the control socket as descriptor 3.
// kernels/protocol.h says what it does. It is built without and with sanitizers, and with the
// runtime that looks for races.

#include <dirent.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "kernels/cpu/flags.h"
#include "kernels/protocol.h"
#include "kernels/worker/child.h"

#if __has_feature(address_sanitizer)

namespace {

constexpr std::string_view kWorkerOptions =
    ":symbolize=0:quarantine_size_mb=16:thread_local_quarantine_size_kb=64:malloc_context_size=4:print_"
    "legend=0:"
    "handle_abort=0:allow_user_segv_handler=0:max_allocation_size_mb=8192";

template <std::size_t N>
struct Text {
  char characters[N] = {};
};

template <std::size_t N>
constexpr Text<N> joined(std::string_view a, std::string_view b) {
  Text<N> text;
  std::copy(a.begin(), a.end(), text.characters);
  std::copy(b.begin(), b.end(), text.characters + a.size());
  return text;
}
constexpr auto kOptions = joined<assay::cpu::asan_options.size() + kWorkerOptions.size() + 1>(
    assay::cpu::asan_options, kWorkerOptions);

}  // namespace

// Called before the sanitizer has started: no code that it instruments.
extern "C" __attribute__((no_sanitize("address", "undefined"))) const char* __asan_default_options() {
  return kOptions.characters;
}

#endif

namespace {

using namespace assay::protocol;

// Between looks at a child's memory: the longer, the longer it has not grown.
constexpr int kLeastWatch = 20, kMostWatch = 160;  // ms

// A message with the descriptors that come with it; false at the end of the connection.
bool receive(Spawn& spawn, std::vector<int>& fds) {
  iovec data{&spawn, sizeof spawn};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * (kSpawnFds + kMostTensors))];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t n = 0;
  do {
    n = recvmsg(kControl, &message, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  fds.clear();
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); n > 0 && c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_type != SCM_RIGHTS) continue;
    fds.resize((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(fds.data(), CMSG_DATA(c), fds.size() * sizeof(int));
  }
  return n > 0;
}

struct Memory {
  std::uint64_t size = 0, resident = 0;  // bytes
};
Memory memory_of(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/statm", pid);
  Memory memory;
  if (FILE* file = std::fopen(path, "re")) {
    unsigned long size = 0, resident = 0;
    if (std::fscanf(file, "%lu %lu", &size, &resident) == 2) memory = {size * 4096, resident * 4096};
    std::fclose(file);
  }
  return memory;
}

// Kills whatever the child started, where it could (worker/filter.h). As a subreaper this process is the
// parent of every orphan.
void reap_descendants() {
  for (int round = 0; round < 1000; ++round) {
    pid_t reaped = 0;
    do {
      reaped = waitpid(-1, nullptr, WNOHANG);
    } while (reaped > 0);
    if (reaped < 0) return;  // none is left
    DIR* processes = opendir("/proc");
    while (const dirent* entry = processes != nullptr ? readdir(processes) : nullptr) {
      char path[300], line[512];
      std::snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
      const pid_t pid = static_cast<pid_t>(std::atol(entry->d_name));
      FILE* file = pid > 1 ? std::fopen(path, "re") : nullptr;
      if (file == nullptr) continue;
      int parent = 0;
      char state = 0;
      const char* after_name =
          std::fgets(line, sizeof line, file) != nullptr ? std::strrchr(line, ')') : nullptr;
      if (after_name != nullptr && std::sscanf(after_name + 1, " %c %d", &state, &parent) == 2 &&
          parent == getpid()) {
        kill(pid, SIGKILL);
      }
      std::fclose(file);
    }
    if (processes != nullptr) closedir(processes);
    usleep(1000);
  }
}

// Watches one child to its end; false when the supervisor is gone.
bool watch(pid_t pid, const Spawn& spawn) {
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  Ended ended;
  bool connected = true;
  int interval = kLeastWatch;
  std::uint64_t resident = 0;
  while (true) {
    pollfd fds[2] = {{kControl, POLLIN, 0}, {pidfd, POLLIN, 0}};
    const int ready = poll(fds, 2, interval);
    if (ready < 0) continue;
    const Memory memory = memory_of(pid);
    if (memory.size != 0) ended.address_space = memory.size;
    if (memory.resident > spawn.resident) {
      ended.over_memory = 1;
      break;
    }
    interval = memory.resident == resident ? std::min(2 * interval, kMostWatch) : kLeastWatch;
    resident = memory.resident;
    if (fds[1].revents != 0) break;
    if (fds[0].revents != 0) {
      Spawn order;
      std::vector<int> none;
      connected = receive(order, none);
      for (const int fd : none) close(fd);
      break;  // `kill` is all that can come while a child lives
    }
  }
  kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  close(pidfd);
  reap_descendants();
  ended.status = status;
  if (connected) connected = send(kControl, &ended, sizeof ended, MSG_NOSIGNAL) == sizeof ended;
  return connected;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s PLUGIN, started by assay\n", argv[0]);
    return 2;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Spawn spawn;
  std::vector<int> fds;
  while (receive(spawn, fds)) {
    if (spawn.order != assay::protocol::Order::spawn || fds.size() != kSpawnFds + spawn.sparse_outputs) {
      for (const int fd : fds) close(fd);
      continue;  // a late `kill`
    }
    const pid_t pid = fork();
    if (pid == 0) {
      close(kControl);
      assay::ChildSetup setup;
      setup.plugin = argv[1];
      setup.data = fds[0];
      setup.shared = fds[1];
      setup.log = fds[2];
      setup.report = fds[3];
      setup.sparse_outputs.assign(fds.begin() + kSpawnFds, fds.end());
      setup.spawn = spawn;
      assay::run_child(setup);
    }
    for (const int fd : fds) close(fd);
    if (pid < 0) {
      Ended ended;
      ended.status = -1;
      if (send(kControl, &ended, sizeof ended, MSG_NOSIGNAL) != sizeof ended) break;
      continue;
    }
    if (!watch(pid, spawn)) break;
  }
  return 0;
}
