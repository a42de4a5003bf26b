#pragma once

// A .cu file and the files beside it that it includes, rewritten (frontend.h), and how the compiler sees the
// rewritten text under the user's own paths: messages, #line and debug information name his files.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace assay::cpu {

// What a file includes with quotes, as far as it lies there; paths are as absolute as `path`.
std::vector<std::filesystem::path> included_files(const std::filesystem::path& path, std::string_view text);

// By absolute path. `shown` is how messages name `path`; its text may be newer than the file.
using Tree = std::map<std::filesystem::path, std::string>;
Expected<Tree> rewrite_tree(const std::filesystem::path& path, const std::filesystem::path& shown,
                            std::string_view text);

// The files that put it in front of the compiler, to be written to `folder`: the texts, and the overlay.json
// that -ivfsoverlay takes.
std::map<std::filesystem::path, std::string> overlay(const Tree& tree, const std::filesystem::path& folder);

}  // namespace assay::cpu
