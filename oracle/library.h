#pragma once

// The texts of oracle/contracts/, compiled in at build time.

#include <string_view>
#include <vector>

namespace assay::lang {

struct LibraryText {
  std::string_view name;  // the file's, without `.contract`
  std::string_view text;
};

const std::vector<LibraryText>& library_texts();  // sorted by name

}  // namespace assay::lang
