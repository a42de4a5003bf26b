#pragma once

// The process that holds the plug-in and runs the kernel.

#include <cstddef>
#include <vector>

#include "kernels/protocol.h"

namespace assay {

struct ChildSetup {
  const char* plugin = nullptr;
  int data = -1, shared = -1, log = -1, report = -1;
  std::vector<int> sparse_outputs;
  protocol::Spawn spawn;
};

// Serves requests until the supervisor closes the data socket.
[[noreturn]] void run_child(const ChildSetup& setup);

}  // namespace assay
