#include "cli/builtin.h"

#include <vector>

#include "cli/control.h"
#include "core/text.h"

namespace assay::cli {
namespace fs = std::filesystem;

Expected<TargetOptions> find_builtin(std::string_view name) {
  const auto controls = find_controls({});
  if (!controls) return tl::unexpected(controls.error());
  std::vector<std::string> names;
  fs::path folder;  // of all kernels that come with Assay
  for (const Control& control : *controls) {
    folder = control.target.kernel.parent_path().parent_path().parent_path();
    if (control.faulty) continue;
    if (control.name == name) return control.target;
    names.push_back(control.name);
  }
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "gdn", ignored)) {
    if (entry.path().extension() != ".cu") continue;
    names.push_back(entry.path().stem().string());
    if (names.back() != name) continue;
    TargetOptions target;
    target.kernel = entry.path();
    target.contract = names.back();
    return target;
  }
  return usage_error("no kernel named '{}' comes with Assay{}", name, suggestion(std::string(name), names));
}

}  // namespace assay::cli
