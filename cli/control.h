#pragma once

// Control kernels: right ones that no gate may refuse, and seeded faults that a named gate must see.
//
// What a control is stands in the comment at its head:
//
//   // control: negative
//   // contract: softmax
//   // gate: CMP-03
//   // fault: the last row is dropped when rows is odd
//
// Optional: `only: yes` (no other gate sees the fault), `also: CMP-01, RES-01` (others that may see it), and
// `bind`, `where`, `dtype`, `allow` as the flags of check.

#include <filesystem>
#include <string>
#include <vector>

#include "properties/target.h"

namespace assay::cli {

struct Control {
  std::string name;  // of the file, without .cu
  bool faulty = false;
  TargetOptions target;
  const Gate* gate = nullptr;  // of a faulty one
  bool only = false;
  std::string fault;
};

// All controls below `folder`, or below the folder that comes with the program where it is empty; the right
// ones first, each kind by name.
Expected<std::vector<Control>> find_controls(const std::filesystem::path& folder);

}  // namespace assay::cli
