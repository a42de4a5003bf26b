#pragma once

// The supervisor's end of a worker process: starts it, passes it a request, waits with a deadline, and says
// how it ended. kernels/protocol.h has the picture.

#include <chrono>
#include <optional>
#include <string>

#include "kernels/kernel.h"
#include "kernels/process.h"
#include "kernels/protocol.h"

namespace assay {

// Shared memory that grows.
class SharedMemory {
 public:
  ~SharedMemory();
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  Expected<void> reserve(std::size_t bytes);  // keeps the contents
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  int fd() const { return fd_.get(); }
  protocol::Header& header() const { return *reinterpret_cast<protocol::Header*>(data_); }

 private:
  Fd fd_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

struct Death {
  bool deadline = false;     // killed at it
  bool over_memory = false;  // killed for it
  bool no_child = false;     // the keeper itself failed, or could not fork
  bool given_up = false;     // killed because nobody waits any longer: says nothing of the kernel
  int status = 0;            // of waitpid
  std::uint64_t address_space = 0;
};

class Keeper {
 public:
  Keeper(std::filesystem::path program, std::filesystem::path plugin, Build build,
         const BuildOptions& options);

  SharedMemory& shared() { return shared_; }
  bool has_child() const { return static_cast<bool>(data_); }

  // A child with the plug-in loaded. `sparse` are the files of a sparse run's outputs.
  Expected<void> spawn(const std::vector<int>& sparse, std::chrono::milliseconds deadline);
  // One request, which is in the shared memory; empty when the reply is there.
  std::optional<Death> request(std::chrono::milliseconds deadline);
  bool reload(std::chrono::milliseconds deadline);  // a fresh copy of the plug-in; false: the child is gone
  void end_child();

  // Why the plug-in cannot be loaded, once its own code (static initialisers) crashed or hung there: the
  // kernel's fault, and no use trying again. Empty otherwise.
  const std::string& load_failure() const { return load_failure_; }

  std::string log() const;     // what the child printed, first and last part
  std::string report() const;  // of the sanitizers
  std::string tool_report();   // what compute-sanitizer has printed since the last time

 private:
  using Time = std::chrono::steady_clock::time_point;

  Expected<void> start();
  std::optional<protocol::Word> receive(Time end, bool& timed_out);
  Death bury(bool deadline);
  void stop();

  std::filesystem::path program_, plugin_;
  Build build_;
  Executor executor_;
  bool sandboxed_;
  std::string sanitizer_;  // a tool of compute-sanitizer around the process, or empty
  SharedMemory shared_;
  Process process_;
  Fd control_, data_, log_, report_, tool_report_;
  std::int64_t tool_report_read_ = 0;  // bytes of it
  std::string load_failure_;
};

}  // namespace assay
