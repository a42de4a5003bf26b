#include "kernels/cuda/sanitizer.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/text.h"

namespace assay::cuda {
namespace {

constexpr std::string_view kMargin = "=========";

// A record is a line at the margin and the indented ones below it.
struct Record {
  std::string head;
  std::vector<std::string> details;
};

std::vector<Record> records_of(std::string_view text) {
  std::vector<Record> records;
  for (const std::string& line : split(std::string(text), '\n')) {
    if (!line.starts_with(kMargin)) continue;
    const std::string_view rest = std::string_view(line).substr(kMargin.size());
    const std::string_view words = trim(rest);
    if (words.empty()) continue;
    if (rest.starts_with("    ") && !records.empty()) {
      records.back().details.emplace_back(words);
    } else {
      records.push_back({std::string(words), {}});
    }
  }
  return records;
}

// "FILE:LINE" of "... at kernel(float*)+0x20 in FILE:LINE".
std::string place_in_line(std::string_view line) {
  const std::size_t in = line.rfind(" in ");
  if (in == std::string_view::npos) return {};
  const std::string_view place = trim(line.substr(in + 4));
  const std::string_view word = place.substr(0, place.find(' '));
  return word.find(':') == std::string_view::npos ? "" : std::string(word);
}

std::string kind_of(const Record& record) {
  const auto says = [&](std::string_view words) {
    return std::any_of(record.details.begin(), record.details.end(),
                       [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  if (record.head.starts_with("Error: Race reported")) return "race";
  if (record.head.starts_with("Barrier error detected")) return "barrier in divergent code";
  if (record.head.starts_with("Invalid __")) return says("is misaligned") ? "misaligned" : "out of bounds";
  return {};
}

}  // namespace

Expected<std::vector<std::string>> inside_sanitizer(const std::string& tool,
                                                    std::vector<std::string> arguments) {
  std::vector<std::string> folders;
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0')
    folders.push_back(std::string(home) + "/bin");
  if (const char* path = std::getenv("PATH")) {
    for (std::string& folder : split(path, ':')) folders.push_back(std::move(folder));
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const std::string& folder : folders) {
    std::string program = folder + "/compute-sanitizer";
    if (access(program.c_str(), X_OK) != 0) continue;
    std::vector<std::string> command = {
        std::move(program), "--tool", tool, "--target-processes", "all", "--print-limit", "10000",
        "--show-backtrace", "no"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }
  return infrastructure_error(
      "--sanitizer {} needs compute-sanitizer, which is not on the PATH, in $CUDA_HOME/bin or in "
      "/usr/local/cuda/bin",
      tool);
}

std::vector<Diagnostic> parse_tool_report(std::string_view text) {
  std::vector<Diagnostic> result;
  for (const Record& record : records_of(text)) {
    Diagnostic d;
    d.kind = kind_of(record);
    if (d.kind.empty()) continue;
    d.location = place_in_line(record.head);
    for (const std::string& line : record.details)
      if (d.location.empty()) d.location = place_in_line(line);
    d.text = record.head;
    constexpr std::size_t kMostLines = 4;
    for (std::size_t i = 0; i < std::min(kMostLines, record.details.size()); ++i)
      d.text += "\n" + record.details[i];
    const bool known = std::any_of(result.begin(), result.end(), [&](const Diagnostic& other) {
      return other.kind == d.kind && other.location == d.location;
    });
    if (!known) result.push_back(std::move(d));
  }
  return result;
}

}  // namespace assay::cuda
