#include "properties/target.h"

#include <algorithm>

#include "core/file.h"
#include "core/realise.h"
#include "core/text.h"
#include "properties/hints.h"

namespace assay {
namespace fs = std::filesystem;
namespace {

std::string names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (DType dtype : dtypes) names.emplace_back(name(dtype));
  return join(names, ", ");
}

Expected<void> check_kernel_path(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return usage_error("{}: is a folder; a CUDA source (.cu) is needed", path.string());
  if (fs::exists(path, ignored)) {
    if (path.extension() == ".contract")
      return usage_error("{}: is a contract; a CUDA source (.cu) is needed, the contract goes to --contract",
                         path.string());
    if (path.extension() == ".case")
      return usage_error("{}: is a saved case; 'replay' runs it, a CUDA source (.cu) is needed here",
                         path.string());
    return {};
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored))
    return usage_error("{}: no such file, and no such folder {}", path.string(), folder.string());
  std::vector<std::string> sources;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".cu") sources.push_back(entry.path().filename().string());
  std::sort(sources.begin(), sources.end());
  if (sources.empty())
    return usage_error("{}: no such file; {} holds no .cu file", path.string(), folder.string());
  if (nearest(path.filename().string(), sources).empty() && sources.size() > 8) {
    return usage_error("{}: no such file", path.string());
  }
  return usage_error("{}: no such file{}", path.string(), suggestion(path.filename().string(), sources));
}

Expected<Contract> contract_for(const TargetOptions& options) {
  if (options.contract.ends_with(".cu"))
    return usage_error(
        "'{}' is a CUDA source, not a contract; expected the name of a library contract ({}, ...) "
        "or a .contract file",
        options.contract, library_contracts().empty() ? "" : library_contracts().front());
  std::error_code ignored;
  const std::vector<std::string> library = library_contracts();
  if (std::find(library.begin(), library.end(), options.contract) == library.end() &&
      fs::is_directory(options.contract, ignored))
    return usage_error(
        "--contract: {} is a folder; the name of a library contract or a .contract file is needed",
        options.contract);
  return load_contract(options.contract);
}

}  // namespace

Expected<Plan> plan(const TargetOptions& options) {
  const Expected<void> path = check_kernel_path(options.kernel);
  if (!path) return tl::unexpected(path.error());
  Expected<Contract> contract = contract_for(options);
  if (!contract) return tl::unexpected(contract.error());
  const Expected<Allowances> allow = parse_allowances(options.allow);
  if (!allow) return tl::unexpected(allow.error());
  Expected<Where> where = Where::parse(*contract, options.where);
  if (!where) return tl::unexpected(where.error());

  std::optional<DType> dtype;
  if (!options.dtype.empty()) {
    dtype = parse_dtype(options.dtype);
    const std::vector<DType>& known = contract->dtypes();
    if (!dtype || std::find(known.begin(), known.end(), *dtype) == known.end())
      return usage_error("--dtype: '{}' is none of the dtypes of contract {}: {}", options.dtype,
                         contract->signature().name, names_of(known));
  }

  Expected<KernelSource> source = read_source(options.kernel);
  if (!source) return tl::unexpected(source.error());
  Expected<std::vector<Binding>> bindings = assay::bind(*source, contract->signature(), options.bind, dtype);
  if (!bindings) return tl::unexpected(bindings.error());

  // What the kernel takes and the contract knows, in the kernel's order.
  std::vector<DType> dtypes, taken;
  for (const Binding& binding : *bindings)
    for (DType d : binding.dtypes) {
      taken.push_back(d);
      const std::vector<DType>& known = contract->dtypes();
      if (std::find(known.begin(), known.end(), d) != known.end() &&
          std::find(dtypes.begin(), dtypes.end(), d) == dtypes.end())
        dtypes.push_back(d);
    }
  if (dtypes.empty())
    return usage_error("{}: takes {}, contract {} is declared for {}", options.kernel.string(),
                       names_of(taken), contract->signature().name, names_of(contract->dtypes()));
  std::vector<bool> passed = passed_attributes(contract->signature(), *bindings);
  Subject subject{std::move(*contract),    *allow, std::move(*where), std::move(dtypes), std::move(passed),
                  size_hints(source->text)};
  return Plan{options, std::move(subject), std::move(*source), std::move(*bindings)};
}

std::string describe(const Case& c, const Subject& subject) {
  const Signature& signature = subject.contract.signature();
  const Expected<Shapes> shapes = shapes_of(subject.contract, c.instance);
  return describe(shapes ? settled(c, *shapes) : c, signature);
}

Expected<Target> build(const Plan& plan) {
  BuildOptions options;
  options.sandbox = plan.asked.sandbox;
  options.executor = plan.asked.executor;
  options.gpu_arch = plan.asked.gpu_arch;
  options.sanitizer = plan.asked.sanitizer;
  options.branches = plan.asked.branches;
  Expected<Kernel> kernel = build(plan.source, plan.subject.contract.signature(), plan.bindings, options);
  if (!kernel) return tl::unexpected(kernel.error());
  return Target{plan.asked, plan.subject, std::move(*kernel)};
}

}  // namespace assay
