#include "fuzz/corpus.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <span>

#include "core/codec.h"
#include "core/file.h"
#include "core/text.h"
#include "fuzz/finding.h"

namespace assay::fuzz {
namespace fs = std::filesystem;
namespace {

// The value of a line "key = value".
std::string field(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    const auto equals = line.find('=');
    if (equals != std::string::npos && trim(std::string_view(line).substr(0, equals)) == key)
      return std::string(trim(std::string_view(line).substr(equals + 1)));
  }
  return "";
}

// Two checkouts have the same contract at other paths.
std::string plain_name(const std::string& contract) {
  return contract.ends_with(".contract") ? fs::path(contract).stem().string() : contract;
}

Expected<std::vector<fs::path>> files_of(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.') &&
        (extension.empty() || entry.path().extension() == extension))
      files.push_back(entry.path());
  if (failure) return usage_error("{}: {}", folder.string(), failure.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Expected<std::vector<fs::path>> entries_of(const fs::path& corpus) {
  return files_of(corpus, "");
}

Expected<Case> read_entry(const fs::path& file, const Signature& signature) {
  const Expected<std::string> bytes = read_file(file);
  if (!bytes) return tl::unexpected(bytes.error());
  return decode(std::as_bytes(std::span(bytes->data(), bytes->size())), signature);
}

bool belongs_to(const std::string& text, const Target& target) {
  return fs::path(field(text, "kernel")).filename() == target.asked.kernel.filename() &&
         plain_name(field(text, "contract")) == plain_name(target.asked.contract);
}

Expected<int> import_cases(const fs::path& folder, const Target& target, const fs::path& corpus) {
  const auto files = files_of(folder, ".case");
  if (!files) return tl::unexpected(files.error());
  int added = 0;
  for (const fs::path& file : *files) {
    const Expected<std::string> text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    if (!belongs_to(*text, target)) continue;
    const auto saved = read_report(file, target);
    if (!saved) continue;  // of an older version of the contract, say
    const std::vector<std::byte> bytes = encode(saved->test);
    const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
    const fs::path entry = corpus / fmt::format("{:016x}{:016x}", h.high64, h.low64);
    std::error_code ignored;
    if (fs::exists(entry, ignored)) continue;
    const auto written = write_file(entry, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!written) return tl::unexpected(written.error());
    ++added;
  }
  return added;
}

}  // namespace assay::fuzz
