#pragma once

// A subcommand is one file, with one line in the table of main.cpp.

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

enum Exit : int {
  kClean = 0,
  kFindings = 1,
  kUsage = 2,
  kInfrastructure = 3,  // or undecidable: nothing can be said of the kernel
  kInterrupted = 130,
};

// What every --help ends with.
inline constexpr std::string_view kExitCodes =
    "Exit codes: 0 clean, 1 findings, 2 wrong usage, 3 infrastructure failed or undecidable,\n"
    "            130 interrupted.\n";

struct Invocation {
  std::string program;  // as the user typed it, for lines that can be pasted
  std::vector<std::string> arguments;
};

int check(const Invocation&);
int controls(const Invocation&);
int coverage(const Invocation&);
int equal(const Invocation&);
int explain(const Invocation&);
int format(const Invocation&);
int fuzz(const Invocation&);
int list(const Invocation&);
int prune(const Invocation&);
int replay(const Invocation&);
int shrink(const Invocation&);

}  // namespace assay::cli
