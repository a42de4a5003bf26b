#include "kernels/sandbox.h"

#include <cstdlib>

#include "core/text.h"
#include "kernels/process.h"

namespace assay {
namespace {

Expected<void> try_it() {
  constexpr std::string_view advice =
      "generated kernels are hostile; to compile and run this one without a sandbox, say --no-sandbox";
  auto finished = run_to_end({inside({}, {"true"}), {}, {}}, std::chrono::seconds(10));
  if (!finished) {
    return infrastructure_error("no sandbox: {} (install the package bubblewrap); {}",
                                finished.error().message, advice);
  }
  if (!finished->ok()) {
    return infrastructure_error("no sandbox: bubblewrap cannot run here ({}); {}",
                                finished->timed_out ? "it did not end" : trim(finished->output), advice);
  }
  return {};
}

}  // namespace

Expected<void> probe_sandbox() {
  static const Expected<void> result = try_it();
  return result;
}

std::vector<std::string> inside(const Sandbox& sandbox, std::vector<std::string> arguments) {
  std::vector<std::string> command = {"bwrap",  "--unshare-all", "--new-session", "--ro-bind", "/",
                                      "/",      "--dev",         "/dev",          "--proc",    "/proc",
                                      "--size", "268435456",     "--tmpfs",       "/tmp"};
  if (sandbox.dies_with_parent) command.emplace_back("--die-with-parent");
  if (sandbox.hide_home) {
    std::vector<std::string> hidden = {"/home", "/root", "/run", "/var/tmp", "/srv", "/mnt", "/sys"};
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/' && std::string(home) != "/") {
      hidden.emplace_back(home);
    }
    for (const std::string& folder : hidden) {
      std::error_code error;
      if (std::filesystem::is_directory(folder, error)) command.insert(command.end(), {"--tmpfs", folder});
    }
  }
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator("/dev", error)) {
    if (!sandbox.gpu || !file.path().filename().string().starts_with("nvidia")) continue;
    command.insert(command.end(), {"--dev-bind", file.path().string(), file.path().string()});
  }
  for (const auto& folder : sandbox.readable)
    command.insert(command.end(), {"--ro-bind", folder.string(), folder.string()});
  for (const auto& folder : sandbox.writable)
    command.insert(command.end(), {"--bind", folder.string(), folder.string()});
  command.insert(command.end(), {"--chdir", "/", "--"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace assay
