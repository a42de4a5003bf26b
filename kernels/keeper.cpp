#include "kernels/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kernels/cuda/sanitizer.h"
#include "kernels/sandbox.h"

namespace assay {
namespace {

using namespace protocol;

constexpr std::uint64_t kMemory = std::uint64_t{2} << 30;     // of a kernel, resident
constexpr std::uint64_t kAddresses = std::uint64_t{8} << 30;  // of its address space, in the fast build
constexpr std::uint64_t kHostMemoryOfGpu = std::uint64_t{16} << 30;
constexpr std::uint64_t kLogBytes = 1 << 20;
constexpr std::chrono::seconds kPatience{5};  // for a keeper's own answers

Expected<std::pair<Fd, Fd>> socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return infrastructure_error("socketpair: {}", std::strerror(errno));
  }
  return std::pair{Fd(ends[0]), Fd(ends[1])};
}

Expected<Fd> memory_file(const char* name) {
  Fd fd(memfd_create(name, MFD_CLOEXEC));
  if (!fd) return infrastructure_error("memfd_create: {}", std::strerror(errno));
  return fd;
}

std::string contents(int fd, std::size_t most) {
  const off_t size = lseek(fd, 0, SEEK_END);
  if (size <= 0) return {};
  const auto read_at = [&](off_t from, std::size_t n) {
    std::string text(n, '\0');
    const ssize_t got = pread(fd, text.data(), n, from);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  };
  if (static_cast<std::size_t>(size) <= most) return read_at(0, static_cast<std::size_t>(size));
  return read_at(0, most / 2) + "\n[...]\n" + read_at(size - static_cast<off_t>(most / 2), most / 2);
}

int milliseconds_until(std::chrono::steady_clock::time_point end) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

}  // namespace

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

Expected<void> SharedMemory::reserve(std::size_t bytes) {
  if (bytes <= size_) return {};
  if (!fd_) {
    auto fd = memory_file("assay-tensors");
    if (!fd) return tl::unexpected(fd.error());
    fd_ = std::move(*fd);
  }
  const std::size_t size = std::max(bytes, 2 * size_ < (std::size_t{64} << 20) ? 2 * size_ : bytes);
  if (ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) {
    return infrastructure_error("cannot reserve {} bytes of shared memory: {}", size, std::strerror(errno));
  }
  if (data_ != nullptr) munmap(data_, size_);
  void* mapping = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  data_ = mapping == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapping);
  size_ = data_ != nullptr ? size : 0;
  if (data_ == nullptr)
    return infrastructure_error("cannot map {} bytes of shared memory: {}", size, std::strerror(errno));
  return {};
}

Keeper::Keeper(std::filesystem::path program, std::filesystem::path plugin, Build build,
               const BuildOptions& options)
    : program_(std::move(program)),
      plugin_(std::move(plugin)),
      build_(build),
      executor_(options.executor),
      sandboxed_(options.sandbox),
      sanitizer_(options.executor == Executor::cuda && build == Build::checked ? options.sanitizer : "") {}

Expected<void> Keeper::start() {
  auto ends = socket_pair();
  if (!ends) return tl::unexpected(ends.error());
  Command command;
  command.arguments = {program_.string(), plugin_.string()};
  command.fds = {{ends->second.get(), kControl}};
  if (!sanitizer_.empty()) {
    auto tool = cuda::inside_sanitizer(sanitizer_, std::move(command.arguments));
    if (!tool) return tl::unexpected(tool.error());
    command.arguments = std::move(*tool);
    auto printed = memory_file("assay-tool-report");
    if (!printed) return tl::unexpected(printed.error());
    tool_report_ = std::move(*printed);
    tool_report_read_ = 0;
    command.fds.emplace_back(tool_report_.get(), 1);
  }
  if (sandboxed_) {
    Sandbox sandbox;
    sandbox.readable = {program_.parent_path(), plugin_.parent_path()};
    sandbox.gpu = executor_ == Executor::cuda;
    command.arguments = inside(sandbox, command.arguments);
  }
  command.limits = {{RLIMIT_CORE, 0}};
  if (executor_ == Executor::cuda)
    command.environment = {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"};
  auto process = Process::start(command);
  if (!process) return tl::unexpected(process.error());
  process_ = std::move(*process);
  control_ = std::move(ends->first);
  return {};
}

void Keeper::stop() {
  data_.reset();
  control_.reset();
  process_.stop();
  process_ = Process();
}

Expected<void> Keeper::spawn(const std::vector<int>& sparse, std::chrono::milliseconds deadline) {
  end_child();
  if (!process_) {
    if (auto started = start(); !started) return started;
  }
  auto data = socket_pair();
  if (!data) return tl::unexpected(data.error());
  auto log = memory_file("assay-log");
  auto report = memory_file("assay-report");
  if (!log) return tl::unexpected(log.error());
  if (!report) return tl::unexpected(report.error());
  log_ = std::move(*log);
  report_ = std::move(*report);
  if (auto reserved = shared_.reserve(kHeaderBytes); !reserved) return reserved;

  Spawn spawn;
  spawn.sparse_outputs = static_cast<std::uint8_t>(sparse.size());
  const bool on_cpu = executor_ == Executor::cpu;  // a CUDA context reserves addresses for all the card
  spawn.address_space = on_cpu && build_ != Build::checked && sparse.empty() ? kAddresses : 0;
  spawn.resident = on_cpu ? kMemory : kHostMemoryOfGpu;
  spawn.log_bytes = kLogBytes;
  spawn.exact = sanitizer_.empty() ? 0 : 1;
  std::vector<int> fds = {data->second.get(), shared_.fd(), log_.get(), report_.get()};
  fds.insert(fds.end(), sparse.begin(), sparse.end());

  iovec body{&spawn, sizeof spawn};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * (kSpawnFds + kMostTensors))] = {};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
  cmsghdr* const c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
  std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
  if (sendmsg(control_.get(), &message, MSG_NOSIGNAL) < 0) {
    const int reason = errno;
    stop();
    return infrastructure_error("the worker process does not listen: {}", std::strerror(reason));
  }
  data_ = std::move(data->first);
  data->second.reset();

  bool timed_out = false;
  const auto word = receive(std::chrono::steady_clock::now() + deadline, timed_out);
  if (word == Word::ready) return {};
  std::string why;
  if (word == Word::failed) {
    const char* text = shared_.header().text;
    why = std::string(text, strnlen(text, 2000));
  }
  const Death death = bury(timed_out);
  if (!why.empty()) return infrastructure_error("the worker cannot load the plug-in: {}", why);
  if (death.given_up) return infrastructure_error("interrupted");
  if (death.no_child) return infrastructure_error("the worker process ended while it loaded the plug-in");
  const std::string printed = this->log();
  load_failure_ = timed_out ? fmt::format(
                                  "the kernel's file was not loaded within {} ms: its static "
                                  "initialisers hang",
                                  deadline.count())
                            : fmt::format(
                                  "the kernel's file ended its process while it was loaded (status "
                                  "{}): its static initialisers crash{}{}",
                                  death.status, printed.empty() ? "" : "; ", printed);
  return infrastructure_error("{}", load_failure_);
}

std::optional<Word> Keeper::receive(Time end, bool& timed_out) {
  if (executor_ == Executor::cuda) {  // calls take microseconds there, and so does falling asleep
    const auto patience = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    Word word{};
    do {
      if (recv(data_.get(), &word, 1, MSG_DONTWAIT) == 1) return word;
    } while (std::chrono::steady_clock::now() < patience);
  }
  while (true) {
    if (waiting_is_given_up()) return std::nullopt;
    Word word{};
    pollfd fds[2] = {{data_.get(), POLLIN, 0}, {control_.get(), POLLIN, 0}};
    const int left = milliseconds_until(end), glance = static_cast<int>(kGlance.count());
    const int ready = poll(fds, 2, std::min(left, glance));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && left > glance) continue;
    if (ready == 0) {
      timed_out = true;
      return std::nullopt;
    }
    // What came on the data socket before the child's end counts.
    if ((fds[0].revents & POLLIN) != 0 && recv(data_.get(), &word, 1, MSG_DONTWAIT) == 1) return word;
    if (fds[0].revents != 0 && fds[1].revents == 0) {
      // The kernel closed its sockets and is about to say why it ends, or it is dead and the keeper about to.
      pollfd control{control_.get(), POLLIN, 0};
      if (poll(&control, 1, milliseconds_until(end)) == 0) timed_out = true;
    }
    return std::nullopt;
  }
}

std::optional<Death> Keeper::request(std::chrono::milliseconds deadline) {
  const Word run = Word::run;
  bool timed_out = false;
  if (send(data_.get(), &run, 1, MSG_NOSIGNAL) == 1) {
    const auto word = receive(std::chrono::steady_clock::now() + deadline, timed_out);
    if (word == Word::done) return std::nullopt;
  }
  return bury(timed_out);
}

// Waits for the keeper's word on how the child ended, after asking for that end.
Death Keeper::bury(bool deadline) {
  Death death;
  death.deadline = deadline;
  death.given_up = waiting_is_given_up();
  const Order kill = Order::kill;
  Ended ended;
  data_.reset();
  pollfd control{control_.get(), POLLIN, 0};
  if (deadline || poll(&control, 1, 0) == 0) send(control_.get(), &kill, sizeof kill, MSG_NOSIGNAL);
  int ready = 0;
  do {
    ready = poll(&control, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count()));
  } while (ready < 0 && errno == EINTR);
  if (ready != 1 || recv(control_.get(), &ended, sizeof ended, MSG_DONTWAIT) != sizeof ended) {
    stop();
    death.no_child = !deadline;
    return death;
  }
  death.status = ended.status;
  death.over_memory = ended.over_memory != 0;
  death.no_child = ended.status == -1;
  death.address_space = ended.address_space;
  return death;
}

bool Keeper::reload(std::chrono::milliseconds deadline) {
  const Word word = Word::reload;
  bool timed_out = false;
  if (send(data_.get(), &word, 1, MSG_NOSIGNAL) == 1 &&
      receive(std::chrono::steady_clock::now() + deadline, timed_out) == Word::ready)
    return true;
  bury(timed_out);
  return false;
}

void Keeper::end_child() {
  if (has_child()) bury(false);
}

std::string Keeper::log() const {
  return log_ ? contents(log_.get(), 8 << 10) : "";
}
std::string Keeper::tool_report() {
  constexpr std::int64_t kMost = 64 << 10;
  if (!tool_report_) return {};
  struct stat status{};
  if (fstat(tool_report_.get(), &status) != 0 || status.st_size <= tool_report_read_) return {};
  std::string text(
      static_cast<std::size_t>(std::min<std::int64_t>(status.st_size - tool_report_read_, kMost)), '\0');
  const ssize_t n = pread(tool_report_.get(), text.data(), text.size(), tool_report_read_);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  tool_report_read_ = status.st_size;
  return text;
}
std::string Keeper::report() const {
  return report_ ? contents(report_.get(), 64 << 10) : "";
}

}  // namespace assay
