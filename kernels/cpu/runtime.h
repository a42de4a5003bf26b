#pragma once

// CUDA on the CPU: what a worker process tells the runtime, and what it hears from it.
//
// The runtime is linked into the worker executable (with -rdynamic); plug-ins made of a rewritten .cu file
// (frontend.h) find its symbols there. Every thread of a grid runs on the one OS thread that launches it,
// on fibers; a launch has finished when it returns.
//
//   begin_call(settings);  entry(arguments...);  CallReport report = end_call();
//
// A fault after which the kernel cannot go on (deadlock, invalid warp mask, __trap) calls the handler given
// to on_fatal with the report so far; the handler must not return. It runs on a fiber's stack, so it should
// write the report and _exit.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::cpu {

struct MemoryRange {
  const void* begin = nullptr;
  std::size_t bytes = 0;
  bool written = true;  // it holds values before the call
};

struct Settings {
  // Order of threads and blocks: 0 ascending, 1 descending, others pseudo-random priorities, of which the
  // odd ones keep the lanes of a warp together.
  std::uint32_t schedule = 0;
  // Fills shared memory at the start of each block, fresh device memory, and values that a shuffle reads
  // from a lane that takes no part. 0xFF is a NaN in every float type.
  unsigned char poison = 0xFF;
  // Run a few blocks of each launch only: the first and last three, some between, and those around the
  // 2^31st thread.
  bool sample_blocks = false;
  // The stream that the entry point was given, where it takes one: work left on another is reported.
  bool has_stream = false;
  const void* stream = nullptr;
  // Device memory that the runtime did not allocate: the tensors. They must live until end_call.
  const MemoryRange* tensors = nullptr;
  std::size_t tensor_count = 0;
  // Called with true before device memory is touched as it may be, by a launch or an API call, and with false
  // after: what touches it at another time is host code. May be null.
  void (*device_memory_in_use)(bool) = nullptr;
};

// As assay::Diagnostic (kernels/kernel.h), with its kinds. In the race build text and location may hold marks
// (marks.h).
struct Finding {
  std::string kind;
  std::string text;      // kernel, block, thread, what happened
  std::string location;  // FILE:LINE, or empty
};

struct LaunchError {
  int code = 0;          // cudaError_t
  std::string kernel;    // or the name of the API function
  std::string location;  // FILE:LINE of the launch, or empty
  bool read = false;     // the host code looked at it before the call ended
};

struct CallReport {
  std::vector<Finding> findings;          // in order of occurrence, each (kind, location) once
  std::vector<Finding> notes;             // suspicious but defined, e.g. a shuffle from an exited lane
  std::vector<LaunchError> errors;        // launches and API calls that failed
  std::size_t launches = 0;               // that ran
  std::uint64_t blocks = 0, threads = 0;  // that ran
  bool float_atomics = false;             // a float atomic ran: order may change the bits
  // With `sample_blocks`: atomics outside of shared memory and barriers of the grid, in launches of which
  // blocks were left out. What ran may have missed what they would have done.
  std::uint64_t dependences = 0;
  std::size_t leaked_allocations = 0;  // of this call, not freed by its end
  std::uint64_t leaked_bytes = 0;
};

// Reads the file of the plug-in that holds `function`, for where its shared memory lies; without it the first
// launch does.
void read_plugin(const void* function);

void begin_call(const Settings& settings);
CallReport end_call();
const CallReport& report_so_far();  // without what is found out at the end; for signal handlers, too

// Where the running CUDA thread is, e.g. "kernel softmax<float>, block (3,0,0), thread (17,0,0)", for
// reports of sanitizers and signal handlers; empty outside of a launch.
std::string position();

// The text of a finding with names in place of its marks, for a program that may start llvm-symbolizer.
std::string with_places(const std::string& text);

using FatalHandler = void (*)(const CallReport& report);
void on_fatal(FatalHandler handler);  // the default prints the report and aborts

}  // namespace assay::cpu
