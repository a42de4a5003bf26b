#include "kernels/sanitizer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "core/text.h"
#include "kernels/cpu/marks.h"
#include "kernels/process.h"
#include "kernels/sandbox.h"

namespace assay {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The hexadecimal number after `mark`.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const char* first = text.data() + at + mark.size();
  const auto r = std::from_chars(first, text.data() + text.size(), value, 16);
  return r.ec == std::errc() ? std::optional(value) : std::nullopt;
}

std::string word_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + mark.size());
  return std::string(rest.substr(0, rest.find_first_of(" \n")));
}

std::string kind_of_asan(std::string_view name) {
  if (has(name, "overflow") || has(name, "underflow") || has(name, "SEGV") || has(name, "BUS") ||
      has(name, "unknown-crash") || has(name, "use-after-poison")) {
    return has(name, "stack-overflow") ? "limit exceeded" : "out of bounds";
  }
  if (has(name, "use-after") || has(name, "double-free")) return "use after free";
  if (has(name, "memory") || has(name, "allocation-size")) return "out of memory";
  return "undefined behaviour";
}

std::string kind_of_ubsan(std::string_view what) {
  if (has(what, "misaligned address") || has(what, "alignment")) return "misaligned";
  if (has(what, "out of bounds") || has(what, "insufficient space")) return "out of bounds";
  return "undefined behaviour";
}

// FILE:LINE of "FILE:LINE:COLUMN".
std::string without_column(std::string_view place) {
  const std::size_t last = place.rfind(':');
  if (last == std::string_view::npos || last == 0) return std::string(place);
  const std::size_t before = place.rfind(':', last - 1);
  return std::string(before == std::string_view::npos ? place : place.substr(0, last));
}

}  // namespace

std::vector<Diagnostic> parse_sanitizer_report(std::string_view report, std::string_view plugin,
                                               const Symbolizer& symbolizer, const TensorNamer& tensor) {
  std::vector<Diagnostic> result;
  const std::vector<std::string> lines = split(report, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (const std::size_t at = line.find(": runtime error: "); at != std::string::npos) {
      const std::string what = line.substr(at + 17);
      result.push_back({kind_of_ubsan(what), what, without_column(line.substr(0, at))});
      continue;
    }
    constexpr std::string_view kError = "ERROR: AddressSanitizer: ";
    const std::size_t at = line.find(kError);
    if (at == std::string::npos) continue;
    const std::string name = word_after(line, kError);
    Diagnostic d{kind_of_asan(line.substr(at + kError.size())), name, ""};
    std::string access;
    for (std::size_t k = i + 1; k < lines.size(); ++k) {
      const std::string& l = lines[k];
      if (l.starts_with("READ of size") || l.starts_with("WRITE of size")) {
        access = fmt::format("{} of {} bytes", l.starts_with("READ") ? "read" : "write",
                             word_after(l, "of size "));
      } else if (has(l, "caused by a READ")) {
        access = "read";
      } else if (has(l, "caused by a WRITE")) {
        access = "write";
      }
      if (has(l, "is located") && !has(l, "thread T")) d.text += fmt::format("\n{}", trim(l));
      // The first frame of the kernel's own.
      if (d.location.empty() && has(l, plugin) && trim(l).starts_with('#')) {
        if (const auto offset = number_after(l, "+0x"))
          d.location = symbolizer(*offset - (has(l, "#0 ") ? 0 : 1));
      }
    }
    const auto address = number_after(line, "address 0x");
    const std::string where = address ? tensor(*address) : "";
    if (name == "use-after-poison" && !where.empty()) {  // the band around a tensor
      d.text = fmt::format("{}, {}", access, where);
      result.push_back(std::move(d));
      break;
    }
    d.text = fmt::format("{}{}{}{}", access, access.empty() ? "" : ", ", where.empty() ? "" : where + ": ",
                         d.text);
    result.push_back(std::move(d));
    break;  // the process ends with it
  }
  return result;
}

namespace {

std::string frames_of(const std::filesystem::path& plugin, std::uint64_t offset, bool inlined,
                      bool sandboxed) {
  Command command;
  command.arguments = {
      "llvm-symbolizer-19", "--functions=none",         fmt::format("--inlining={}", inlined),
      "--relativenames",    "--obj=" + plugin.string(), fmt::format("{:#x}", offset)};
  if (sandboxed) {
    Sandbox sandbox;
    sandbox.readable = {plugin.parent_path()};
    sandbox.dies_with_parent = true;
    command.arguments = inside(sandbox, command.arguments);
  }
  const auto finished = run_to_end(command, std::chrono::seconds(10));
  return finished && finished->ok() ? finished->output : "";
}

}  // namespace

std::string symbolize(const std::filesystem::path& plugin, std::uint64_t offset, bool sandboxed) {
  const std::string line = split(frames_of(plugin, offset, false, sandboxed), '\n')[0];
  if (line.starts_with("??")) return {};
  const std::string place = without_column(line);
  return place.ends_with(":0") ? "" : place;
}

std::string symbolize_user(const std::filesystem::path& plugin, std::uint64_t offset, bool sandboxed) {
  return cpu::place_of_frames(frames_of(plugin, offset, true, sandboxed));
}

}  // namespace assay
