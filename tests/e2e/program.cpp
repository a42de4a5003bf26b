#include "tests/e2e/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace assay::e2e {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

bool sandbox_works() {
  static const bool works = [] {
    const bool can = std::system("bwrap --unshare-all --ro-bind / / true >/dev/null 2>&1") == 0;
    if (!can) std::puts("bubblewrap cannot run here: kernels run with --no-sandbox");
    return can;
  }();
  return works;
}

pid_t start(const std::vector<std::string>& arguments, const fs::path& folder, int out, int err) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setpgid(0, 0);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  ::setenv("ASSAY_CACHE", ASSAY_TEST_CACHE, 1);
  ::execv(ASSAY_PROGRAM, words.data());
  ::_exit(127);
}

}  // namespace

Result assay(const std::vector<std::string>& arguments, const fs::path& folder,
             std::optional<Strike> strike) {
  std::vector<std::string> words = {"assay"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::array<int, 2> out{}, err{};
  EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
  EXPECT_EQ(::pipe2(err.data(), O_CLOEXEC), 0);
  const auto begin = Clock::now();
  const pid_t child = start(words, folder, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);

  Result result;
  std::array<pollfd, 2> pipes = {pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}};
  std::array<std::string*, 2> texts = {&result.out, &result.err};
  bool ended = false, killed = false;
  int status = 0;
  while (!ended || pipes[0].fd >= 0 || pipes[1].fd >= 0) {
    ::poll(pipes.data(), pipes.size(), 5);
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
      std::array<char, 65536> buffer;
      const ssize_t size = ::read(pipes[i].fd, buffer.data(), buffer.size());
      if (size > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(size));
      } else {
        ::close(pipes[i].fd);
        pipes[i].fd = -1;
      }
    }
    if (!ended && strike && Clock::now() - begin >= strike->after) {
      // A terminal's Ctrl-C reaches the whole process group, a kill -9 one process.
      ::kill(strike->signal == SIGINT ? -child : child, strike->signal);
      strike.reset();
    }
    if (!ended && !killed && Clock::now() - begin > std::chrono::minutes(5)) {
      ADD_FAILURE() << "still running after five minutes; killed";
      ::kill(child, SIGKILL);
      killed = true;
    }
    ended = ended || ::waitpid(child, &status, WNOHANG) == child;
    // What a killed program leaves behind may hold the pipes open: its own end is the end.
    if (ended && WIFSIGNALED(status)) break;
  }
  for (const pollfd& pipe : pipes)
    if (pipe.fd >= 0) ::close(pipe.fd);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

Result assay_running(std::vector<std::string> arguments, const fs::path& folder,
                     std::optional<Strike> strike) {
  if (!sandbox_works()) arguments.emplace_back("--no-sandbox");
  return assay(arguments, folder, strike);
}

std::string sandbox_flag() {
  return sandbox_works() ? "" : " --no-sandbox";
}

std::string control(const std::string& name) {
  return std::string(ASSAY_SOURCE_DIR "/kernels/controls/") + name;
}

std::string kernel(const std::string& name) {
  return std::string(ASSAY_SOURCE_DIR "/tests/e2e/kernels/") + name;
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "assay-e2e-XXXXXX").string();
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<fs::path> Folder::files(const std::string& extension) const {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

void Folder::write(const std::string& name, const std::string& content) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name) << content;
}

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "'" << from << "' is not in\n" << text;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

}  // namespace assay::e2e
