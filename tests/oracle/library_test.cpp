// Each contract of the library has a right kernel among the controls, which it must let pass.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "oracle/contract.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Contracts without one. The list may only become shorter.
const std::set<std::string> kLacking = {};

// What the header lines of a control's source say after `// contract:`.
std::string contract_of(const fs::path& control) {
  std::ifstream file(control);
  constexpr std::string_view kField = "// contract: ";
  for (std::string line; std::getline(file, line) && line.starts_with("//");)
    if (line.starts_with(kField)) return line.substr(kField.size());
  return {};
}

TEST(Library, EveryContractHasARightKernel) {
  std::set<std::string> claimed;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(ASSAY_SOURCE_DIR "/kernels/controls/positive"))
    if (entry.path().extension() == ".cu") claimed.insert(contract_of(entry.path()));
  // Those of the gated linear recurrences have a folder of their own, one file a contract.
  for (const fs::directory_entry& entry : fs::directory_iterator(ASSAY_SOURCE_DIR "/kernels/gdn"))
    if (entry.path().extension() == ".cu") claimed.insert(entry.path().stem());
  const std::vector<std::string> library = library_contracts();
  ASSERT_GT(library.size(), 100u);
  for (const std::string& name : library)
    EXPECT_NE(claimed.contains(name), kLacking.contains(name))
        << (claimed.contains(name) ? "take it off the list: " : "no right kernel claims ") << name;
}

}  // namespace
}  // namespace assay
