#include "kernels/worker/child.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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
#include <string_view>

#include "kernels/cpu/runtime.h"
#include "kernels/worker/branches.h"
#include "kernels/worker/filter.h"
#include "kernels/worker/placement.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace assay {
namespace {

using namespace protocol;

constexpr std::size_t kPage = 4096;

// What signal handlers need to see.
Header* g_header = nullptr;
Placement g_places[kMostTensors];
std::size_t g_placed = 0;
std::uintptr_t g_plugin = 0;  // its load address

// Of a guarded call: which tensors are inputs.
std::uint64_t g_inputs = 0;

void device_memory_in_use(bool in_use) {
  for (std::size_t k = 0; k < g_placed; ++k) {
    const auto access = (g_inputs >> k & 1) != 0 ? Placement::Access::read : Placement::Access::write;
    g_places[k].allow(in_use ? access : Placement::Access::none);
  }
}

std::uint32_t write_findings(const cpu::CallReport& report, Header& header) {
  std::string text;
  const auto add = [&](std::string_view kind, std::string_view location, std::string_view what) {
    text.append(kind).append("\x1f").append(location).append("\x1f").append(what).append("\x1e");
  };
  for (const cpu::Finding& f : report.findings) add(f.kind, f.location, f.text);
  for (const cpu::LaunchError& e : report.errors) {
    add("launch error", e.location,
        e.kernel + " failed with CUDA error " + std::to_string(e.code) +
            (e.read ? "" : ", which the host code never looked at"));
  }
  if (report.leaked_allocations > 0) {
    add("leak", "",
        std::to_string(report.leaked_allocations) + " device allocations of " +
            std::to_string(report.leaked_bytes) + " bytes in all were not freed");
  }
  const std::size_t n = std::min(text.size(), kTextBytes);
  std::memcpy(header.text, text.data(), n);
  return static_cast<std::uint32_t>(n);
}

void note_position() {
  const std::string position = cpu::position();
  std::snprintf(g_header->note.position, sizeof g_header->note.position, "%s", position.c_str());
}

void note_launches() {
  g_header->note.launches = cpu::report_so_far().launches;
  g_header->note.dependences = cpu::report_so_far().dependences;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  Note& note = g_header->note;
  if (note.signal == 0) {  // the first tells the cause
    note_launches();
#if defined(__x86_64__)
    note.offset =
        static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]) - g_plugin;
#endif
    if (signal == SIGSEGV || signal == SIGBUS) {
      const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
      note.address = address;
#if defined(__x86_64__)
      note.is_write = (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? 1 : 0;
#endif
      for (std::size_t k = 0; k < g_placed && info->si_code > 0; ++k) {
        if (!g_places[k].near(address)) continue;
        const std::int64_t distance = g_places[k].distance(address);
        if (note.slot >= 0 && std::abs(distance) >= std::abs(note.distance)) continue;
        note.slot = static_cast<std::int32_t>(k);
        note.distance = distance;
      }
    }
    if (signal == SIGSYS) note.syscall = static_cast<std::uint32_t>(info->si_syscall);
    note.signal = signal;
    save_branches(*g_header);
    note_position();  // last: it may fault again
  }
  static_cast<void>(context);
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
}

void handle_signals() {
  static char stack[64 << 10];
  const stack_t alternative{stack, 0, sizeof stack};
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
#if __has_feature(address_sanitizer)
  for (const int s : {SIGABRT, SIGSYS, SIGTRAP})
    sigaction(s, &action, nullptr);  // the others are the sanitizer's
#else
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP})
    sigaction(s, &action, nullptr);
#endif
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // beyond the log's limit writes fail
}

void on_fatal(const cpu::CallReport& report) {
  save_branches(*g_header);
  g_header->note.findings = write_findings(report, *g_header);
  g_header->note.fatal = 1;
  note_launches();
  _exit(1);
}

void limit(int resource, rlim_t value) {
  const rlimit r{value, value};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &r);
}

class Child {
 public:
  explicit Child(const ChildSetup& setup) : setup_(setup) {}

  [[noreturn]] void run() {
    map_shared(kHeaderBytes);
    confine();
    load();
    for (;;) {
      Word word{};
      const ssize_t n = recv(setup_.data, &word, 1, 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) _exit(0);
      serve();
      say(Word::done);
    }
  }

 private:
  void say(Word word) {
    if (send(setup_.data, &word, 1, MSG_NOSIGNAL) != 1) give_up(Cause::lost_socket);
  }

  [[noreturn]] static void give_up(Cause cause) {
    g_header->note.cause = cause;
    _exit(1);
  }

  void map_shared(std::size_t bytes) {
    if (bytes <= shared_bytes_) return;
    if (shared_ != nullptr) munmap(shared_, shared_bytes_);
    void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, setup_.shared, 0);
    if (mapping == MAP_FAILED) _exit(125);
    shared_ = static_cast<std::byte*>(mapping);
    shared_bytes_ = bytes;
    g_header = reinterpret_cast<Header*>(shared_);
  }

  void confine() {
    dup2(setup_.log, 1);
    dup2(setup_.log, 2);
    close(setup_.log);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, setup_.spawn.log_bytes);
    if (setup_.spawn.address_space != 0) limit(RLIMIT_AS, setup_.spawn.address_space);
    handle_signals();
    prctl(PR_SET_NAME, "main");  // as any program
#if __has_feature(address_sanitizer)
    __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(setup_.report)));
    __sanitizer_set_death_callback([] {
      save_branches(*g_header);
      note_position();
    });
#endif
    cpu::on_fatal(on_fatal);
    install_filter();
  }

  void load() {
    plugin_ = dlopen(setup_.plugin, RTLD_NOW | RTLD_LOCAL);
    if (plugin_ == nullptr) {
      std::snprintf(g_header->text, kTextBytes, "%s", dlerror());
      say(Word::failed);
      _exit(0);
    }
    link_map* map = nullptr;
    if (dlinfo(plugin_, RTLD_DI_LINKMAP, &map) == 0) g_plugin = map->l_addr;
    cpu::read_plugin(dlsym(plugin_, "assay_entry_0"));
#if !__has_feature(address_sanitizer)  // which reads /proc/self/maps for its report
    hide_files();
#endif
    say(Word::ready);
  }

  void serve() {
    const Request request = g_header->request;  // a copy: the kernel may scribble over the original
    map_shared(request.shared_bytes);
    g_header->note = {};
    g_header->reply = {};
    std::memset(g_header->addresses, 0, sizeof g_header->addresses);
    if (lseek(1, 0, SEEK_CUR) > static_cast<off_t>(setup_.spawn.log_bytes / 2)) {
      if (ftruncate(1, 0) == 0) lseek(1, 0, SEEK_SET);
    }
    Entry entry = canary;
    if (request.entry != kCanary) {
      char name[32];
      std::snprintf(name, sizeof name, "assay_entry_%d", request.entry);
      entry = reinterpret_cast<Entry>(dlsym(plugin_, name));
    }
    if (entry == nullptr || request.tensors > kMostTensors) give_up(Cause::protocol);
    if (request.sparse != 0) {
      call_sparse(request, entry);
    } else {
      call(request, entry);
    }
  }

  static int canary(void* const* tensors, const Scalar* scalars, void*) {
    const auto* in = static_cast<const unsigned char*>(tensors[0]);
    auto* out = static_cast<unsigned char*>(tensors[1]);
    for (std::int64_t i = 0; i < scalars[0].integer; ++i) out[i] = static_cast<unsigned char>(~in[i]);
    return 0;
  }

  void invoke(const Request& request, Entry entry, void* const* tensors) {
    cpu::Settings settings;
    settings.schedule = request.schedule;
    settings.poison = request.poison;
    settings.sample_blocks = request.sparse != 0;
    settings.has_stream = request.has_stream != 0;
    // A stream that is not the default one: work that ignores it can be told.
    static unsigned char stream[64];
    settings.stream = settings.has_stream ? stream : nullptr;
    cpu::MemoryRange ranges[kMostTensors];
    for (std::size_t k = 0; k < request.tensors; ++k)
      ranges[k] = {tensors[k], request.slots[k].bytes, request.slots[k].is_output == 0};
    settings.tensors = ranges;
    settings.tensor_count = request.tensors;
    if (request.guarded != 0) settings.device_memory_in_use = device_memory_in_use;
    cpu::begin_call(settings);
    clear_branches();
    const auto start = std::chrono::steady_clock::now();
    const int code = entry(tensors, request.values, const_cast<void*>(settings.stream));
    const auto end = std::chrono::steady_clock::now();
    save_branches(*g_header);
    const cpu::CallReport report = cpu::end_call();
    std::fflush(nullptr);
    Reply& reply = g_header->reply;
    reply = {};
    reply.code = code;
    reply.nanoseconds = static_cast<std::uint64_t>((end - start).count());
    reply.launches = report.launches;
    reply.dependences = report.dependences;
    reply.findings = write_findings(report, *g_header);
  }

  void call(const Request& request, Entry entry) {
    void* tensors[kMostTensors];
    g_placed = 0;
    g_inputs = 0;
    for (std::size_t k = 0; k < request.tensors; ++k) {
      const TensorSlot& slot = request.slots[k];
      std::byte* const at = g_places[k].place(slot.bytes, slot.misalign, request.poison);
      if (at == nullptr) give_up(Cause::no_memory);
      if (slot.is_output != 0) {
        std::memset(at, request.poison, slot.bytes);
      } else {
        std::memcpy(at, shared_ + slot.offset, slot.bytes);
      }
      if (slot.is_output == 0) g_inputs |= std::uint64_t{1} << k;
      tensors[k] = at;
      g_header->addresses[k] = reinterpret_cast<std::uint64_t>(at);
      g_placed = k + 1;
    }
    if (request.guarded != 0) device_memory_in_use(false);
    invoke(request, entry, tensors);
    for (std::size_t k = 0; request.guarded != 0 && k < request.tensors; ++k)
      g_places[k].allow(Placement::Access::write);
    Reply& reply = g_header->reply;
    for (std::size_t k = 0; k < request.tensors; ++k) {
      const TensorSlot& slot = request.slots[k];
      if (slot.is_output != 0) {
        std::memcpy(shared_ + slot.offset, tensors[k], slot.bytes);
      } else if (std::memcmp(tensors[k], shared_ + slot.offset, slot.bytes) != 0) {
        reply.changed |= std::uint64_t{1} << k;
      }
      if (const auto at = g_places[k].overrun(); at && reply.overrun < 0) {
        reply.overrun = static_cast<std::int32_t>(k);
        reply.overrun_at = *at;
      }
      g_places[k].release_after_call();
    }
    g_placed = 0;
  }

  // Inputs: one period, mapped privately over and over. Outputs: sparse files. Both end at an unmapped page's
  // distance, not exactly: what lies past the end is not the question here.
  void call_sparse(const Request& request, Entry entry) {
    void* tensors[kMostTensors];
    std::size_t sizes[kMostTensors];
    std::size_t output = 0;
    for (std::size_t k = 0; k < request.tensors; ++k) {
      const TensorSlot& slot = request.slots[k];
      const std::size_t unit = slot.period != 0 ? slot.period : kPage;
      const std::size_t bytes = sizes[k] = std::max(unit, (slot.bytes + unit - 1) / unit * unit);
      void* base =
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (base == MAP_FAILED) give_up(Cause::no_memory);
      auto* const at = static_cast<std::byte*>(base);
      if (slot.is_output != 0) {
        if (output == setup_.sparse_outputs.size() ||
            mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
                 setup_.sparse_outputs[output++], 0) == MAP_FAILED) {
          give_up(Cause::no_memory);
        }
      } else if (slot.period != 0) {
        for (std::size_t done = 0; done < bytes; done += slot.period) {
          if (mmap(at + done, slot.period, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                   setup_.shared, static_cast<off_t>(slot.offset)) == MAP_FAILED) {
            give_up(Cause::no_memory);
          }
        }
      }
      tensors[k] = at;
    }
    invoke(request, entry, tensors);
    for (std::size_t k = 0; k < request.tensors; ++k) munmap(tensors[k], sizes[k]);
  }

  ChildSetup setup_;
  std::byte* shared_ = nullptr;
  std::size_t shared_bytes_ = 0;
  void* plugin_ = nullptr;
};

}  // namespace

void run_child(const ChildSetup& setup) {
  static Child child(setup);
  child.run();
}

}  // namespace assay
