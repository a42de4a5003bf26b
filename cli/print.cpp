#include "cli/print.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/command.h"

namespace assay::cli {
namespace {

std::atomic<int> failure{0};  // the first of standard output

extern "C" void on_broken_pipe(int) {}

void keep(int reason) {
  int none = 0;
  failure.compare_exchange_strong(none, reason != 0 ? reason : EIO);
}

}  // namespace

void write(std::FILE* stream, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() && stream == stdout) keep(errno);
}

void flush() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) keep(errno);
}

void prepare_streams() {
  // Opened for reading: a write to a stream that the caller closed still fails.
  for (int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(file, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);
  // A handler and not SIG_IGN: what the program starts has the usual reaction.
  struct sigaction action{};
  action.sa_handler = on_broken_pipe;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, nullptr);
}

int finish(int code) {
  flush();
  const int reason = failure;
  if (reason == 0 || reason == EPIPE) return code;
  print_error("assay: standard output could not be written: {}\n", std::strerror(reason));
  return kInfrastructure;
}

}  // namespace assay::cli
