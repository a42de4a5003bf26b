#pragma once

// From what a user types to something that can be checked: the source is read, bound, built, and matched to
// its contract.

#include <filesystem>
#include <string>

#include "gates/gate.h"
#include "kernels/kernel.h"

namespace assay {

// As on the command line; empty is the default of each.
struct TargetOptions {
  std::filesystem::path kernel;  // a .cu file
  std::string contract;          // name, or path of a .contract file
  std::string bind;              // "solve(x, y, rows*cols)"
  std::string where;             // "cols % 4 == 0, cols <= 4096"
  std::string allow;             // "tf32,fast-math"
  std::string dtype;             // "f16"
  bool sandbox = true;
  Executor executor = Executor::cpu;
  std::string gpu_arch;   // "sm_90"; that of the GPU that is there where empty
  std::string sanitizer;  // as BuildOptions
  bool branches = false;  // likewise
};

struct Target {
  TargetOptions asked;
  Subject subject;
  Kernel kernel;
};

// Everything but the build: fast, and where most mistakes are found.
struct Plan {
  TargetOptions asked;
  Subject subject;
  KernelSource source;
  std::vector<Binding> bindings;
};
Expected<Plan> plan(const TargetOptions& options);

Expected<Target> build(const Plan& plan);

// The case for people, with its plants at the places where they fall.
std::string describe(const Case& c, const Subject& subject);

}  // namespace assay
