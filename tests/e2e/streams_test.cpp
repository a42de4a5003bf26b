// Standard output may be full, closed or gone: the program ends in order.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/e2e/program.h"

namespace assay::e2e {
namespace {

// The exit code of `assay WORDS`, run by a shell with a redirection.
int shell(const std::string& words, const std::string& redirection, const Folder& folder) {
  const std::string line =
      "cd '" + folder.path().string() + "' && '" ASSAY_PROGRAM "' " + words + " " + redirection;
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Streams, AFullOutputIsSaid) {
  const Folder folder;
  EXPECT_EQ(shell("list contracts", ">/dev/full 2>err", folder), 3);
  EXPECT_NE(content(folder / "err").find("No space left on device"), std::string::npos);
}

TEST(Streams, AFullOutputOfACheckIsSaidWithItsReason) {
  const Folder folder;
  const std::string check =
      "check '" + control("positive/relu_grid_stride.cu") + "' --contract relu --cases 12" + sandbox_flag();
  EXPECT_EQ(shell(check, ">/dev/full 2>err", folder), 3);
  EXPECT_NE(content(folder / "err").find("standard output could not be written: No space left on device"),
            std::string::npos)
      << content(folder / "err");
  for (const std::string flag : {"--json", "--junit"}) {
    EXPECT_EQ(shell(check + " " + flag + " /dev/full", ">out 2>err", folder), 3);
    EXPECT_NE(content(folder / "err").find("/dev/full: No space left on device"), std::string::npos)
        << content(folder / "err");
    EXPECT_EQ(shell(check + " " + flag + " -", ">/dev/full 2>err", folder), 3);
    EXPECT_NE(content(folder / "err").find("No space left on device"), std::string::npos);
  }
}

TEST(Streams, AClosedOutputIsSaid) {
  const Folder folder;
  EXPECT_EQ(shell("explain softmax", ">&- 2>err", folder), 3);
  EXPECT_NE(content(folder / "err").find("standard output could not be written"), std::string::npos);
}

TEST(Streams, WithoutAnyStreamItEnds) {
  const Folder folder;
  EXPECT_EQ(shell("list gates", ">&- 2>&- <&-", folder), 3);
}

TEST(Streams, AReaderThatGoesAwayIsQuiet) {
  const Folder folder;
  EXPECT_EQ(shell("list contracts", "2>err | head -n 1 >out", folder), 0);
  EXPECT_EQ(content(folder / "err"), "");
}

}  // namespace
}  // namespace assay::e2e
