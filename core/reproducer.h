#pragma once

// A finding on disk: a text file that people can read, edit and replay. `assay replay FILE` needs nothing
// else than it and the kernel's source.
//
//   assay case 1
//   kernel    = softmax_no_max.cu
//   contract  = softmax
//   gate      = CMP-01
//   dtype     = f32
//   dims      = rows=1 cols=2
//   attributes= eps=1e-05
//   input x   = fill normal, scale 0, order drawn, offset 0
//   plant x   = nan, row 0 from start, column 3 from end
//   output y  = offset 0
//   seed      = 42
//
// Lines that start with # are comments. Optional keys: bind, where, allow, signature, found.
// Laws: parse(print(r)) == r; a damaged file is refused with its line, the field and what would be right.

#include <string>
#include <string_view>

#include "core/case.h"
#include "core/error.h"

namespace assay {

struct Reproducer {
  std::string kernel;  // path of the source; a relative one is relative to the case file's folder
  std::string bind;    // as on the command line, may be empty
  std::string where;
  std::string allow;
  std::string gate;       // id
  std::string signature;  // of the finding, may be empty
  std::string found;      // one line for people: what came and what is true
  Case test;

  friend bool operator==(const Reproducer&, const Reproducer&) = default;
};

// `contract` is the name or path that load_contract takes.
std::string print(const Reproducer& reproducer, const Signature& signature);

// Parsing needs the contract's signature, so it goes in two steps: the contract that the file names first.
Expected<std::string> contract_named_in(std::string_view text, std::string_view file);
Expected<Reproducer> parse_reproducer(std::string_view text, std::string_view file,
                                      const Signature& signature);

}  // namespace assay
