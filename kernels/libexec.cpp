#include "kernels/libexec.h"

#include <cstdlib>
#include <vector>

#include "core/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Expected<fs::path> find(const fs::path& name, const fs::path& built) {
  std::vector<fs::path> candidates;
  if (const char* folder = std::getenv("ASSAY_LIBEXEC"); folder != nullptr && *folder != '\0') {
    candidates.push_back(fs::path(folder) / name);
  }
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  candidates.push_back(here / name);
  candidates.push_back(here.parent_path() / "libexec" / "assay" / name);
  candidates.push_back(built);
  std::vector<std::string> tried;
  for (const fs::path& candidate : candidates) {
    if (fs::exists(candidate, error)) return fs::canonical(candidate, error);
    tried.push_back(candidate.string());
  }
  return infrastructure_error("cannot find {}; looked for {}; name its folder with $ASSAY_LIBEXEC",
                              name.string(), join(tried, ", "));
}

}  // namespace

std::string_view name_of(Build build) {
  return build == Build::fast ? "fast" : build == Build::checked ? "checked" : "race";
}

Expected<fs::path> cuda_program(const fs::path& name) {
  auto found = find(name, fs::path(ASSAY_BUILT_LIBEXEC) / name);
  if (found) return found;
  return infrastructure_error("the CUDA executor is not part of this build (preset cuda makes it): {}",
                              found.error().message);
}

Expected<fs::path> worker_program(Executor executor, Build build) {
  if (executor == Executor::cuda) return cuda_program("assay-worker-cuda");
  const fs::path name = fmt::format("assay-worker-{}", name_of(build));
  return find(name, fs::path(ASSAY_BUILT_LIBEXEC) / name);
}

Expected<fs::path> cpu_compiler() {
  return find("assay-c++", fs::path(ASSAY_BUILT_LIBEXEC) / "assay-c++");
}

Expected<fs::path> runtime_archive(Build build) {
  const fs::path name = fmt::format("libassay_cpu_{}.a", name_of(build));
  return find(name, fs::path(ASSAY_BUILT_ARCHIVES) / name);
}

Expected<fs::path> include_folder() {
  return find("include/assay_cuda.h", fs::path(ASSAY_BUILT_INCLUDE) / "assay_cuda.h")
      .map([](const fs::path& p) { return p.parent_path(); });
}

}  // namespace assay
