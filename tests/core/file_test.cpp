#include "core/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <future>

namespace assay {
namespace {

namespace fs = std::filesystem;

class File : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay_file_test_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(File, WritesWholeFilesAndLeavesNothingElse) {
  const fs::path path = folder_ / "a" / "b.txt";
  ASSERT_TRUE(write_file(path, "first"));
  ASSERT_TRUE(write_file(path, std::string("second\0byte", 11)));
  EXPECT_EQ(read_file(path).value(), std::string("second\0byte", 11));
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1);
}

TEST_F(File, AReplacedFileKeepsItsMode) {
  const fs::path path = folder_ / "private.txt";
  ASSERT_TRUE(write_file(path, "first"));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(write_file(path, "second"));
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(File, SymlinksAreFollowed) {
  ASSERT_TRUE(write_file(folder_ / "target.txt", "first"));
  fs::create_symlink("target.txt", folder_ / "link.txt");
  ASSERT_TRUE(write_file(folder_ / "link.txt", "second"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.txt"));
  EXPECT_EQ(read_file(folder_ / "target.txt").value(), "second");
  // Also one whose target is not there yet.
  fs::create_symlink("later.txt", folder_ / "dangling.txt");
  ASSERT_TRUE(write_file(folder_ / "dangling.txt", "third"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "dangling.txt"));
  EXPECT_EQ(read_file(folder_ / "later.txt").value(), "third");
  EXPECT_EQ(entries(), 4);
}

TEST_F(File, AFifoIsWrittenStraight) {
  const fs::path fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(check_writable(fifo));
  auto reader = std::async(std::launch::async, [&] { return read_file(fifo).value(); });
  ASSERT_TRUE(write_file(fifo, "through"));
  EXPECT_EQ(reader.get(), "through");
  EXPECT_TRUE(fs::is_fifo(fifo));
}

TEST_F(File, ADeviceIsWrittenStraight) {
  EXPECT_TRUE(write_file("/dev/null", "gone"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const Expected<void> full = write_file("/dev/full", "more");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().message, "/dev/full: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(File, NamesOfAnyLengthThatAFileMayHave) {
  EXPECT_TRUE(write_file(folder_ / std::string(255, 'x'), "long"));
}

TEST_F(File, SaysWhatIsWrong) {
  EXPECT_EQ(read_file("/nowhere/at all").error().message, "/nowhere/at all: No such file or directory");
  EXPECT_EQ(read_file("/").error().message, "/: is a folder; a file is needed");
  const Expected<void> written = write_file("/proc/assay/x", "");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::infrastructure);
}

TEST_F(File, WhatCannotBeWrittenIsKnownBefore) {
  EXPECT_TRUE(check_writable(folder_ / "new" / "deep" / "file.txt"));
  EXPECT_EQ(entries(), 0) << "the question leaves something behind";
  for (const fs::path& path : {fs::path("/proc/assay/x"), folder_, folder_ / "file" / "below"}) {
    ASSERT_TRUE(write_file(folder_ / "file", ""));
    const Expected<void> writable = check_writable(path);
    ASSERT_FALSE(writable) << path;
    EXPECT_EQ(writable.error().kind, ErrorKind::usage);
    EXPECT_NE(writable.error().message.find(path.string()), std::string::npos) << writable.error().message;
  }
}

}  // namespace
}  // namespace assay
