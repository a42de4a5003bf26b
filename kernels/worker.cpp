// Runs calls of a kernel in its worker process, and says what came of them.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <map>
#include <numeric>
#include <thread>

#include "core/text.h"
#include "kernels/build.h"
#include "kernels/cpu/marks.h"
#include "kernels/crash.h"
#include "kernels/cuda/sampled.h"
#include "kernels/cuda/sanitizer.h"
#include "kernels/expression.h"
#include "kernels/keeper.h"
#include "kernels/libexec.h"
#include "kernels/sandbox.h"
#include "kernels/sanitizer.h"
#include "kernels/sparse.h"
#include "kernels/types.h"

namespace assay {
namespace {

using namespace protocol;
using Status = RunResult::Status;

constexpr std::chrono::milliseconds kStartDeadline{20000};
constexpr std::size_t kSlotAlignment = 64;  // of tensors in the shared memory

// A binding, ready to run.
struct Prepared {
  struct ScalarPlan {
    Expression expression;
    std::size_t parameter;
  };
  std::size_t entry = 0;  // index of the binding
  std::vector<ScalarPlan> scalars;
  std::vector<std::optional<DType>> types;  // by slot: what the kernel takes, where it says so
  bool has_stream = false;
};

Expected<Prepared> prepare(const Binding& binding, std::size_t entry, const Signature& signature) {
  Prepared p;
  p.entry = entry;
  p.types.resize(signature.inputs.size() + signature.outputs.size());
  for (std::size_t i = 0; i < binding.arguments.size(); ++i) {
    const Argument& a = binding.arguments[i];
    if (a.kind == Argument::Kind::input) p.types[a.tensor] = binding.entry.parameters[i].dtype;
    if (a.kind == Argument::Kind::output)
      p.types[signature.inputs.size() + a.tensor] = binding.entry.parameters[i].dtype;
    if (a.kind == Argument::Kind::stream) p.has_stream = true;
    if (a.kind != Argument::Kind::expression) continue;
    auto expression = Expression::parse(a.expression, signature);
    if (!expression) return tl::unexpected(expression.error());
    p.scalars.push_back({std::move(*expression), i});
  }
  return p;
}

// Indices are int64 in a contract; a kernel may take them as int.
bool narrows(std::optional<DType> kernel, DType tensor) {
  return kernel == DType::i32 && tensor == DType::i64;
}
bool widens(std::optional<DType> kernel, DType tensor) {
  return kernel == DType::i64 && tensor == DType::i32;
}
DType passed_type(std::optional<DType> kernel, DType tensor) {
  return narrows(kernel, tensor) || widens(kernel, tensor) ? *kernel : tensor;
}

// An element that still holds the poison stays poison in the other width.
template <class From, class To>
void convert(const std::byte* from, std::byte* to, std::int64_t n, unsigned char poison) {
  From poisoned;
  std::memset(&poisoned, poison, sizeof poisoned);
  for (std::int64_t i = 0; i < n; ++i) {
    From value;
    std::memcpy(&value, from + i * static_cast<std::int64_t>(sizeof value), sizeof value);
    To converted = static_cast<To>(value);
    if (value == poisoned) std::memset(&converted, poison, sizeof converted);
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof converted), &converted, sizeof converted);
  }
}

void copy_elements(DType from_type, const std::byte* from, DType to_type, std::byte* to, std::int64_t n,
                   unsigned char poison) {
  if (from_type == to_type) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * size_of(to_type));
  } else if (from_type == DType::i64) {
    convert<std::int64_t, std::int32_t>(from, to, n, poison);
  } else {
    convert<std::int32_t, std::int64_t>(from, to, n, poison);
  }
}

class ProcessWorker final : public Worker {
 public:
  ProcessWorker(const Kernel& kernel, Build build, std::filesystem::path program,
                std::filesystem::path plugin, std::vector<Prepared> prepared)
      : kernel_(kernel),
        build_(build),
        plugin_(std::move(plugin)),
        keeper_(std::move(program), plugin_, build, kernel.options),
        prepared_(std::move(prepared)) {}

  bool cannot_load() const { return !keeper_.load_failure().empty(); }

  // A child that has run the canary.
  Expected<void> begin() {
    if (auto spawned = keeper_.spawn({}, kStartDeadline); !spawned) return spawned;
    return canary();
  }

  RunResult run(const Launch& launch) override {
    RunResult result;
    branches_.clear();
    Plan plan;
    if (auto refusal = make_plan(launch.instance, plan)) {
      result.status = refusal->status;
      result.detail = std::move(refusal->reason);
      return result;
    }
    lay_out(launch, plan);
    if (const auto ready = make_ready(plan.shared_bytes); !ready) {
      result.status = cannot_load() ? Status::crashed : Status::infrastructure;
      result.detail = ready.error().message;
      return result;
    }
    Request& request = plan.request;
    request.shared_bytes = keeper_.shared().size();
    for (std::size_t k = 0; k < launch.inputs.size(); ++k) {
      const Tensor& t = launch.inputs[k];
      copy_elements(t.dtype(), t.data(), passed_type(plan.prepared->types[k], t.dtype()),
                    keeper_.shared().data() + request.slots[k].offset, t.size(), 0);
    }
    keeper_.shared().header().request = request;
    keeper_.shared().header().branches = 0;
    const auto death = keeper_.request(launch.deadline * slowness());
    read_branches();
    if (death) {
      result = blame(*death, launch, plan);
    } else {
      read_reply(launch, plan, result);
      add_tool_report(result);
    }
    if (build_ == Build::race) put_in_names(plan, result);
    return result;
  }

  SparseResult run_sparse(const SparseLaunch& launch) override;

  void restart() override {
    ++restarts_;
    // What a kernel leaves behind in a context, memory above all, is thrown away now and then.
    constexpr std::int64_t kReloads = 256;
    const bool on_gpu = kernel_.options.executor == Executor::cuda;
    if (on_gpu && keeper_.has_child() && restarts_ % kReloads != 0 && keeper_.reload(kStartDeadline)) return;
    keeper_.end_child();
  }
  std::int64_t restarts() const override { return restarts_; }
  std::span<const std::uint8_t> branches() const override { return branches_; }

 private:
  struct Plan {
    const Prepared* prepared = nullptr;
    Request request;
    std::size_t shared_bytes = kHeaderBytes;
    std::size_t element_sizes[kMostTensors] = {};
  };

  struct Refusal {
    Status status = Status::refused;
    std::string reason;
  };
  static Refusal unbound(const std::string& expression, std::string_view problem, const Signature& signature,
                         const Instance& instance) {
    std::vector<std::string> extents;
    for (std::size_t i = 0; i < instance.dims.size(); ++i)
      extents.push_back(fmt::format("{}={}", signature.dims[i], instance.dims[i]));
    return {Status::unbound,
            fmt::format("--bind: `{}`: {} at {}, which is in the domain: bind what has a value "
                        "there, or exclude it with --where",
                        expression, problem, join(extents, " "))};
  }

  // Chooses the overload and computes its scalars; the reason where there is none.
  std::optional<Refusal> make_plan(const Instance& instance, Plan& plan) const {
    for (const Prepared& p : prepared_) {
      const auto& dtypes = kernel_.bindings[p.entry].dtypes;
      if (std::find(dtypes.begin(), dtypes.end(), instance.dtype) != dtypes.end()) plan.prepared = &p;
    }
    if (plan.prepared == nullptr) {
      std::vector<std::string> taken;
      for (const DType d : kernel_.dtypes()) taken.emplace_back(name(d));
      return Refusal{Status::refused,
                     fmt::format("the kernel takes {}, not {}", join(taken, ", "), name(instance.dtype))};
    }
    const Binding& binding = kernel_.bindings[plan.prepared->entry];
    Request& request = plan.request;
    request.entry = static_cast<std::int32_t>(plan.prepared->entry);
    request.has_stream = plan.prepared->has_stream ? 1 : 0;
    for (const auto& scalar : plan.prepared->scalars) {
      const Parameter& p = binding.entry.parameters[scalar.parameter];
      const std::string& text = binding.arguments[scalar.parameter].expression;
      const auto value = scalar.expression.evaluate(instance);
      if (!value) return unbound(text, value.error().message, kernel_.signature, instance);
      if (p.dtype && !is_float(*p.dtype)) {
        if (!value->is_integer)
          return unbound(text,
                         fmt::format("{} is no integer, but `{} {}` is one", value->real, p.type, p.name),
                         kernel_.signature, instance);
        const auto [low, high] = range_of_type(p.type);
        if (value->integer < low || value->integer > high) {
          return Refusal{Status::refused, fmt::format("{} = {} does not fit in `{} {}`", text, value->integer,
                                                      p.type, p.name)};
        }
      }
      request.values[request.scalars++] = {value->integer, value->real};
    }
    return std::nullopt;
  }

  std::uint64_t add_slot(Plan& plan, std::uint64_t bytes, bool is_output, std::uint32_t misalign,
                         std::size_t alignment) const {
    TensorSlot& slot = plan.request.slots[plan.request.tensors++];
    plan.shared_bytes = (plan.shared_bytes + alignment - 1) / alignment * alignment;
    slot = {plan.shared_bytes, bytes, 0, misalign % 256, is_output ? 1U : 0U};
    return plan.shared_bytes;
  }

  void lay_out(const Launch& launch, Plan& plan) const {
    assert(launch.inputs.size() == kernel_.signature.inputs.size());
    assert(launch.outputs.size() == kernel_.signature.outputs.size());
    plan.request.schedule = launch.schedule;
    plan.request.poison = launch.poison;
    plan.request.guarded = launch.guarded ? 1 : 0;
    std::size_t k = 0;
    const auto add = [&](DType dtype, std::int64_t n, bool is_output) {
      const std::uint64_t bytes =
          static_cast<std::uint64_t>(n) * size_of(passed_type(plan.prepared->types[k], dtype));
      add_slot(plan, bytes, is_output, k < launch.offsets.size() ? launch.offsets[k] : 0, kSlotAlignment);
      plan.element_sizes[k] = size_of(passed_type(plan.prepared->types[k], dtype));
      plan.shared_bytes += bytes;
      ++k;
    };
    for (const Tensor& t : launch.inputs) add(t.dtype(), t.size(), false);
    for (const TensorSpec& t : launch.outputs) add(t.dtype, count(t.shape), true);
  }

  // Shared memory and a child.
  Expected<void> make_ready(std::size_t bytes) {
    if (cannot_load()) return infrastructure_error("{}", keeper_.load_failure());
    if (auto reserved = keeper_.shared().reserve(bytes); !reserved) return reserved;
    if (sparse_child_) {
      keeper_.end_child();
      sparse_child_ = false;
    }
    if (keeper_.has_child()) return {};
    return keeper_.spawn({}, kStartDeadline);
  }

  Expected<void> canary() {
    constexpr std::size_t kBytes = 64;
    if (auto reserved = keeper_.shared().reserve(kHeaderBytes + 2 * kBytes); !reserved) return reserved;
    Request request;
    request.tensors = 2;
    request.slots[0] = {kHeaderBytes, kBytes, 0, 0, 0};
    request.slots[1] = {kHeaderBytes + kBytes, kBytes, 0, 0, 1};
    request.scalars = 1;
    request.values[0] = {kBytes, 0};
    request.shared_bytes = keeper_.shared().size();
    std::byte* const in = keeper_.shared().data() + kHeaderBytes;
    for (std::size_t i = 0; i < kBytes; ++i) in[i] = static_cast<std::byte>(i);
    keeper_.shared().header().request = request;
    if (keeper_.request(kStartDeadline))
      return infrastructure_error("the worker does not answer its own canary");
    for (std::size_t i = 0; i < kBytes; ++i) {
      if (in[kBytes + i] != ~static_cast<std::byte>(i))
        return infrastructure_error("the worker computes its own canary wrong");
    }
    return {};
  }

  CrashScene scene(const Plan& plan) const {
    CrashScene s{&kernel_, build_, plugin_, {}};
    for (std::size_t k = 0; k < plan.request.tensors; ++k) s.bytes.push_back(plan.request.slots[k].bytes);
    return s;
  }

  bool under_tool() const { return build_ == Build::checked && !kernel_.options.sanitizer.empty(); }
  int slowness() const { return under_tool() ? 20 : 1; }

  // What compute-sanitizer printed of this call; a race ends nothing, and is printed a little later.
  template <class Result>
  void add_tool_report(Result& result) {
    if (!under_tool()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (Diagnostic& d : cuda::parse_tool_report(keeper_.tool_report()))
      result.diagnostics.push_back(std::move(d));
  }

  // Before a kernel is blamed, a fresh child shows that the machine still works.
  template <class Result>
  void judge_death(const Death& death, const CrashScene& scene, std::chrono::milliseconds deadline,
                   Result& result) {
    const CrashReport crash = explain(death, keeper_, scene, deadline);
    result.status = crash.status;
    result.detail = crash.detail;
    result.diagnostics = crash.diagnostics;
    ++restarts_;
    sparse_child_ = false;
    if (death.given_up) return;
    add_tool_report(result);
    if (const auto alive = begin(); !alive) {
      result.status = Status::infrastructure;
      result.detail = fmt::format("{} (after: {})", alive.error().message, crash.detail);
    }
  }

  RunResult blame(const Death& death, const Launch& launch, const Plan& plan) {
    RunResult result;
    judge_death(death, scene(plan), launch.deadline, result);
    return result;
  }

  // The runtime's findings have marks in the place of what only this side knows.
  void put_in_names(const Plan& plan, RunResult& result) {
    const auto place = [&](std::uint64_t offset) {
      auto& known = places_[offset];
      if (known.empty()) known = symbolize_user(plugin_, offset, kernel_.options.sandbox);
      return known.empty() ? "an unknown line" : known;
    };
    const auto tensor = [&](std::uint64_t k, std::uint64_t bytes) -> std::string {
      if (k >= plan.request.tensors) return "a tensor";
      const std::size_t inputs = kernel_.signature.inputs.size();
      const bool is_input = k < inputs;
      const std::string& name =
          is_input ? kernel_.signature.inputs[k].name : kernel_.signature.outputs[k - inputs].name;
      const std::size_t size = plan.element_sizes[k];
      return fmt::format("{} {}, element {}{}", is_input ? "input" : "output", name, bytes / size,
                         bytes % size == 0 ? "" : fmt::format(" and {} bytes", bytes % size));
    };
    for (Diagnostic& d : result.diagnostics) {
      d.text = cpu::without_marks(d.text, place, tensor);
      d.location = cpu::without_marks(d.location, place, tensor);
    }
    result.detail = cpu::without_marks(result.detail, place, tensor);
  }

  void read_branches() {
    if (!kernel_.options.branches) return;
    const Header& header = keeper_.shared().header();
    const std::size_t n = std::min<std::size_t>(header.branches, kMostBranches);
    branches_.assign(header.taken, header.taken + n);
  }

  void read_reply(const Launch& launch, const Plan& plan, RunResult& result) {
    const Reply reply = keeper_.shared().header().reply;
    const std::size_t inputs = launch.inputs.size();
    const auto slot_name = [&](std::size_t k) {
      return k < inputs ? "input " + kernel_.signature.inputs[k].name
                        : "output " + kernel_.signature.outputs[k - inputs].name;
    };
    result.nanoseconds = reply.nanoseconds;
    result.diagnostics = read_findings(keeper_, reply.findings);
    for (std::size_t k = 0; k < inputs; ++k) {
      if ((reply.changed >> k & 1) != 0) result.changed_inputs.push_back(kernel_.signature.inputs[k].name);
    }
    if (reply.overrun >= 0 && static_cast<std::size_t>(reply.overrun) < plan.request.tensors) {
      const std::int64_t at = reply.overrun_at;
      result.overrun = at < 0 ? fmt::format("{}: {} bytes before its start",
                                            slot_name(static_cast<std::size_t>(reply.overrun)), -at)
                              : fmt::format("{}: {} bytes past its end",
                                            slot_name(static_cast<std::size_t>(reply.overrun)), at);
    }
    if (reply.code != 0) {
      result.status = Status::refused;
      result.refusal = reply.code;
      result.detail = fmt::format("the entry returned {}", reply.code);
      return;
    }
    for (std::size_t k = 0; k < launch.outputs.size(); ++k) {
      const TensorSpec& spec = launch.outputs[k];
      Tensor& t = result.outputs.emplace_back(spec.dtype, spec.shape);
      copy_elements(passed_type(plan.prepared->types[inputs + k], spec.dtype),
                    keeper_.shared().data() + plan.request.slots[inputs + k].offset, spec.dtype, t.data(),
                    t.size(), launch.poison);
    }
  }

  Kernel kernel_;
  Build build_;
  std::filesystem::path plugin_;
  Keeper keeper_;
  std::vector<Prepared> prepared_;
  bool sparse_child_ = false;
  std::int64_t restarts_ = 0;
  std::vector<std::uint8_t> branches_;
  std::map<std::uint64_t, std::string> places_;  // by offset in the plug-in
};

constexpr std::string_view kSeveralLaunches =
    "a sample of blocks says nothing of several launches in a row: later ones read what left-out blocks of "
    "earlier ones would have written";
constexpr std::string_view kDependences =
    "a sample of blocks says nothing where blocks share atomics or a barrier of the grid: those that ran may "
    "have missed what left-out ones would have done";

// Why what came of a sample of blocks, an answer or a crash, says nothing of the kernel.
template <class Seen>  // Reply or Note
std::optional<std::string_view> says_nothing(const Seen& seen) {
  if (seen.launches > 1) return kSeveralLaunches;
  if (seen.dependences > 0) return kDependences;
  return std::nullopt;
}

SparseResult ProcessWorker::run_sparse(const SparseLaunch& launch) {
  SparseResult result;
  const auto fail = [&](Status status, std::string detail) {
    result.status = status;
    result.detail = std::move(detail);
    return result;
  };
  Plan plan;
  if (auto refusal = make_plan(launch.instance, plan))
    return fail(refusal->status, std::move(refusal->reason));
  constexpr std::size_t kPage = 4096;
  constexpr unsigned char kPoison = 0xA5;
  plan.request.poison = kPoison;
  const bool on_gpu = kernel_.options.executor == Executor::cuda;

  // Periods, repeated to whole pages.
  struct Period {
    std::size_t offset, bytes;
    const Tensor* contents;
  };
  std::vector<Period> periods;
  std::size_t next = 0;
  for (const TensorSpec& spec : launch.inputs) {
    const std::size_t k = plan.request.tensors;
    const std::uint64_t bytes = static_cast<std::uint64_t>(count(spec.shape)) *
                                size_of(passed_type(plan.prepared->types[k], spec.dtype));
    const std::uint64_t offset = add_slot(plan, bytes, false, 0, kPage);
    if (!is_float(spec.dtype)) continue;
    assert(next < launch.periods.size());
    const Tensor& period = launch.periods[next++];
    const std::size_t unit = std::lcm(std::max<std::size_t>(period.size_bytes(), 1), kPage);
    constexpr std::size_t kMostPeriod = 64 << 20;
    constexpr std::size_t kMostMaps = 8192;  // a process may have 65530
    const std::size_t whole = unit * std::max<std::size_t>(1, (bytes / kMostMaps + unit - 1) / unit);
    if (period.size_bytes() == 0 || whole > kMostPeriod) {
      return fail(Status::infrastructure,
                  fmt::format("a period of {} bytes cannot be mapped page by page; choose a power of two",
                              period.size_bytes()));
    }
    plan.request.slots[k].period = whole;
    periods.push_back({offset, whole, &period});
    plan.shared_bytes += whole;
  }
  std::vector<Fd> files;
  std::vector<int> fds;
  std::vector<std::uint64_t> sizes;
  for (const TensorSpec& spec : launch.outputs) {
    const std::size_t k = plan.request.tensors;
    sizes.push_back(static_cast<std::uint64_t>(count(spec.shape)) *
                    size_of(passed_type(plan.prepared->types[k], spec.dtype)));
    add_slot(plan, sizes.back(), true, 0, kPage);
    if (on_gpu) plan.shared_bytes += cuda::sampled_pages(sizes.back()).size() * cuda::kSampledPage;
    files.emplace_back(memfd_create("assay-output", MFD_CLOEXEC));
    fds.push_back(files.back().get());
    const std::uint64_t whole = std::max<std::uint64_t>((sizes.back() + kPage - 1) / kPage * kPage, kPage);
    if (!files.back() || ftruncate(fds.back(), static_cast<off_t>(whole)) != 0) {
      return fail(Status::infrastructure, fmt::format("cannot make a sparse file: {}", std::strerror(errno)));
    }
  }
  if (auto reserved = keeper_.shared().reserve(plan.shared_bytes); !reserved) {
    return fail(Status::infrastructure, reserved.error().message);
  }
  for (const Period& p : periods) {
    const std::size_t step = p.contents->size_bytes();
    for (std::size_t done = 0; done < p.bytes; done += step) {
      std::memcpy(keeper_.shared().data() + p.offset + done, p.contents->data(), step);
    }
  }
  if (auto ready = on_gpu ? make_ready(plan.shared_bytes) : keeper_.spawn(fds, kStartDeadline); !ready)
    return fail(cannot_load() ? Status::crashed : Status::infrastructure, ready.error().message);
  sparse_child_ = !on_gpu;
  plan.request.shared_bytes = keeper_.shared().size();

  // The first run finds the pages that are written, the second, on poison, the elements. On a GPU the outputs
  // are whole, and the pages are chosen beforehand.
  std::vector<std::vector<Extent>> extents;
  for (int round = 1; round <= (on_gpu ? 1 : 2); ++round) {
    if (round == 2) {
      for (std::size_t i = 0; i < fds.size(); ++i) {
        extents.push_back(data_extents(fds[i]));
        poison_extents(fds[i], extents.back(), kPoison);
      }
    }
    plan.request.sparse = static_cast<std::uint8_t>(round);
    keeper_.shared().header().request = plan.request;
    if (const auto death = keeper_.request(launch.deadline / 2)) {
      const Note note = keeper_.shared().header().note;
      judge_death(*death, scene(plan), launch.deadline / 2, result);
      if (!on_gpu && result.status == Status::crashed) {
        if (const auto nothing = says_nothing(note)) return fail(Status::refused, std::string(*nothing));
        // A small grid that strides over everything touches every page.
        if (death->over_memory) return fail(Status::refused, "the sampled blocks touch too much memory");
      }
      return result;
    }
    const Reply reply = keeper_.shared().header().reply;
    result.diagnostics = read_findings(keeper_, reply.findings);
    if (reply.code != 0) return fail(Status::refused, fmt::format("the entry returned {}", reply.code));
    if (const auto nothing = says_nothing(reply); nothing && !on_gpu)
      return fail(Status::refused, std::string(*nothing));
  }
  for (std::size_t i = 0; on_gpu && i < fds.size(); ++i) {
    const std::byte* page = keeper_.shared().data() + plan.request.slots[launch.inputs.size() + i].offset;
    for (const std::uint64_t number : cuda::sampled_pages(sizes[i])) {
      if (pwrite(fds[i], page, kPage, static_cast<off_t>(number * kPage)) != static_cast<ssize_t>(kPage))
        return fail(Status::infrastructure,
                    fmt::format("cannot write to a sparse file: {}", std::strerror(errno)));
      page += kPage;
    }
    extents.push_back(data_extents(fds[i]));
  }
  const std::int64_t share =
      launch.limit / static_cast<std::int64_t>(std::max<std::size_t>(launch.outputs.size(), 1));
  for (std::size_t i = 0; i < fds.size(); ++i) {
    const DType wanted = launch.outputs[i].dtype;
    const DType passed = passed_type(plan.prepared->types[launch.inputs.size() + i], wanted);
    for (auto& piece :
         written_pieces(fds[i], extents[i], count(launch.outputs[i].shape), passed, kPoison, share)) {
      piece.output = i;
      if (passed != wanted) {
        for (std::uint64_t& bits : piece.bits) bits = encode_integer(wanted, decode_integer(passed, bits));
      }
      result.pieces.push_back(std::move(piece));
    }
  }
  return result;
}

}  // namespace

Expected<std::unique_ptr<Worker>> start(const Kernel& kernel, Build build) {
  if (kernel.options.sandbox) {
    if (auto probe = probe_sandbox(); !probe) return tl::unexpected(probe.error());
  }
  const auto program = worker_program(kernel.options.executor, build);
  if (!program) return tl::unexpected(program.error());
  auto plugin = plugin_of(kernel, build);
  if (!plugin) return tl::unexpected(plugin.error());
  std::vector<Prepared> prepared;
  for (std::size_t i = 0; i < kernel.bindings.size(); ++i) {
    auto p = prepare(kernel.bindings[i], i, kernel.signature);
    if (!p) return tl::unexpected(p.error());
    if (p->types.size() > kMostTensors || p->scalars.size() > kMostScalars) {
      return usage_error("an entry takes at most {} tensors and {} scalars", kMostTensors, kMostScalars);
    }
    prepared.push_back(std::move(*p));
  }
  auto worker =
      std::make_unique<ProcessWorker>(kernel, build, *program, std::move(*plugin), std::move(prepared));
  if (auto begun = worker->begin(); !begun && !worker->cannot_load()) return tl::unexpected(begun.error());
  return worker;
}

}  // namespace assay
