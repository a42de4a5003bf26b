#include "core/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(File, WritesWholeFilesAndLeavesNothingElse) {
  const fs::path folder = fs::temp_directory_path() / ("assay_file_test_" + std::to_string(::getpid()));
  const fs::path path = folder / "a" / "b.txt";
  ASSERT_TRUE(write_file(path, "first"));
  ASSERT_TRUE(write_file(path, std::string("second\0byte", 11)));
  EXPECT_EQ(read_file(path).value(), std::string("second\0byte", 11));
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1);
  fs::remove_all(folder);
}

TEST(File, SaysWhatIsWrong) {
  EXPECT_EQ(read_file("/nowhere/at all").error().message, "/nowhere/at all: No such file or directory");
  EXPECT_EQ(read_file("/").error().message, "/: is a folder; a file is needed");
  const Expected<void> written = write_file("/proc/assay/x", "");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::infrastructure);
}

}  // namespace
}  // namespace assay
