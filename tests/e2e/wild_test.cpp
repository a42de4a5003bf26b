#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "tests/e2e/program.h"

namespace assay::e2e {
namespace {

namespace fs = std::filesystem;

const fs::path kWild = fs::path(ASSAY_SOURCE_DIR) / "tests" / "wild";

std::vector<std::string> kernels() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(kWild)) {
    if (file.path().extension() == ".cu") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Words of the first line, `// contract: NAME FLAGS` with flags of `assay check`; quotes hold a word
// together.
std::vector<std::string> claimed(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const std::string mark = "// contract: ";
  if (!line.starts_with(mark)) return {};
  if (line.ends_with('\r')) line.pop_back();
  std::istringstream words(line.substr(mark.size()));
  std::vector<std::string> result;
  for (std::string word; words >> std::ws && words.peek() != EOF; result.push_back(word)) {
    if (words.peek() == '"')
      words >> std::quoted(word);
    else
      words >> word;
  }
  return result;
}

class Wild : public testing::TestWithParam<std::string> {};

// Right kernels in the ways that people and programs write them, who never heard of Assay.
TEST_P(Wild, kernel_runs_and_is_not_refused) {
  const fs::path file = kWild / (GetParam() + ".cu");
  std::vector<std::string> arguments = claimed(file);
  ASSERT_FALSE(arguments.empty()) << file << " begins with no line `// contract: NAME`";
  arguments.insert(arguments.begin(), {"check", file.string(), "--contract"});
  arguments.insert(arguments.end(), {"--cases", "40", "--seed", "1", "--jobs", "1"});
  const Folder folder;
  const Result result = assay_running(arguments, folder.path());
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("no finding"), std::string::npos) << result.out;
}

INSTANTIATE_TEST_SUITE_P(kernels, Wild, testing::ValuesIn(kernels()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace assay::e2e
