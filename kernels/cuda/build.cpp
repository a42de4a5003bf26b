// Compiles a kernel with nvcc, cached by content.

#include "kernels/cuda/build.h"

#include <sys/resource.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/file.h"
#include "core/text.h"
#include "kernels/adapter.h"
#include "kernels/cuda/plugin.h"
#include "kernels/libexec.h"
#include "kernels/process.h"
#include "kernels/sandbox.h"

namespace assay::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kCompilerDeadline{120};
constexpr std::size_t kMostDiagnostics = 6000;  // characters that are shown

Expected<fs::path> find_nvcc() {
  std::vector<std::string> folders;
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0')
    folders.push_back(std::string(home) + "/bin");
  if (const char* path = std::getenv("PATH")) {
    for (std::string& folder : split(path, ':')) folders.push_back(std::move(folder));
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const std::string& folder : folders) {
    const fs::path candidate = fs::path(folder) / "nvcc";
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return infrastructure_error(
      "--executor cuda needs nvcc, which is not on the PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin; "
      "install the CUDA toolkit, or leave the flag away to run on the CPU");
}

Expected<Finished> probe_devices() {
  const auto program = cuda_program("assay-cuda-devices");
  if (!program) return tl::unexpected(program.error());
  Command command;
  command.arguments = {program->string()};
  command.environment = {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"};
  return run_to_end(command, std::chrono::seconds(30));
}

Expected<std::vector<Device>> ask_for_devices() {
  const auto answer = probe_devices();
  if (!answer) return tl::unexpected(answer.error());
  if (answer->timed_out) return infrastructure_error("the CUDA driver does not answer within 30 s");
  if (!answer->ok())
    return infrastructure_error("--executor cuda: {}; leave the flag away to run on the CPU",
                                trim(answer->output));
  return parse_devices(answer->output);
}

// The source and the files that it includes by "name", as far as they are found beside the including file.
void gather(const fs::path& path, std::string_view text, std::map<fs::path, std::string>& files) {
  constexpr std::size_t kMostFiles = 64;
  if (files.size() >= kMostFiles || !files.emplace(path, text).second) return;
  for (const std::string& line : split(std::string(text), '\n')) {
    std::string_view rest = trim(line);
    if (!rest.starts_with('#')) continue;
    rest = trim(rest.substr(1));
    if (!rest.starts_with("include")) continue;
    rest = trim(rest.substr(7));
    const std::size_t close = rest.size() > 1 && rest[0] == '"' ? rest.find('"', 1) : std::string_view::npos;
    if (close == std::string_view::npos) continue;
    const fs::path included =
        (path.parent_path() / std::string(rest.substr(1, close - 1))).lexically_normal();
    if (const auto content = read_file(included)) gather(included, *content, files);
  }
}

std::string hash_of(std::string_view content) {
  const XXH128_hash_t h = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", h.high64, h.low64);
}

std::vector<std::string> flags_for(const std::string& arch) {
  std::vector<std::string> flags = {"-std=c++20", "-O3",        "-arch=" + arch,   "-lineinfo",
                                    "-shared",    "-cudart",    "static",          "-Xcompiler",
                                    "-fPIC",      "-Xcompiler", "-fno-gnu-unique", "-w"};
  for (const char* name : kWrapped) flags.insert(flags.end(), {"-Xlinker", fmt::format("--wrap={}", name)});
  return flags;
}

bool is_arch(std::string_view text) {
  if (!text.starts_with("sm_")) return false;
  text.remove_prefix(3);
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) text.remove_suffix(1);
  return (text.size() == 2 || text.size() == 3) &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct Goal {
  std::string arch;
  std::string device;  // as Kernel::device
};

// Naming an architecture asks for no GPU: a machine without one can compile.
Expected<Goal> goal_of(const BuildOptions& options) {
  if (!options.gpu_arch.empty() && options.gpu_arch != "native") {
    if (!is_arch(options.gpu_arch))
      return usage_error("--gpu-arch: '{}' is no architecture; expected native, or one such as sm_80, sm_90a",
                         options.gpu_arch);
    return Goal{options.gpu_arch, options.gpu_arch};
  }
  const auto found = devices();
  if (!found) return tl::unexpected(found.error());
  const Device& first = found->front();
  return Goal{first.arch, fmt::format("{} ({})", first.name, first.arch)};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (from.empty() || from == to) return text;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

Expected<std::vector<Device>> parse_devices(std::string_view lines) {
  std::vector<Device> result;
  for (const std::string& line : split(std::string(lines), '\n')) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos || !is_arch(line.substr(tab + 1))) continue;
    result.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  if (result.empty()) return infrastructure_error("--executor cuda: the CUDA driver names no device");
  return result;
}

Expected<std::vector<Device>> devices() {
  static const Expected<std::vector<Device>> result = ask_for_devices();
  return result;
}

std::string diagnostics(std::string_view output, const fs::path& absolute, const fs::path& shown) {
  std::string result;
  for (const std::string& line :
       split(replaced(std::string(output), absolute.string(), shown.string()), '\n')) {
    if (line.find("adapter.cu") != std::string::npos) continue;
    if (trim(line).empty() && (result.empty() || result.ends_with("\n\n"))) continue;
    result += line + "\n";
  }
  while (result.ends_with('\n')) result.pop_back();
  if (result.size() > kMostDiagnostics)
    result = result.substr(0, result.rfind('\n', kMostDiagnostics)) + "\n...";
  return result;
}

Expected<Kernel> build(const KernelSource& source, const Signature& signature, std::vector<Binding> bindings,
                       const BuildOptions& options) {
  const auto nvcc = find_nvcc();
  if (!nvcc) return tl::unexpected(nvcc.error());
  const auto support = cuda_program("libassay-cuda-plugin.a");
  if (!support) return tl::unexpected(support.error());
  const auto goal = goal_of(options);
  if (!goal) return tl::unexpected(goal.error());

  std::error_code error;
  fs::path absolute = fs::canonical(source.path, error);
  if (error) absolute = fs::absolute(source.path).lexically_normal();
  const std::string unit = adapter(bindings, signature, absolute);
  std::map<fs::path, std::string> files;
  gather(absolute, source.text, files);
  const std::vector<std::string> flags = flags_for(goal->arch);
  std::string content =
      fmt::format("{} {} {}", nvcc->string(), fs::last_write_time(*nvcc, error).time_since_epoch().count(),
                  join(flags, " "));
  content += read_file(*support).value_or("") + '\0' + unit;
  for (const auto& [path, text] : files) content += '\0' + path.string() + '\0' + text;
  const std::string hash = hash_of(content);

  const fs::path cache = fs::absolute(options.cache.empty() ? default_cache() : options.cache);
  const fs::path folder = cache / "kernels" / ("cuda-" + hash);
  if (fs::create_directories(folder, error); error) {
    return infrastructure_error("cannot make the cache folder {}: {}; name another with $ASSAY_CACHE",
                                folder.string(), error.message());
  }
  BuildOptions used = options;
  used.cache = cache;
  const fs::path plugin = folder / "cuda.so";
  Kernel kernel{source, signature, std::move(bindings), plugin, plugin, hash, goal->device, used};
  if (fs::exists(plugin, error)) return kernel;

  const fs::path adapter_file = folder / "adapter.cu";
  if (auto written = write_file(adapter_file, unit); !written) return tl::unexpected(written.error());
  const fs::path temporary = folder / fmt::format("cuda.{}.tmp", getpid());
  Command command;
  command.arguments = {nvcc->string()};
  command.arguments.insert(command.arguments.end(), flags.begin(), flags.end());
  command.arguments.insert(command.arguments.end(),
                           {adapter_file.string(), support->string(), "-o", temporary.string()});
  if (options.sandbox) {
    Sandbox sandbox;
    sandbox.hide_home = false;
    sandbox.dies_with_parent = true;
    sandbox.readable = {absolute.parent_path(), support->parent_path(), nvcc->parent_path().parent_path()};
    sandbox.writable = {folder};
    command.arguments = inside(sandbox, command.arguments);
  }
  command.limits = {{RLIMIT_CPU, 120}, {RLIMIT_FSIZE, std::uint64_t{1} << 30}, {RLIMIT_CORE, 0}};
  auto finished = run_to_end(command, kCompilerDeadline);
  if (!finished) return tl::unexpected(finished.error());
  if (finished->timed_out || !finished->ok()) fs::remove(temporary, error);
  if (finished->timed_out)
    return usage_error("{}: nvcc did not end within {} s", source.path.string(), kCompilerDeadline.count());
  if (!finished->ok())
    return usage_error("{} does not compile with nvcc:\n{}", source.path.string(),
                       diagnostics(finished->output, absolute, source.path));
  fs::rename(temporary, plugin, error);
  if (error) return infrastructure_error("{}: {}", plugin.string(), error.message());
  return kernel;
}

}  // namespace assay::cuda
