#include "cli/interrupt.h"

#include <csignal>
#include <ctime>

#include "kernels/process.h"

namespace assay::cli {
namespace {

constexpr std::int64_t kGrace = 1'000'000'000;  // nanoseconds

std::atomic<bool> flag{false};
std::atomic<std::int64_t> since{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

extern "C" void on_signal(int) {
  since.store(now());
  flag.store(true);
}

bool grace_is_over() {
  return flag.load() && now() - since.load() >= kGrace;
}

}  // namespace

void watch_interrupts() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  give_up_waiting_when(grace_is_over);
}

const std::atomic<bool>& interrupted() {
  return flag;
}

}  // namespace assay::cli
