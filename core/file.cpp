#include "core/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace assay {

Expected<std::string> read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return usage_error("{}: is a folder; a file is needed", path.string());
  std::ifstream in(path, std::ios::binary);
  if (!in) return usage_error("{}: {}", path.string(), std::strerror(errno));
  std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return usage_error("{}: {}", path.string(), std::strerror(errno));
  return content;
}

Expected<void> write_file(const std::filesystem::path& path, std::string_view content) {
  static std::atomic<unsigned> counter{0};
  std::error_code failure;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failure);
  if (failure) return infrastructure_error("{}: {}", path.parent_path().string(), failure.message());

  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.{}.tmp", ::getpid(), counter++);
  const auto failed = [&](int file) {
    const int reason = errno;
    if (file >= 0) ::close(file);
    ::unlink(temporary.c_str());
    return infrastructure_error("{}: {}", path.string(), std::strerror(reason));
  };
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return failed(file);
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed(file);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file) != 0) return failed(file);
  ::close(file);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return failed(-1);
  return {};
}

}  // namespace assay
