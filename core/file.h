#pragma once

// Files are written whole or not at all: temporary, fsync, rename.

#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

Expected<std::string> read_file(const std::filesystem::path& path);
Expected<void> write_file(const std::filesystem::path& path, std::string_view content);  // makes folders

}  // namespace assay
