#pragma once

// Drives the real program as a user does.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace assay::e2e {

struct Result {
  int code = -1;  // exit code, or 128 + the signal that ended it
  std::string out;
  std::string err;
};

struct Strike {  // a signal sent after a while
  std::chrono::milliseconds after;
  int signal = SIGINT;
};

// Runs `assay ARGUMENTS` in `folder`; a run beyond five minutes is killed and fails the test.
Result assay(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
             std::optional<Strike> strike = std::nullopt);

// As above, for the subcommands that run kernels: adds --no-sandbox where bubblewrap cannot run.
Result assay_running(std::vector<std::string> arguments, const std::filesystem::path& folder,
                     std::optional<Strike> strike = std::nullopt);

std::string sandbox_flag();  // " --no-sandbox" where bubblewrap cannot run, for command lines of a shell

std::string control(const std::string& name);  // path of "positive/relu_grid_stride.cu"
std::string kernel(const std::string& name);   // path of one of tests/e2e/kernels

// A fresh empty folder, removed in the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::vector<std::filesystem::path> files(const std::string& extension) const;  // below it, sorted
  void write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path path_;
};

std::string content(const std::filesystem::path& file);
std::string replaced(std::string text, const std::string& from, const std::string& to);  // the first one

}  // namespace assay::e2e
