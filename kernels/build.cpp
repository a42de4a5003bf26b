// Compiles a kernel into plug-ins, cached by content.

#include <sys/resource.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>

#include "core/file.h"
#include "core/text.h"
#include "kernels/adapter.h"
#include "kernels/build.h"
#include "kernels/code.h"
#include "kernels/cpu/flags.h"
#include "kernels/cpu/tree.h"
#include "kernels/cuda/build.h"
#include "kernels/libexec.h"
#include "kernels/process.h"
#include "kernels/sandbox.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kCompilerDeadline{60};
constexpr std::size_t kMostDiagnostics = 6000;  // characters that are shown

std::string hash_of(std::string_view content) {
  const XXH128_hash_t h = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", h.high64, h.low64);
}

std::vector<std::string> flags_of(Build build) {
  std::vector<std::string> flags;
  const auto add = [&](const auto& list) {
    for (const std::string_view flag : list) flags.emplace_back(flag);
  };
  add(cpu::plugin_flags);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) add(cpu::machine_flags);
#endif
  switch (build) {
    case Build::fast:
      add(cpu::fast_flags);
      break;
    case Build::checked:
      add(cpu::checked_flags);
      break;
    case Build::race:
      add(cpu::race_flags);
      break;
  }
  return flags;
}

// The compiler's folders of headers but for /usr/local/include, where that holds a CUDA toolkit: its headers
// are for nvcc, and would stand in for those that kernels/cpu/include does not have. Empty where it holds
// none.
const std::vector<std::string>& system_folders() {
  static const std::vector<std::string> flags = [] {
    constexpr std::string_view kLocal = "/usr/local/include";
    std::vector<std::string> result;
    std::error_code ignored;
    if (!fs::exists(fs::path(kLocal) / "cuda_runtime_api.h", ignored)) return result;
    const auto probed = run_to_end(
        {{std::string(cpu::compiler), "-x", "c++", "-E", "-v", "/dev/null"}, {}, {}}, kCompilerDeadline);
    if (!probed || !probed->ok()) return result;
    result.emplace_back("-nostdinc");
    bool listed = false;
    for (const std::string& line : split(probed->output, '\n')) {
      if (line.starts_with("End of search list")) break;
      if (listed && trim(line) != kLocal) result.insert(result.end(), {"-isystem", std::string(trim(line))});
      listed = listed || line.starts_with("#include <...>");
    }
    return result;
  }();
  return flags;
}

// What every plug-in depends on: the headers and the flags.
std::string toolchain(const fs::path& include) {
  std::string text;
  std::vector<fs::path> headers;
  std::error_code error;
  for (const auto& file : fs::recursive_directory_iterator(include, error)) {
    if (file.is_regular_file()) headers.push_back(file.path());
  }
  std::sort(headers.begin(), headers.end());
  for (const fs::path& header : headers) {
    text += header.string();
    text += read_file(header).value_or("");
  }
  for (const Build build : {Build::fast, Build::checked, Build::race}) text += join(flags_of(build), " ");
  text += join(system_folders(), " ");
  for (const char* program : {"/usr/bin/clang++-19"}) {
    const auto time = fs::last_write_time(program, error);
    text += fmt::format("{} {}", program, time.time_since_epoch().count());
  }
  return hash_of(text);
}

// A command that runs in the folder `work`, which it may write to.
Expected<Finished> compile(const std::vector<std::string>& arguments, const fs::path& work,
                           const fs::path& source_folder, const fs::path& include, bool sandboxed) {
  Command command;
  command.arguments = arguments;
  if (sandboxed) {
    Sandbox sandbox;
    sandbox.hide_home = false;
    sandbox.dies_with_parent = true;
    sandbox.readable = {include};
    if (!source_folder.empty()) sandbox.readable.push_back(source_folder);
    sandbox.writable = {work};
    command.arguments = inside(sandbox, arguments);
  }
  command.limits = {{RLIMIT_CPU, 60},
                    {RLIMIT_AS, std::uint64_t{6} << 30},
                    {RLIMIT_FSIZE, std::uint64_t{1} << 30},
                    {RLIMIT_CORE, 0}};
  return run_to_end(command, kCompilerDeadline);
}

// The precompiled prelude of a build, made once a cache and toolchain, or anew: others may be using the old
// one, which is replaced in one step.
Expected<fs::path> prelude(Build build, const fs::path& cache, const std::string& tools,
                           const fs::path& include, bool sandboxed, bool anew = false) {
  const fs::path folder = cache / "prelude" / tools;
  const fs::path pch = folder / fmt::format("{}.pch", name_of(build));
  std::error_code error;
  if (!anew && fs::exists(pch, error)) return pch;
  fs::create_directories(folder, error);
  const fs::path temporary = folder / fmt::format("{}.{}.tmp", name_of(build), getpid());
  std::vector<std::string> arguments = {std::string(cpu::compiler)};
  for (std::string& flag : flags_of(build)) {
    if (flag == "c++") flag = "c++-header";
    if (flag != "-shared" && !flag.starts_with("-Wl,")) arguments.push_back(std::move(flag));
  }
  arguments.insert(arguments.end(), system_folders().begin(), system_folders().end());
  arguments.insert(arguments.end(),
                   {"-I" + include.string(), (include / cpu::prelude).string(), "-o", temporary.string()});
  auto finished = compile(arguments, folder, {}, include, sandboxed);
  if (!finished) return tl::unexpected(finished.error());
  if (!finished->ok()) {
    fs::remove(temporary, error);
    return infrastructure_error("cannot precompile {}: {}", (include / cpu::prelude).string(),
                                finished->timed_out ? "the compiler did not end" : finished->output);
  }
  fs::rename(temporary, pch, error);
  return pch;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (from.empty() || from == to) return text;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// The compiler's lines without what speaks of the adapter.
std::string diagnostics(const std::string& output, const fs::path& absolute, const fs::path& shown) {
  std::string result;
  for (const std::string& line : split(replaced(output, absolute.string(), shown.string()), '\n')) {
    if (line.starts_with("In file included from") && line.find("adapter.cpp") != std::string::npos) continue;
    result += line + "\n";
  }
  while (result.ends_with('\n')) result.pop_back();
  if (result.size() > kMostDiagnostics)
    result = result.substr(0, result.rfind('\n', kMostDiagnostics)) + "\n...";
  return result;
}

struct Job {
  fs::path folder;    // of the plug-in
  fs::path absolute;  // of the source
  fs::path shown;
  fs::path include;
  fs::path cache;
  std::string tools;
  bool sandboxed = true;
  bool branches = false;
};

// Flags that tell of each branch of a kernel whether it was taken. Flags, not counters: those wrap at 256,
// where blocks of 256 threads meet at 0, and what they count is mostly the size of the launch.
constexpr std::string_view kBranchFlags[] = {"-fsanitize-coverage=edge,inline-bool-flag"};
// What is not the kernel's own code: the adapter, and the standard library's functions where they are not
// inlined. The shim's stay: a kernel is often inlined into the one that launches it.
constexpr std::string_view kNotTheKernels = R"(fun:assay_entry_*
fun:*AssayPlain*
fun:_ZSt*
fun:_ZNSt*
fun:_ZNKSt*
fun:__clang_call_terminate
fun:_GLOBAL__*
)";

Expected<fs::path> compile_plugin(Build build, const Job& job) {
  const fs::path plugin = job.folder / fmt::format("{}.so", name_of(build));
  std::error_code error;
  if (fs::exists(plugin, error)) return plugin;
  const auto pch = prelude(build, job.cache, job.tools, job.include, job.sandboxed);
  if (!pch) return tl::unexpected(pch.error());
  const fs::path temporary = job.folder / fmt::format("{}.{}.tmp", name_of(build), getpid());
  std::vector<std::string> arguments = {std::string(cpu::compiler)};
  for (std::string& flag : flags_of(build)) arguments.push_back(std::move(flag));
  arguments.insert(arguments.end(), system_folders().begin(), system_folders().end());
  arguments.insert(arguments.end(),
                   {"-I" + job.include.string(), "-include-pch", pch->string(), "-ivfsoverlay",
                    (job.folder / "overlay.json").string(),
                    "-ffile-prefix-map=" + job.absolute.string() + "=" + job.shown.string(),
                    "-fno-caret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=10", "-fuse-ld=lld",
                    (job.folder / "adapter.cpp").string(), "-o", temporary.string()});
  if (job.branches) {
    arguments.insert(arguments.end(), std::begin(kBranchFlags), std::end(kBranchFlags));
    arguments.push_back("-fsanitize-coverage-ignorelist=" + (job.folder / "ignored.txt").string());
  }
  if (!fs::exists("/usr/bin/ld.lld-19", error)) std::erase(arguments, "-fuse-ld=lld");
  auto finished = compile(arguments, job.cache, job.absolute.parent_path(), job.include, job.sandboxed);
  // A header whose time differs, or one of the system's: the cache's key is the contents of the shim's.
  if (finished && finished->output.find("since the precompiled header") != std::string::npos) {
    if (const auto again = prelude(build, job.cache, job.tools, job.include, job.sandboxed, true); !again)
      return tl::unexpected(again.error());
    finished = compile(arguments, job.cache, job.absolute.parent_path(), job.include, job.sandboxed);
  }
  if (!finished) return tl::unexpected(finished.error());
  if (finished->timed_out) {
    fs::remove(temporary, error);
    return usage_error("{}: the compiler did not end within {} s", job.shown.string(),
                       kCompilerDeadline.count());
  }
  if (!finished->ok()) {
    fs::remove(temporary, error);
    return usage_error("{} does not compile:\n{}", job.shown.string(),
                       diagnostics(finished->output, job.absolute, job.shown));
  }
  fs::rename(temporary, plugin, error);
  if (error) return infrastructure_error("{}: {}", plugin.string(), error.message());
  return plugin;
}

Job job_of(const KernelSource& source, const BuildOptions& options, const fs::path& include) {
  std::error_code error;
  Job job;
  job.absolute = fs::canonical(source.path, error);
  if (error) job.absolute = fs::absolute(source.path).lexically_normal();
  job.shown = source.path;
  job.include = include;
  job.cache = fs::absolute(options.cache.empty() ? default_cache() : options.cache);
  job.tools = toolchain(include);
  job.sandboxed = options.sandbox;
  job.branches = options.branches;
  return job;
}

}  // namespace

fs::path default_cache() {
  if (const char* folder = std::getenv("ASSAY_CACHE"); folder != nullptr && *folder != '\0') return folder;
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder != '\0')
    return fs::path(folder) / "assay";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "assay";
  return fs::temp_directory_path() / fmt::format("assay-{}", getuid());
}

std::vector<DType> Kernel::dtypes() const {
  std::vector<DType> result;
  for (const Binding& b : bindings) {
    for (const DType d : b.dtypes) {
      if (std::find(result.begin(), result.end(), d) == result.end()) result.push_back(d);
    }
  }
  return result;
}

Expected<Kernel> build(const KernelSource& source, const Signature& signature, std::vector<Binding> bindings,
                       const BuildOptions& options) {
  if (options.sandbox) {
    if (auto probe = probe_sandbox(); !probe) return tl::unexpected(probe.error());
  }
  if (options.executor == Executor::cuda) return cuda::build(source, signature, std::move(bindings), options);
  const auto include = include_folder();
  if (!include) return tl::unexpected(include.error());

  std::error_code error;
  Job job = job_of(source, options, *include);
  const auto tree = cpu::rewrite_tree(job.absolute, job.shown, source.text);
  if (!tree) return tl::unexpected(tree.error());
  const std::string unit = adapter(bindings, signature, job.absolute);

  std::string content = job.tools + '\0' + unit + '\0' + job.shown.string();
  for (const auto& [path, text] : *tree) content += '\0' + path.string() + '\0' + text;
  if (job.branches) content.append(kBranchFlags[0]).append(kNotTheKernels);
  const std::string hash = hash_of(content);
  job.folder = job.cache / "kernels" / hash;
  if (fs::create_directories(job.folder, error); error) {
    return infrastructure_error("cannot make the cache folder {}: {}; name another with $ASSAY_CACHE",
                                job.folder.string(), error.message());
  }

  std::map<fs::path, std::string> files = cpu::overlay(*tree, job.folder);
  files.emplace(job.folder / "adapter.cpp", unit);
  if (job.branches) files.emplace(job.folder / "ignored.txt", kNotTheKernels);
  for (const auto& [path, text] : files) {
    if (fs::exists(path, error)) continue;
    if (auto written = write_file(path, text); !written) return tl::unexpected(written.error());
  }

  auto checked = std::async(std::launch::async, [&] { return compile_plugin(Build::checked, job); });
  const auto fast = compile_plugin(Build::fast, job);
  const auto slow = checked.get();
  if (!fast) return tl::unexpected(fast.error());
  if (!slow) return tl::unexpected(slow.error());
  BuildOptions used = options;
  used.cache = job.cache;
  return Kernel{source, signature, std::move(bindings), *fast, *slow, hash, "", used};
}

Expected<fs::path> plugin_of(const Kernel& kernel, Build build) {
  if (build == Build::fast || kernel.options.executor == Executor::cuda) return kernel.fast;
  if (build == Build::checked) return kernel.checked;
  // Several threads may want it at once, and its temporary file has one name in a process.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto include = include_folder();
  if (!include) return tl::unexpected(include.error());
  Job job = job_of(kernel.source, kernel.options, *include);
  job.folder = kernel.fast.parent_path();
  return compile_plugin(Build::race, job);
}

}  // namespace assay
