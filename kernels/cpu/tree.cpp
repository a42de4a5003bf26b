#include "kernels/cpu/tree.h"

#include "core/file.h"
#include "core/text.h"
#include "kernels/cpu/frontend.h"

namespace assay::cpu {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostFiles = 64;

// The name between the quotes of an #include "..."; empty for any other line.
std::string_view included_in(std::string_view line) {
  std::string_view rest = trim(line);
  for (const std::string_view word : {"#", "include", "\""}) {
    if (!rest.starts_with(word)) return {};
    rest = word == "\"" ? rest.substr(1) : trim(rest.substr(word.size()));
  }
  const std::size_t close = rest.find('"');
  return close == std::string_view::npos ? std::string_view() : rest.substr(0, close);
}

Expected<void> add(const fs::path& path, const fs::path& shown, std::string_view text, Tree& tree) {
  if (tree.contains(path) || tree.size() >= kMostFiles) return {};
  auto rewritten = rewrite(text, shown.string());
  if (!rewritten) return tl::unexpected(rewritten.error());
  tree.emplace(path, std::move(*rewritten));
  for (const fs::path& included : included_files(path, text)) {
    const auto content = read_file(included);
    if (!content) return tl::unexpected(content.error());
    if (auto done = add(included, included, *content, tree); !done) return done;
  }
  return {};
}

// JSON's own escapes; paths have no other odd letters that a compiler would take.
std::string quoted(const fs::path& path) {
  std::string text = "\"";
  for (char letter : path.string()) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + '"';
}

}  // namespace

std::vector<fs::path> included_files(const fs::path& path, std::string_view text) {
  std::vector<fs::path> files;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view name = included_in(line);
    fs::path included = (path.parent_path() / std::string(name)).lexically_normal();
    std::error_code error;
    if (!name.empty() && fs::is_regular_file(included, error)) files.push_back(std::move(included));
  }
  return files;
}

Expected<Tree> rewrite_tree(const fs::path& path, const fs::path& shown, std::string_view text) {
  Tree tree;
  if (auto done = add(path, shown, text, tree); !done) return tl::unexpected(done.error());
  return tree;
}

std::map<fs::path, std::string> overlay(const Tree& tree, const fs::path& folder) {
  std::map<fs::path, std::string> files;
  std::string roots;
  for (const auto& [path, text] : tree) {
    const fs::path real = folder / fmt::format("source{}{}", files.size(), path.extension().string());
    files.emplace(real, text);
    roots += fmt::format("{}\n  {{\"type\": \"file\", \"name\": {}, \"external-contents\": {}}}",
                         roots.empty() ? "" : ",", quoted(path), quoted(real));
  }
  files.emplace(folder / "overlay.json",
                fmt::format("{{\"version\": 0, \"use-external-names\": false, \"roots\": [{}\n]}}\n", roots));
  return files;
}

}  // namespace assay::cpu
