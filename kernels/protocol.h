#pragma once

// What the supervisor (worker.cpp) and a worker process (worker/) say to each other.
//
//   supervisor ──control socket──> keeper ──fork──> child, which holds the plug-in and runs the kernel
//        └───────────data socket and shared memory────┘
//
// The keeper never runs a line of the kernel: it forks a child, watches its memory, kills it with everything
// that it started, and reports how it ended. A new child costs a fork, not an exec of a sandbox.
//
// The shared memory starts with a Header; tensors follow at the offsets that its request states. The child
// may scribble over all of it: the supervisor trusts nothing in it beyond its own bounds.

#include <cstddef>
#include <cstdint>

namespace assay::protocol {

// File descriptors of a keeper, and of the messages to it.
constexpr int kControl = 3;

// A supervisor's message on the control socket. With `spawn` come file descriptors: the child's data socket,
// the shared memory, the log (stdout and stderr), the sanitizers' report, and the outputs of a sparse run.
enum class Order : std::uint8_t { spawn = 'S', kill = 'K' };
constexpr std::size_t kSpawnFds = 4;
constexpr std::size_t kMostTensors = 24;
constexpr std::size_t kMostScalars = 32;

struct Spawn {
  Order order = Order::spawn;
  std::uint8_t sparse_outputs = 0;  // how many of them come
  std::uint8_t exact = 0;           // on a GPU: each tensor is an allocation of its own, to the byte
  std::uint64_t address_space = 0;  // RLIMIT_AS; 0: no limit
  std::uint64_t resident = 0;       // bytes of memory beyond which the keeper kills it
  std::uint64_t log_bytes = 0;      // beyond which output is lost
};

// The keeper's answer when a child has ended.
struct Ended {
  std::int32_t status = 0;  // of waitpid
  std::uint8_t over_memory = 0;
  std::uint64_t address_space = 0;  // as last seen
};

// One-byte messages on the data socket.
enum class Word : std::uint8_t {
  run = 'R',     // to the child: the request is in the header
  reload = 'L',  // to a child on a GPU: a fresh copy of the plug-in; the answer is `ready` or `failed`
  ready = 'r',   // the plug-in is loaded
  failed = 'f',  // it could not be; `text` says why
  done = 'd',    // the reply is in the header
};

struct Scalar {
  std::int64_t integer;
  double real;
};

struct TensorSlot {
  std::uint64_t offset;    // in the shared memory; of a sparse input: of its period
  std::uint64_t bytes;     // 0 <= bytes; of a sparse input: of the whole virtual tensor
  std::uint64_t period;    // bytes, of a sparse input; a multiple of the page size
  std::uint32_t misalign;  // the address modulo 256
  std::uint32_t is_output;
};

constexpr std::int32_t kCanary = -1;

struct Request {
  std::int32_t entry = kCanary;  // index of the binding, or the canary: output 0 = input 0, bytes inverted
  std::uint32_t schedule = 0;
  std::uint8_t poison = 0;
  std::uint8_t sparse = 0;  // 1: first run of a sparse launch, which finds pages; 2: the second
  std::uint8_t has_stream = 0;
  std::uint8_t guarded = 0;  // as Launch::guarded
  std::uint32_t tensors = 0;
  std::uint32_t scalars = 0;
  std::uint64_t shared_bytes = 0;  // of the shared memory, which may have grown
  TensorSlot slots[kMostTensors] = {};
  Scalar values[kMostScalars] = {};
};

struct Reply {
  std::int32_t code = 0;  // of the entry
  std::uint64_t nanoseconds = 0;
  std::uint64_t launches = 0;     // of kernels that ran; 0 on a GPU, where nobody counts
  std::uint64_t dependences = 0;  // of a sparse run: atomics and barriers that blocks may share
  std::uint64_t changed = 0;      // bit k: the input in slot k was written to
  std::int32_t overrun = -1;      // the slot whose guard band was written
  std::int64_t overrun_at = 0;    // bytes from its start (negative) or from its end
  std::uint32_t findings = 0;     // bytes of `text`: kind \x1f location \x1f text \x1e ...
};

// What a dying child leaves behind. `signal` is 0 where no handler ran.
enum class Cause : std::uint8_t { kernel, lost_socket, no_memory, protocol };
struct Note {
  Cause cause = Cause::kernel;  // why the worker itself gave up
  std::int32_t signal = 0;
  std::uint8_t fatal = 0;     // the runtime gave up: `text` holds its findings
  std::uint8_t is_write = 0;  // of SIGSEGV
  std::int32_t slot = -1;     // the tensor next to the address
  std::int64_t distance = 0;  // bytes from its start (negative) or from its end
  std::uint64_t address = 0;
  std::uint64_t offset = 0;    // of the instruction in the plug-in
  std::uint32_t syscall = 0;   // of SIGSYS
  std::uint64_t launches = 0;  // as in Reply, at that moment
  std::uint64_t dependences = 0;
  std::uint32_t findings = 0;  // bytes of `text`
  char position[256] = {};     // block and thread
};

constexpr std::size_t kTextBytes = 48 << 10;
constexpr std::size_t kMostBranches = 32 << 10;  // of a kernel; the others are not counted

struct Header {
  Request request;
  Reply reply;
  Note note;
  std::uint64_t addresses[kMostTensors];  // where the tensors lie
  char text[kTextBytes];
  std::uint32_t branches;  // how many flags follow; 0 before a call
  unsigned char taken[kMostBranches];
};
constexpr std::size_t kHeaderBytes = 96 << 10;
static_assert(sizeof(Header) <= kHeaderBytes);

using Entry = int (*)(void* const* tensors, const Scalar* scalars, void* stream);

}  // namespace assay::protocol
