#pragma once

// The entries of a corpus: encoded cases (core/codec.h), one a file, named by their hash.

#include <filesystem>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/error.h"
#include "properties/target.h"

namespace assay::fuzz {

// By name; without temporaries.
Expected<std::vector<std::filesystem::path>> entries_of(const std::filesystem::path& corpus);
Expected<Case> read_entry(const std::filesystem::path& file, const Signature& signature);

// Adds the saved cases (*.case) of a folder that are of the target's kernel, by the name of its file, and its
// contract, and says how many are new. What `assay check` found guides a campaign so.
Expected<int> import_cases(const std::filesystem::path& folder, const Target& target,
                           const std::filesystem::path& corpus);

// Whether a case file's text names the target's kernel and contract.
bool belongs_to(const std::string& text, const Target& target);

}  // namespace assay::fuzz
