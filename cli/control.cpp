#include "cli/control.h"

#include <algorithm>

#include "core/file.h"
#include "core/text.h"

namespace assay::cli {
namespace fs = std::filesystem;
namespace {

fs::path default_folder() {
  std::error_code ignored;
  const fs::path installed =
      fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "share/assay/controls";
  return fs::is_directory(installed, ignored) ? installed : fs::path(ASSAY_CONTROLS);
}

// A damaged file may hold anything.
std::string printable(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& letter : result)
    if (letter < ' ' || letter > '~') letter = '?';
  return result;
}

Expected<Control> read_control(const fs::path& path) {
  const Expected<std::string> text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  Control control;
  control.name = path.stem().string();
  control.target.kernel = path;
  std::string kind, gate, only = "no", also;
  std::size_t number = 0, kind_line = 0, gate_line = 0, only_line = 0, also_line = 0;
  for (const std::string& line : split(*text, '\n')) {
    ++number;
    if (!line.starts_with("//")) break;
    const std::string_view words = trim(std::string_view(line).substr(2));
    const auto colon = words.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string key(trim(words.substr(0, colon)));
    const std::string value(trim(words.substr(colon + 1)));
    if (key == "control")
      kind = value, kind_line = number;
    else if (key == "contract")
      control.target.contract = value;
    else if (key == "gate")
      gate = value, gate_line = number;
    else if (key == "only")
      only = value, only_line = number;
    else if (key == "fault")
      control.fault = value;
    else if (key == "bind")
      control.target.bind = value;
    else if (key == "where")
      control.target.where = value;
    else if (key == "dtype")
      control.target.dtype = value;
    else if (key == "allow")
      control.target.allow = value;
    else if (key == "also")
      also = value, also_line = number;
    else
      return usage_error("{}:{}: unknown field '{}'{}", path.string(), number, printable(key),
                         suggestion(key, {"control", "contract", "gate", "only", "also", "fault", "bind",
                                          "where", "dtype", "allow"}));
  }
  if (kind_line > 0 && kind != "positive" && kind != "negative")
    return usage_error("{}:{}: control: '{}' is none of positive, negative", path.string(), kind_line,
                       printable(kind));
  if (kind_line == 0)
    return usage_error("{}: the line '// control: positive' or '// control: negative' is missing at its head",
                       path.string());
  if (control.target.contract.empty())
    return usage_error("{}: the line '// contract: NAME' is missing at its head", path.string());
  control.faulty = kind == "negative";
  control.gate = find_gate(gate);
  std::vector<std::string> ids;
  for (const Gate* known : all_gates()) ids.emplace_back(known->id);
  if (control.faulty && gate_line == 0)
    return usage_error("{}: the line '// gate: ID' is missing at its head: the gate that must see the fault",
                       path.string());
  if (gate_line > 0 && control.gate == nullptr)
    return usage_error("{}:{}: gate: unknown gate '{}'{}", path.string(), gate_line, printable(gate),
                       suggestion(gate, ids));
  if (control.faulty && control.fault.empty())
    return usage_error("{}:{}: the line '// fault: WHAT IS WRONG' is missing at its head", path.string(),
                       std::max<std::size_t>(number, 1));
  if (only != "yes" && only != "no")
    return usage_error("{}:{}: only: '{}' is none of yes, no", path.string(), only_line, only);
  control.only = only == "yes";
  if (also_line > 0)
    for (const std::string& part : split(also, ','))
      if (find_gate(trim(part)) == nullptr)
        return usage_error("{}:{}: also: unknown gate '{}'{}", path.string(), also_line, trim(part),
                           suggestion(trim(part), ids));
  return control;
}

}  // namespace

Expected<std::vector<Control>> find_controls(const fs::path& folder) {
  const fs::path root = folder.empty() ? default_folder() : folder;
  std::error_code failure;
  std::vector<Control> controls;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root, failure)) {
    if (entry.path().extension() != ".cu") continue;
    Expected<Control> control = read_control(entry.path());
    if (!control) return tl::unexpected(control.error());
    controls.push_back(std::move(*control));
  }
  if (failure) return usage_error("{}: {}", root.string(), failure.message());
  if (controls.empty()) return usage_error("{}: holds no .cu file", root.string());
  std::sort(controls.begin(), controls.end(), [](const Control& a, const Control& b) {
    return std::pair(a.faulty, a.name) < std::pair(b.faulty, b.name);
  });
  return controls;
}

}  // namespace assay::cli
