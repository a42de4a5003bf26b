#pragma once

// Regular files are written whole or not at all: temporary, fsync, rename. What a symlink names is replaced,
// not the symlink, and a replaced file keeps its mode. Devices and FIFOs are written straight.

#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

Expected<std::string> read_file(const std::filesystem::path& path);
Expected<void> write_file(const std::filesystem::path& path, std::string_view content);  // makes folders

// Before long work: whether `path` can be written, else a usage error with the reason. Leaves nothing behind.
Expected<void> check_writable(const std::filesystem::path& path);

}  // namespace assay
