#pragma once

// A finding as a program: NAME.cu includes the kernel, fills the inputs, prints what came and what is true,
// and exits 1 while the fault is there, 0 when it is gone, 2 where it cannot tell.
//
//   nvcc -o repro NAME.cu && ./repro                       on a GPU
//   the first lines of the file say how to build it with clang++-19 against the CPU runtime
//
// It needs the kernel's source and one of those, nothing else of Assay: contents and the accepted interval
// of each element that matters are written into it as bits.

#include <string>

#include "fuzz/finding.h"

namespace assay::fuzz {

// Cases whose inputs are over 256 KiB get their contents from a generator written into the program where the
// fill is reproducible in a few lines, else an error says that the case is too large.
Expected<std::string> standalone(const Record& record, const Target& target, const RunnerFactory& runners,
                                 const std::filesystem::path& beside);

}  // namespace assay::fuzz
