#include "properties/saved_case.h"

#include <fmt/format.h>

#include "core/codec.h"
#include "core/file.h"
#include "core/random.h"
#include "core/text.h"

namespace assay {
namespace fs = std::filesystem;
namespace {

fs::path resolve(const fs::path& file, const std::string& path) {
  return fs::path(path).is_absolute() ? fs::path(path) : (file.parent_path() / path).lexically_normal();
}

std::uint32_t hash(const Case& test, std::string_view signature) {
  std::uint64_t state = 0;
  for (std::byte byte : encode(test)) state = mix(state ^ std::to_integer<std::uint64_t>(byte));
  for (char letter : signature) state = mix(state ^ static_cast<unsigned char>(letter));
  return static_cast<std::uint32_t>(state >> 32);
}

bool is_file_of_contracts(const std::string& contract) {
  return contract.ends_with(".contract");
}

// A case is made whole, on both sides of a worker, unless its gate samples it.
constexpr double kMostMegabytes = 2048;

// In doubles: products of extents may be beyond 64 bits.
double megabytes(const Shapes& shapes) {
  double bytes = 0;
  for (const auto* specs : {&shapes.inputs, &shapes.outputs})
    for (const TensorSpec& spec : *specs) {
      double elements = 1;
      for (std::int64_t extent : spec.shape) elements *= static_cast<double>(extent);
      bytes += elements * static_cast<double>(size_of(spec.dtype));
    }
  return bytes / 0x1p20;
}

// The first of the conditions of `--where` that does not hold.
std::string violated_condition(const Subject& subject, const Instance& instance) {
  const std::string all(subject.where.text());
  for (const std::string& condition : split(all, ',')) {
    const Expected<Where> one = Where::parse(subject.contract, condition);
    if (!one) break;  // a comma inside of a condition
    if (!one->holds(instance)) return std::string(trim(condition));
  }
  return all;
}

}  // namespace

// So that a case in /tmp is not a ladder of "..".
fs::path path_seen_from(const fs::path& folder, const fs::path& path) {
  std::error_code ignored;
  const fs::path from = fs::weakly_canonical(fs::absolute(folder), ignored);
  const fs::path to = fs::weakly_canonical(fs::absolute(path), ignored);
  const fs::path relative = to.lexically_proximate(from);
  std::ptrdiff_t up = 0;
  for (const fs::path& part : relative) up += part == "..";
  const std::ptrdiff_t depth = std::distance(from.begin(), from.end()) - 1;
  return up >= depth ? to : relative;
}

Reproducer reproducer_of(const fs::path& folder, const Target& target, const Gate& gate,
                         const std::string& signature, const Verdict& verdict, const Case& test) {
  const TargetOptions& asked = target.asked;
  Reproducer r;
  r.kernel = path_seen_from(folder, asked.kernel).string();
  r.bind = asked.bind;
  r.where = asked.where;
  r.allow = asked.allow;
  r.gate = gate.id;
  r.signature = signature;
  r.found = describe(verdict.evidence);
  r.test = test;
  if (is_file_of_contracts(asked.contract)) r.test.contract = path_seen_from(folder, asked.contract).string();
  return r;
}

Expected<fs::path> save_case(const fs::path& folder, const Target& target, const Gate& gate,
                             const std::string& signature, const Verdict& verdict, const Case& test) {
  const Reproducer r = reproducer_of(folder, target, gate, signature, verdict, test);
  const fs::path file = folder / fmt::format("{}-{}-{:08x}.case", target.asked.kernel.stem().string(),
                                             gate.id, hash(test, signature));
  const Expected<void> written = write_file(file, print(r, target.subject.contract.signature()));
  if (!written) return tl::unexpected(written.error());
  return file;
}

Expected<SavedCase> load_case(const fs::path& file, const LoadOptions& options) {
  const Expected<std::string> text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  if (file.extension() == ".cu")
    return usage_error("{}: is a CUDA source; a saved case is needed, 'check' makes them", file.string());
  Expected<std::string> named = contract_named_in(*text, file.string());
  if (!named) return tl::unexpected(named.error());
  if (is_file_of_contracts(*named)) named = resolve(file, *named).string();
  const Expected<Contract> contract = load_contract(*named);
  if (!contract) return usage_error("{}: contract: {}", file.string(), contract.error().message);
  Expected<Reproducer> r = parse_reproducer(*text, file.string(), contract->signature());
  if (!r) return tl::unexpected(r.error());

  const Gate* gate = find_gate(r->gate);
  if (gate == nullptr) {
    std::vector<std::string> ids;
    for (const Gate* gate : all_gates()) ids.emplace_back(gate->id);
    return usage_error("{}: gate: unknown gate '{}'{}", file.string(), r->gate, suggestion(r->gate, ids));
  }
  TargetOptions target;
  target.kernel = options.kernel.empty() ? resolve(file, r->kernel) : fs::path(options.kernel);
  target.contract = *named;
  target.bind = options.bind.empty() ? r->bind : options.bind;
  target.where = r->where;
  target.allow = r->allow;
  target.sandbox = options.sandbox;
  target.executor = options.executor;
  target.gpu_arch = options.gpu_arch;
  target.sanitizer = options.sanitizer;
  // One dtype is enough for one case, and the one that a void* kernel needs to be told.
  target.dtype = std::string(name(r->test.instance.dtype));
  Expected<Plan> planned = plan(target);
  if (!planned)
    return tl::unexpected(
        Error{planned.error().kind, fmt::format("{}: {}", file.string(), planned.error().message)});
  r->test.contract = contract->signature().name;
  const Subject& subject = planned->subject;
  const Expected<Shapes> shapes = shapes_of(*contract, r->test.instance);
  if (!shapes)
    return usage_error("{}: dims: the case is not in the domain of contract {}: {}", file.string(),
                       contract->signature().name, shapes.error().message);
  if (!subject.where.holds(r->test.instance))
    return usage_error("{}: dims: the case is not in the narrowed domain: {} does not hold", file.string(),
                       violated_condition(subject, r->test.instance));
  if (!gate->draw(subject).huge && megabytes(*shapes) > kMostMegabytes)
    return usage_error(
        "{}: dims: the tensors have {:.0f} MiB together; {} makes them whole, and at most {:.0f} MiB are "
        "made",
        file.string(), megabytes(*shapes), gate->id, kMostMegabytes);
  return SavedCase{std::move(*r), std::move(*planned), gate};
}

}  // namespace assay
