#pragma once

// The program that makes the calls of a corpus under coverage (fuzz/coverage.cpp).
//
//   cover CALLS FOLDER
//
// CALLS: for each call the entry, whether it takes a stream, the number of tensors; for each tensor its
// bytes, the offset of its address, whether it is an input, the contents of an input padded to eight bytes;
// then the number of scalars, an integer and a double each. FOLDER receives the profiles. It prints the
// number of calls that did not end.

#include <string>
#include <string_view>

namespace assay::fuzz {

inline constexpr std::string_view kCoverageHead = R"program(
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
void assay_program_begin(unsigned schedule, unsigned char poison, const void* stream);
const char* assay_program_end();
int __llvm_profile_write_file();
void __llvm_profile_set_filename(const char* name);
__attribute__((visibility("default"))) void assay_program_dying() {
  __llvm_profile_write_file();
}
}

namespace cover {

int enter(std::uint64_t entry, void* const* tensors, const void* scalars, void* stream);

// A call takes no longer than this.
constexpr unsigned kSeconds = 5;
// More processes than this are not begun.
constexpr int kMostFailures = 256;
// A kernel may end a process, too.
constexpr int kAllMade = 42;

void on_signal(int) {
  __llvm_profile_write_file();
  _exit(1);
}

struct Reader {
  const char* at;
  std::uint64_t word() {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
};

// Makes one call, or only reads it.
void call(Reader& in, bool skip) {
  const std::uint64_t entry = in.word();
  const bool has_stream = in.word() != 0;
  std::vector<void*> tensors(in.word()), blocks;
  for (void*& tensor : tensors) {
    const std::uint64_t bytes = in.word(), offset = in.word();
    const bool is_input = in.word() != 0;
    if (!skip) {
      void* block = nullptr;
      if (posix_memalign(&block, 256, offset + bytes + 4096) != 0) _exit(3);
      std::memset(block, 0xA5, offset + bytes + 4096);
      tensor = static_cast<char*>(block) + offset;
      if (is_input) std::memcpy(tensor, in.at, bytes);
      blocks.push_back(block);
    }
    if (is_input) in.at += (bytes + 7) / 8 * 8;
  }
  const std::uint64_t scalars = in.word();
  const void* const values = in.at;
  in.at += 16 * scalars;
  if (skip) return;
  static char stream[64];
  alarm(kSeconds);
  assay_program_begin(0, 0xA5, has_stream ? stream : nullptr);
  enter(entry, tensors.data(), values, has_stream ? stream : nullptr);
  assay_program_end();
  alarm(0);
  for (void* block : blocks) std::free(block);
}

int run(const char* calls, const char* folder) {
  std::ifstream file(calls, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  auto* const done = static_cast<volatile std::int64_t*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (done == MAP_FAILED) return 3;
  int failures = 0;
  for (bool ended = false; !ended && failures < kMostFailures;) {
    const std::int64_t first = *done;
    const pid_t child = fork();
    if (child < 0) return 3;
    if (child == 0) {
      const std::string profile = std::string(folder) + "/" + std::to_string(first) + ".profraw";
      __llvm_profile_set_filename(profile.c_str());
      static char stack[64 << 10];
      stack_t alternative{};
      alternative.ss_sp = stack;
      alternative.ss_size = sizeof stack;
      sigaltstack(&alternative, nullptr);
      struct sigaction action{};
      action.sa_handler = on_signal;
      action.sa_flags = SA_ONSTACK;
      for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGALRM})
        sigaction(s, &action, nullptr);
      Reader in{bytes.data()};
      for (std::int64_t i = 0; in.at < bytes.data() + bytes.size(); ++i) {
        if (i >= first) *done = i + 1;
        call(in, i < first);
      }
      __llvm_profile_write_file();
    _exit(kAllMade);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ended = WIFEXITED(status) && WEXITSTATUS(status) == kAllMade;
    if (!ended) ++failures;
    if (!ended && *done == first) return 3;
  }
  std::printf("\n%d\n", failures);
  return 0;
}

}  // namespace cover

int main(int, char** argv) {
  return cover::run(argv[1], argv[2]);
}

#define main kernels_own_main
)program";

// `adapter` (kernels/adapter.h) exports `entries` entries.
inline std::string coverage_program(const std::string& adapter, std::size_t entries) {
  std::string text =
      std::string(kCoverageHead) + adapter +
      "#undef main\nint cover::enter(std::uint64_t entry, void* const* tensors, const void* scalars, "
      "void* stream) {\n  switch (entry) {\n";
  for (std::size_t k = 0; k < entries; ++k)
    text += "    case " + std::to_string(k) + ": return assay_entry_" + std::to_string(k) +
            "(tensors, static_cast<const AssayScalar*>(scalars), stream);\n";
  return text + "  }\n  return -1;\n}\n";
}

}  // namespace assay::fuzz
