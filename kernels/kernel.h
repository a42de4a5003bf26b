#pragma once

// A kernel under test, built, and the workers that run it.
//
// The flow: `read_source` finds the entry points of a .cu file; `bind` matches an entry's parameters to a
// contract; `build` compiles the source and a generated adapter into plug-ins (cached by content); `start`
// spawns a worker process that loads one plug-in; `Worker::run` makes one call. A kernel never runs in this
// process: a crash, a hang, an exit are results.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/signature.h"
#include "core/tensor.h"

namespace assay {

// --- source -------------------------------------------------------------------------------------------

struct Parameter {
  std::string type;  // as written, without the name: "const float*", "int64_t"
  std::string name;  // may be empty
  bool is_pointer = false;
  bool is_const = false;       // of the pointee
  std::optional<DType> dtype;  // of the pointee or scalar; empty for void*
};

struct EntryPoint {
  std::string name;
  std::string return_type;
  std::vector<Parameter> parameters;
  int line = 0;
  bool c_linkage = false;  // declared extern "C"
};

struct KernelSource {
  std::filesystem::path path;
  std::string text;
  // Host functions that may be called, in order of appearance; where the file has none, those of what it
  // includes with quotes.
  std::vector<EntryPoint> entries;
};
Expected<KernelSource> read_source(const std::filesystem::path& path);

// --- binding ------------------------------------------------------------------------------------------

// What one parameter receives.
struct Argument {
  enum class Kind : std::uint8_t { input, output, expression, stream, null } kind = Kind::expression;
  std::size_t tensor = 0;  // of Kind::input and Kind::output, by the contract's signature
  std::string expression;  // of Kind::expression: over dims and attributes, e.g. "rows*cols"
};

struct Binding {
  EntryPoint entry;
  std::vector<Argument> arguments;  // by EntryPoint::parameters
  std::vector<DType> dtypes;        // of `float` tensors that this entry takes: one, or all for void*
};

// One binding for each overload (a kernel that claims f32 and f16 has two). `text` is the user's
// "solve(x, y, rows*cols)" or empty: inferred from names, types and order where that is unambiguous. The
// error lists the candidates.
Expected<std::vector<Binding>> bind(const KernelSource& source, const Signature& signature,
                                    std::string_view text, std::optional<DType> dtype);
std::string to_string(const Binding& binding, const Signature& signature);  // "solve(x, y, rows*cols)"

// --- build --------------------------------------------------------------------------------------------

enum class Build : std::uint8_t {
  fast,     // -O2, no sanitizer
  checked,  // AddressSanitizer and UndefinedBehaviorSanitizer
  race,     // on the CPU: each access is looked at, for races and for reads of what nobody has written
};

// Where a kernel runs: on the CPU (kernels/cpu), or on a GPU, compiled by nvcc (kernels/cuda). On a GPU all
// builds are one.
enum class Executor : std::uint8_t { cpu, cuda };

struct BuildOptions {
  std::filesystem::path cache;  // a folder; default_cache() where empty
  bool sandbox = true;          // run the compiler and the workers under bubblewrap
  Executor executor = Executor::cpu;
  std::string gpu_arch;  // "sm_90"; that of the GPU that is there where empty
  // On a GPU, a tool of compute-sanitizer under which Build::checked runs: memcheck, racecheck or synccheck.
  // Empty: it runs as Build::fast does.
  std::string sanitizer;
  bool branches = false;  // on the CPU: workers tell which branches of the kernel a call took
};
std::filesystem::path default_cache();  // $ASSAY_CACHE, $XDG_CACHE_HOME/assay or ~/.cache/assay

// Compiled plug-ins of one kernel: paths, cheap to copy.
struct Kernel {
  KernelSource source;
  Signature signature;
  std::vector<Binding> bindings;
  std::filesystem::path fast, checked;  // plug-ins
  std::string content_hash;             // of source, adapter and runtime
  std::string device;                   // "NVIDIA H200 (sm_90)"; empty on the CPU
  BuildOptions options;

  std::vector<DType> dtypes() const;  // that the bindings take, the first is the primary
};

// Compiles Build::fast and Build::checked; the first worker of Build::race has that compiled. A compiler
// error carries the compiler's own lines, at the user's file and line.
Expected<Kernel> build(const KernelSource& source, const Signature& signature, std::vector<Binding> bindings,
                       const BuildOptions& options);

// --- run ----------------------------------------------------------------------------------------------

// One call of the entry point.
struct Launch {
  Instance instance;
  std::span<const Tensor> inputs;
  std::span<const TensorSpec> outputs;
  std::vector<std::uint32_t> offsets;  // bytes from a 256-byte boundary: inputs, then outputs; empty: zeros
  std::uint8_t poison = 0xA5;          // what outputs and the slack around tensors hold before the call
  std::uint32_t schedule = 0;          // order of threads: 0 ascending, 1 descending, others pseudo-random
  // On the CPU in Build::fast: a write to an input ends the call, and so does host code that touches a
  // tensor.
  bool guarded = false;
  std::chrono::milliseconds deadline{2000};
};

struct Diagnostic {
  // One of: "out of bounds", "misaligned", "undefined behaviour", "barrier in divergent code", "deadlock",
  // "invalid warp mask", "launch error", "limit exceeded", "out of memory", "use after free", "leak",
  // "wrong stream", "input changed", "host access", "race", "uninitialised read".
  std::string kind;
  std::string text;      // the report, a few lines
  std::string location;  // FILE:LINE of the kernel where known
};

struct RunResult {
  enum class Status : std::uint8_t {
    ok,
    refused,         // the entry returned a non-zero code, or the binding has no overload for the dtype
    crashed,         // died by a signal, a sanitizer, exit, or used up its memory
    hung,            // killed at the deadline
    infrastructure,  // the worker could not be started; `detail` says why
    unbound,         // the user's binding has no value for a parameter here, as where it divides by zero
  } status = Status::ok;
  std::vector<Tensor> outputs;  // of Status::ok
  int refusal = 0;
  std::vector<std::string> changed_inputs;  // names of inputs that the call wrote to
  std::string overrun;                  // which tensor's guard band was written, and on which side; or empty
  std::vector<Diagnostic> diagnostics;  // seen on the way; those of a crash are the reason for it
  std::string detail;                   // of crashed, hung, infrastructure
  std::uint64_t nanoseconds = 0;        // of the call
};

struct SparseLaunch;
struct SparseResult;

// A worker process that holds one plug-in. It is restarted when it dies; state inside the kernel's own
// statics survives between calls otherwise. Not thread-safe: one a thread.
class Worker {
 public:
  virtual ~Worker() = default;
  virtual RunResult run(const Launch& launch) = 0;
  virtual SparseResult run_sparse(const SparseLaunch& launch) = 0;
  virtual void restart() = 0;  // a fresh process before the next run; on a GPU a fresh copy of the kernel
  virtual std::int64_t restarts() const = 0;

  // Which branches of the kernel's code the last run took, 0 or 1 each, also where it crashed; empty where it
  // hung or was not built with BuildOptions::branches. Branches of both builds are numbered for themselves.
  virtual std::span<const std::uint8_t> branches() const { return {}; }
};
Expected<std::unique_ptr<Worker>> start(const Kernel& kernel, Build build);

// --- sampled runs past 2^31 elements -----------------------------------------------------------------

// Runs only some blocks of each launch of an instance too large to hold: inputs are one period of contents
// mapped over and over (element i holds period[i % period]), outputs are sparse. `pieces` holds the written
// output elements that were found, at most `limit`.
struct SparseLaunch {
  Instance instance;
  std::span<const Tensor> periods;  // one a float input, rank 1
  std::span<const TensorSpec> inputs;
  std::span<const TensorSpec> outputs;
  std::int64_t limit = 4096;
  std::chrono::milliseconds deadline{10000};
};
struct SparseResult {
  RunResult::Status status = RunResult::Status::ok;
  struct Piece {
    std::size_t output;
    std::int64_t first;               // flat index of the first element
    std::vector<std::uint64_t> bits;  // consecutive elements
  };
  std::vector<Piece> pieces;
  std::vector<Diagnostic> diagnostics;
  std::string detail;
};

}  // namespace assay
