#include "core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

namespace assay {
namespace fs = std::filesystem;
namespace {

// The status behind all symlinks; nothing where there is no such file.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

// The name that a rename must replace: the end of the symlinks, also where it does not exist yet.
fs::path behind_symlinks(fs::path path) {
  std::error_code failure;
  for (int links = 0; links < 40 && fs::is_symlink(path, failure); ++links) {
    const fs::path target = fs::read_symlink(path, failure);
    if (failure) break;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path;
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The program's own output, where `path` is another name of it: a regular file that a shell redirects to must
// not be replaced while it is open.
std::optional<int> own_output(const struct stat& status) {
  for (int file : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own{};
    if (::fstat(file, &own) == 0 && own.st_dev == status.st_dev && own.st_ino == status.st_ino &&
        S_ISREG(own.st_mode))
      return file;
  }
  return std::nullopt;
}

tl::unexpected<Error> failed(const fs::path& path, int reason) {
  return infrastructure_error("{}: {}", path.string(), std::strerror(reason));
}

Expected<void> write_straight(const fs::path& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return failed(path, errno);
  const bool written = write_all(file, content);
  const int reason = errno;
  ::close(file);
  if (!written) return failed(path, reason);
  return {};
}

// The folder that has to be writable for `path` to be made: it, or the nearest above it that there is.
fs::path existing_folder(const fs::path& path) {
  std::error_code ignored;
  fs::path folder = fs::absolute(path, ignored).parent_path();
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

}  // namespace

Expected<std::string> read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return usage_error("{}: is a folder; a file is needed", path.string());
  std::ifstream in(path, std::ios::binary);
  if (!in) return usage_error("{}: {}", path.string(), std::strerror(errno));
  std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return usage_error("{}: {}", path.string(), std::strerror(errno));
  return content;
}

Expected<void> write_file(const fs::path& path, std::string_view content) {
  static std::atomic<unsigned> counter{0};
  const auto status = status_of(path);
  if (status && S_ISDIR(status->st_mode)) return failed(path, EISDIR);
  if (status && !S_ISREG(status->st_mode)) return write_straight(path, content);
  if (status) {
    if (const auto file = own_output(*status)) {
      if (!write_all(*file, content)) return failed(path, errno);
      return {};
    }
  }
  const fs::path target = behind_symlinks(path);
  std::error_code failure;
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), failure);
  if (failure) return infrastructure_error("{}: {}", target.parent_path().string(), failure.message());

  const fs::path temporary = target.parent_path() / fmt::format(".assay-{}-{}.tmp", ::getpid(), counter++);
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return failed(path, errno);
  const bool written = write_all(file, content) &&
                       (!status || ::fchmod(file, status->st_mode & 07777) == 0) && ::fsync(file) == 0;
  const int reason = errno;
  ::close(file);
  if (written && ::rename(temporary.c_str(), target.c_str()) == 0) return {};
  const int why = written ? errno : reason;
  ::unlink(temporary.c_str());
  return failed(path, why);
}

Expected<void> check_writable(const fs::path& path) {
  const auto status = status_of(path);
  if (status && S_ISDIR(status->st_mode))
    return usage_error("{} is a folder; the name of a file is needed", path.string());
  if (status && !S_ISREG(status->st_mode)) {
    if (::access(path.c_str(), W_OK) == 0) return {};
    return usage_error("{}: {}", path.string(), std::strerror(errno));
  }
  if (status && own_output(*status)) return {};
  const fs::path folder = existing_folder(behind_symlinks(path));
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    return usage_error("{}: {} is no folder", path.string(), folder.string());
  // Permissions alone do not tell: root may write to /proc, and yet nothing can be made there.
  std::string probe = (folder / ".assay-XXXXXX").string();
  const int file = ::mkostemp(probe.data(), O_CLOEXEC);
  if (file < 0)
    return usage_error("{}: folder {} is not writable: {}", path.string(), folder.string(),
                       std::strerror(errno));
  ::close(file);
  ::unlink(probe.c_str());
  return {};
}

}  // namespace assay
