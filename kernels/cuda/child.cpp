// The process that holds a CUDA context and a plug-in, and runs the kernel: worker/child.h on a GPU.
//
// Every tensor lies in an arena of its own (arena.h). A call is three launches: assay_prepare fills inputs,
// outputs and the poison around them from the shared memory, which is mapped on the device; the entry makes
// its own; assay_finish compares inputs and poison and brings the outputs back. An error that ends the
// context ends this process, with its reason as a finding: the supervisor starts the next.

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/cuda/arena.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/plugin.h"
#include "kernels/cuda/sampled.h"
#include "kernels/worker/child.h"

// The compiled device.cu.
asm(".section .rodata\n"
    ".balign 16\n"
    ".global assay_device_image\n"
    "assay_device_image:\n"
    ".incbin \"" ASSAY_DEVICE_IMAGE
    "\"\n"
    ".previous\n");
extern "C" const unsigned char assay_device_image[];

namespace assay {
namespace {

using namespace protocol;
using namespace cuda;

static_assert(kMostSlots == kMostTensors);

// What signal handlers need to see.
Header* g_header = nullptr;
Arena g_arenas[kMostTensors];
std::uintptr_t g_plugin = 0;  // its load address

[[noreturn]] void give_up(Cause cause) {
  g_header->note.cause = cause;
  _exit(1);
}

// Ends the process with a finding; it holds no allocation, for signal handlers.
[[noreturn]] void die(const char* kind, const char* text) {
  const int n = std::snprintf(g_header->text, kTextBytes, "%s\x1f\x1f%s\x1e", kind, text);
  g_header->note.findings = static_cast<std::uint32_t>(std::clamp<int>(n, 0, kTextBytes - 1));
  g_header->note.fatal = 1;
  _exit(1);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  Note& note = g_header->note;
  if ((signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0) {
    note.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (const Arena& arena : g_arenas)
      if (arena.contains(note.address)) die("out of bounds", "the host code touched memory of the device");
#if defined(__x86_64__)
    note.is_write = (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? 1 : 0;
#endif
  }
#if defined(__x86_64__)
  note.offset =
      static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]) - g_plugin;
#endif
  note.signal = signal;
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal);
}

void handle_signals() {
  static char stack[64 << 10];
  const stack_t alternative{stack, 0, sizeof stack};
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigaction(s, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // beyond the log's limit writes fail
}

// What an error of the device says about the kernel.
const char* kind_of(CUresult code) {
  switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return "out of bounds";
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return "misaligned";
    default:
      return "launch error";
  }
}

[[noreturn]] void die_of(CUresult code) {
  die(kind_of(code), ("the kernel ended with " + driver().text(code)).c_str());
}

class Child {
 public:
  explicit Child(const ChildSetup& setup) : setup_(setup) {}

  [[noreturn]] void run() {
    map_shared(kHeaderBytes);
    confine();
    if (const std::string problem = open_device(); !problem.empty()) fail(problem);
    load(setup_.plugin);
    say(Word::ready);
    for (;;) {
      const Word word = listen();
      if (word == Word::reload) {
        reload();
        say(Word::ready);
      } else {
        serve();
        say(Word::done);
      }
    }
  }

 private:
  // The next word; looks for it for a while before it sleeps, since waking up costs as much as a launch.
  Word listen() {
    Word word{};
    const auto patience = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    ssize_t n = -1;
    do {
      n = recv(setup_.data, &word, 1, MSG_DONTWAIT);
    } while (n < 0 && (errno == EAGAIN || errno == EINTR) && std::chrono::steady_clock::now() < patience);
    while (n < 0 && (errno == EAGAIN || errno == EINTR)) n = recv(setup_.data, &word, 1, 0);
    if (n <= 0) _exit(0);
    return word;
  }

  void say(Word word) {
    if (send(setup_.data, &word, 1, MSG_NOSIGNAL) != 1) give_up(Cause::lost_socket);
  }

  [[noreturn]] void fail(const std::string& why) {
    std::snprintf(g_header->text, kTextBytes, "%s", why.c_str());
    say(Word::failed);
    _exit(0);
  }

  void map_shared(std::size_t bytes) {
    if (bytes <= shared_bytes_) return;
    if (on_device_ != 0) driver_.MemHostUnregister(shared_);
    if (shared_ != nullptr) munmap(shared_, shared_bytes_);
    void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, setup_.shared, 0);
    if (mapping == MAP_FAILED) _exit(125);
    shared_ = static_cast<std::byte*>(mapping);
    shared_bytes_ = bytes;
    on_device_ = 0;
    g_header = reinterpret_cast<Header*>(shared_);
  }

  // Registered when it is needed: a context is there by then.
  CUresult register_shared() {
    if (on_device_ != 0) return CUDA_SUCCESS;
    if (const CUresult code = driver_.MemHostRegister(shared_, shared_bytes_, CU_MEMHOSTREGISTER_DEVICEMAP);
        code != CUDA_SUCCESS)
      return code;
    return driver_.MemHostGetDevicePointer(&on_device_, shared_, 0);
  }

  void confine() {
    dup2(setup_.log, 1);
    dup2(setup_.log, 2);
    close(setup_.log);
    constexpr rlim_t kMostFile = 256 << 20;  // the log, and copies of the plug-in
    const rlimit none{0, 0}, file{kMostFile, kMostFile};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &file);
    handle_signals();
  }

  std::string open_device() {
    if (!driver_.problem.empty()) return driver_.problem;
    std::string problem;
    const auto check = [&](const char* what, CUresult code) {
      if (code != CUDA_SUCCESS && problem.empty()) problem = std::string(what) + ": " + driver_.text(code);
      return problem.empty();
    };
    CUdevice device{};
    CUcontext context{};
    CUmodule module{};
    check("no CUDA device", driver_.DeviceGet(&device, 0));
    if (problem.empty()) driver_.DevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_SPIN);
    problem.empty() &&
        check("no context on the CUDA device", driver_.DevicePrimaryCtxRetain(&context, device));
    problem.empty() && check("cuCtxSetCurrent", driver_.CtxSetCurrent(context));
    problem.empty() && check("cuModuleLoadData", driver_.ModuleLoadData(&module, assay_device_image));
    const auto function = [&](CUfunction& f, const char* name) {
      problem.empty() && check(name, driver_.ModuleGetFunction(&f, module, name));
    };
    function(prepare_, "assay_prepare");
    function(finish_, "assay_finish");
    function(canary_, "assay_canary");
    function(neighbour_, "assay_neighbour");
    problem.empty() && check("cuStreamCreate", driver_.StreamCreate(&given_, CU_STREAM_NON_BLOCKING));
    problem.empty() && check("cuStreamCreate", driver_.StreamCreate(&beside_, CU_STREAM_NON_BLOCKING));
    void* marks = nullptr;
    problem.empty() &&
        check("cuMemHostAlloc", driver_.MemHostAlloc(&marks, sizeof(Marks), CU_MEMHOSTALLOC_DEVICEMAP));
    problem.empty() &&
        check("cuMemHostGetDevicePointer", driver_.MemHostGetDevicePointer(&marks_on_device_, marks, 0));
    marks_ = static_cast<Marks*>(marks);
    driver_.DeviceGetAttribute(&multiprocessors_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    driver_.DeviceGetAttribute(&most_shared_, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
    if (problem.empty())
      driver_.FuncSetAttribute(neighbour_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most_shared_);
    return problem;
  }

  void load(const char* path) {
    plugin_ = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin_ == nullptr) fail(dlerror());
    begin_call_ = reinterpret_cast<BeginCall>(dlsym(plugin_, kBeginCall));
    end_call_ = reinterpret_cast<EndCall>(dlsym(plugin_, kEndCall));
    if (begin_call_ == nullptr || end_call_ == nullptr) fail("it was not built for the CUDA executor");
    link_map* map = nullptr;
    if (dlinfo(plugin_, RTLD_DI_LINKMAP, &map) == 0) g_plugin = map->l_addr;
  }

  // The CUDA runtime in a plug-in keeps it from being unloaded: a file of another name is another library.
  // Its descriptor stays open, so that no later copy has the name.
  std::string copy_of_plugin() {
    const int from = open(setup_.plugin, O_RDONLY | O_CLOEXEC);
    const int to = memfd_create("assay-plugin", MFD_CLOEXEC);
    struct stat status{};
    if (from < 0 || to < 0 || fstat(from, &status) != 0) fail("the plug-in cannot be copied");
    for (off_t done = 0; done < status.st_size;) {
      if (sendfile(to, from, nullptr, static_cast<std::size_t>(status.st_size - done)) <= 0)
        fail("the plug-in cannot be copied");
      done = lseek(to, 0, SEEK_CUR);
    }
    close(from);
    return "/proc/self/fd/" + std::to_string(to);
  }

  // A fresh copy of the kernel: its statics, on the host and on the device, are as they were at first. The
  // context stays, which takes 0.4 s to make.
  void reload() {
    check(driver_.CtxSynchronize());
    load(copy_of_plugin().c_str());
  }

  void serve() {
    const Request request = g_header->request;  // a copy: the kernel may scribble over the original
    map_shared(request.shared_bytes);
    g_header->note = {};
    g_header->reply = {};
    if (lseek(1, 0, SEEK_CUR) > static_cast<off_t>(setup_.spawn.log_bytes / 2)) {
      if (ftruncate(1, 0) == 0) lseek(1, 0, SEEK_SET);
    }
    if (request.tensors > kMostTensors) give_up(Cause::protocol);
    Entry entry = nullptr;
    if (request.entry != kCanary) {
      char name[32];
      std::snprintf(name, sizeof name, "assay_entry_%d", request.entry);
      entry = reinterpret_cast<Entry>(dlsym(plugin_, name));
      if (entry == nullptr) give_up(Cause::protocol);
    }
    if (register_shared() != CUDA_SUCCESS) give_up(Cause::no_memory);
    if (request.sparse != 0) {
      call_sparse(request, entry);
    } else {
      call(request, entry);
    }
  }

  CUresult launch(CUfunction function, unsigned x, unsigned y, unsigned threads, unsigned shared,
                  CUstream stream, void** arguments) {
    return driver_.LaunchKernel(function, x, y, 1, threads, 1, 1, shared, stream, arguments, nullptr);
  }

  // Other work that is resident while the kernel runs: on half of the multiprocessors and alone there, a few
  // threads on all of them, or on all but a few. schedule 0: none.
  void start_neighbour(std::uint32_t schedule) {
    if (schedule == 0) return;
    std::uint32_t nanoseconds = 50'000;
    void* arguments[] = {&nanoseconds};
    const auto all = static_cast<unsigned>(multiprocessors_);
    const auto whole = static_cast<unsigned>(most_shared_);
    switch (schedule % 3) {
      case 1:
        launch(neighbour_, std::max(all / 2, 1U), 1, 1024, whole, beside_, arguments);
        break;
      case 2:
        launch(neighbour_, all * 4, 1, 256, 0, beside_, arguments);
        break;
      default:
        launch(neighbour_, all > 4 ? all - 4 : 1, 1, 1024, whole, beside_, arguments);
    }
  }

  void check(CUresult code) {
    if (code != CUDA_SUCCESS) die_of(code);
  }

  // assay_prepare or assay_finish.
  void around(CUfunction function, const Slots& slots, std::uint64_t most, CUstream stream) {
    if (slots.count == 0) return;
    constexpr unsigned kThreads = 256;
    const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(most / (kThreads * 16), 1, 512));
    void* arguments[] = {const_cast<Slots*>(&slots), &marks_on_device_};
    check(launch(function, blocks, slots.count, kThreads, 0, stream, arguments));
  }

  void run_canary(const Request& request, void* const* tensors) {
    void* arguments[] = {const_cast<void**>(&tensors[0]), const_cast<void**>(&tensors[1]),
                         const_cast<std::int64_t*>(&request.values[0].integer)};
    const auto blocks = static_cast<unsigned>((request.values[0].integer + 255) / 256);
    check(launch(canary_, blocks, 1, 256, 0, nullptr, arguments));
  }

  // Prepares the slots, calls the entry and finishes them, all in one order on the device. Work of the entry
  // that is in no order with ours is waited for.
  void invoke(const Request& request, Entry entry, void* const* tensors, const Slots& slots,
              std::uint64_t most) {
    const CUstream stream = request.has_stream != 0 ? given_ : nullptr;
    const CallSettings settings{request.poison, request.has_stream, given_};
    const bool unordered = (entry != nullptr && begin_call_(&settings)) || request.has_stream != 0;
    Reply& reply = g_header->reply;
    around(prepare_, slots, most, stream);
    if (unordered) check(driver_.CtxSynchronize());
    if (entry != nullptr) start_neighbour(request.schedule);
    const auto start = std::chrono::steady_clock::now();
    if (entry == nullptr) {
      run_canary(request, tensors);
    } else {
      reply.code = entry(tensors, request.values, given_);
      reply.findings = static_cast<std::uint32_t>(end_call_(g_header->text, kTextBytes));
    }
    if (unordered || reply.findings != 0) check(driver_.CtxSynchronize());
    around(finish_, slots, most, stream);
    check(driver_.StreamSynchronize(stream));
    const auto end = std::chrono::steady_clock::now();
    std::fflush(nullptr);
    reply.nanoseconds = static_cast<std::uint64_t>((end - start).count());
  }

  void call(const Request& request, Entry entry) {
    void* tensors[kMostTensors];
    Slots slots{};
    slots.count = request.tensors;
    slots.poison = request.poison;
    // Both ends of a tensor see an unmapped page, for one poison and for another.
    const Side side = (request.poison & 1) != 0 ? Side::end : Side::start;
    std::uint64_t most = 0;
    for (std::size_t k = 0; k < request.tensors; ++k) {
      const TensorSlot& slot = request.slots[k];
      Placed placed;
      const CUresult code = setup_.spawn.exact != 0
                                ? g_arenas[k].place_exact(slot.bytes, slot.misalign, placed)
                                : g_arenas[k].place(slot.bytes, slot.misalign, side, placed);
      if (code != CUDA_SUCCESS) give_up(Cause::no_memory);
      slots.slot[k] = {reinterpret_cast<unsigned char*>(placed.at),
                       reinterpret_cast<unsigned char*>(on_device_ + slot.offset),
                       slot.bytes,
                       placed.before,
                       placed.after,
                       slot.is_output};
      tensors[k] = reinterpret_cast<void*>(placed.at);
      g_header->addresses[k] = placed.at;
      most = std::max(most, slot.bytes);
    }
    *marks_ = {};
    invoke(request, entry, tensors, slots, most);
    Reply& reply = g_header->reply;
    for (std::size_t k = 0; k < request.tensors; ++k) {
      if (marks_->changed[k] != 0) reply.changed |= std::uint64_t{1} << k;
      if (marks_->overrun[k] != 0 && reply.overrun < 0) {
        reply.overrun = static_cast<std::int32_t>(k);
        reply.overrun_at = find_overrun(slots.slot[k], request.poison);
      }
      g_arenas[k].release_if_large();
    }
  }

  // The first byte past the end that is no poison, else before the start, as Reply::overrun_at.
  std::int64_t find_overrun(const Slot& slot, unsigned char poison) {
    const auto first = [&](const unsigned char* from, std::uint32_t n) {
      std::string band(n, '\0');
      if (n != 0) driver_.MemcpyDtoH(band.data(), reinterpret_cast<CUdeviceptr>(from), n);
      return band.find_first_not_of(static_cast<char>(poison));
    };
    if (const auto at = first(slot.at + slot.bytes, slot.after); at != std::string::npos)
      return static_cast<std::int64_t>(at);
    const auto at = first(slot.at - slot.before, slot.before);
    return at == std::string::npos ? 0
                                   : static_cast<std::int64_t>(at) - static_cast<std::int64_t>(slot.before);
  }

  // Inputs: one period over and over. Outputs: whole, of which some pages go back (sampled.h).
  void call_sparse(const Request& request, Entry entry) {
    void* tensors[kMostTensors];
    for (std::size_t k = 0; k < request.tensors; ++k) {
      const TensorSlot& slot = request.slots[k];
      CUresult code = CUDA_SUCCESS;
      if (slot.period != 0) {
        CUdeviceptr at = 0;
        code = g_arenas[k].place_periodic(slot.bytes, shared_ + slot.offset, slot.period, at);
        tensors[k] = reinterpret_cast<void*>(at);
      } else {
        Placed placed;
        code = g_arenas[k].place(slot.bytes, 0, Side::end, placed);
        if (code == CUDA_SUCCESS)
          code = driver_.MemsetD8(placed.at, slot.is_output != 0 ? request.poison : 0, slot.bytes);
        tensors[k] = reinterpret_cast<void*>(placed.at);
      }
      if (code != CUDA_SUCCESS) {  // the card is too small for this case, which says nothing of the kernel
        for (Arena& arena : g_arenas) arena.release();
        g_header->reply.code = code;
        return;
      }
    }
    invoke(request, entry, tensors, {}, 0);
    check(driver_.CtxSynchronize());
    for (std::size_t k = 0; k < request.tensors; ++k) {
      const TensorSlot& slot = request.slots[k];
      if (slot.is_output != 0)
        bring_pages(reinterpret_cast<CUdeviceptr>(tensors[k]), slot.bytes, shared_ + slot.offset);
    }
    for (Arena& arena : g_arenas) arena.release();
  }

  void bring_pages(CUdeviceptr at, std::uint64_t bytes, std::byte* to) {
    for (const std::uint64_t page : sampled_pages(bytes)) {
      const std::uint64_t begin = page * kSampledPage;
      check(driver_.MemcpyDtoH(to, at + begin, std::min(kSampledPage, bytes - begin)));
      to += kSampledPage;
    }
  }

  const Driver& driver_ = driver();
  ChildSetup setup_;
  std::byte* shared_ = nullptr;
  std::size_t shared_bytes_ = 0;
  CUdeviceptr on_device_ = 0;  // of the shared memory; 0: not registered
  void* plugin_ = nullptr;
  BeginCall begin_call_ = nullptr;
  EndCall end_call_ = nullptr;
  CUfunction prepare_{}, finish_{}, canary_{}, neighbour_{};
  CUstream given_{}, beside_{};
  Marks* marks_ = nullptr;
  CUdeviceptr marks_on_device_ = 0;
  int multiprocessors_ = 1, most_shared_ = 0;
};

}  // namespace

void run_child(const ChildSetup& setup) {
  static Child child(setup);
  child.run();
}

}  // namespace assay
