#pragma once

// What the reports of a campaign's findings share: where a finding is shown, and its words.

#include <string>

#include "fuzz/finding.h"

namespace assay::cli {

struct SourcePlace {
  std::string file;  // as seen from the working folder
  int line = 1;
};
// The line of the kernel that the evidence names, else that of the entry point which takes the case.
SourcePlace place_of(const Target& target, const Case& test, const Evidence& evidence);

std::string finding_text(const Target& target, const fuzz::Record& record);  // a few lines

}  // namespace assay::cli
