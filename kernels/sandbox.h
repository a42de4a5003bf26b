#pragma once

// Where compilers and workers run: bubblewrap, with no network, a read-only root, its own processes and a
// private /tmp. docs/security.md says what it does and does not keep out.

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"

namespace assay {

struct Sandbox {
  std::vector<std::filesystem::path> readable;  // folders that must be seen even below /tmp or a hidden home
  std::vector<std::filesystem::path> writable;
  bool hide_home = true;          // workers need nothing of the user's; a compiler reads the sources
  bool dies_with_parent = false;  // with the thread that starts it
  bool gpu = false;               // the GPU's device files are there
};

// Whether bubblewrap exists and can run here (in many containers it cannot). Tried once a process.
Expected<void> probe_sandbox();

// The command line that runs `arguments` inside.
std::vector<std::string> inside(const Sandbox& sandbox, std::vector<std::string> arguments);

}  // namespace assay
