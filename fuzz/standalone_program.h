#pragma once

// The parts of a stand-alone program that are the same in all of them: before and after the tables of the
// case (fuzz/standalone.cpp), and before the kernel, whose macros cannot touch them there. C++17, for nvcc
// and clang.

#include <string_view>

namespace assay::fuzz {

inline constexpr std::string_view kProgramHead = R"program(
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#ifndef ASSAY_PROGRAM  // assay-c++ defines it
#include <cuda_runtime.h>
constexpr bool on_gpu = true;
#else
constexpr bool on_gpu = false;
extern "C" void assay_program_begin(unsigned schedule, unsigned char poison, const void* stream);
extern "C" const char* assay_program_end();
#endif

#if defined(ASSAY_PROGRAM_CHECKED)
constexpr const char* built_as = "checked";
#elif defined(ASSAY_PROGRAM_RACE)
constexpr const char* built_as = "race";
#else
constexpr const char* built_as = "";
#endif

#ifdef ASSAY_PROGRAM_CHECKED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define REPRO_SANITIZED 1
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "exitcode=1:abort_on_error=0:detect_leaks=0:detect_stack_use_after_return=0:"
         "allocator_may_return_null=1:detect_odr_violation=0";
}
extern "C" __attribute__((visibility("default"))) const char* __ubsan_default_options() {
  return "exitcode=1:print_stacktrace=1";
}
#endif

namespace repro {

enum Type { f64, f32, f16, bf16, e4m3, e5m2, i64, i32, i8, boolean };
constexpr std::size_t sizes[] = {8, 4, 2, 2, 1, 1, 8, 4, 1, 1};

struct Tensor {
  const char* name;
  Type type;
  std::vector<std::int64_t> shape;
  unsigned offset;   // of the address from a 256-byte boundary, in bytes
  const void* bits;  // contents of an input; null: an output
};

// Accepted for one element: finite values from `low` to `high` and the classes. Several rows of one element
// are alternatives.
enum Classes : unsigned { nan = 1, pos_inf = 2, neg_inf = 4, finite = 8, pos_zero = 16, neg_zero = 32 };
struct Accepted {
  int output;
  std::int64_t index;
  unsigned classes;
  double truth, low, high;
};

enum Check { elements, unwritten, overrun, changed, same_bits, refused, crash, hang, diagnosed };

template <class Word>
std::vector<Word> filled(std::int64_t count, Word fill, std::vector<std::pair<std::int64_t, Word>> others) {
  std::vector<Word> result(static_cast<std::size_t>(count), fill);
  for (const auto& other : others) result[static_cast<std::size_t>(other.first)] = other.second;
  return result;
}

template <class T>
struct Plain {
  using Type = T;
};
template <class T>
struct Plain<T&> : Plain<T> {};
template <class T>
struct Plain<const T> : Plain<T> {};
template <class T, class V>
typename Plain<T>::Type scalar(V value) {
  return typename Plain<T>::Type(value);
}

int call(void* const* tensors, void* stream);  // the kernel's entry point; 0 where it succeeded
)program";

inline constexpr std::string_view kProgramBody = R"program(
// --- from here on the same in every such program ---------------------------------------------------------

std::int64_t count(const Tensor& t) {
  std::int64_t n = 1;
  for (std::int64_t extent : t.shape) n *= extent;
  return n;
}
std::size_t bytes(const Tensor& t) {
  return static_cast<std::size_t>(count(t)) * sizes[t.type];
}

double value(Type type, const unsigned char* at) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, sizes[type]);
  switch (type) {
    case f64: {
      double v;
      std::memcpy(&v, at, 8);
      return v;
    }
    case bf16:
      bits <<= 16;
      [[fallthrough]];
    case f32: {
      const std::uint32_t low = static_cast<std::uint32_t>(bits);
      float v;
      std::memcpy(&v, &low, 4);
      return v;
    }
    case e4m3: {
      const int exponent = static_cast<int>(bits >> 3 & 15), fraction = static_cast<int>(bits & 7);
      double v = (bits & 127) == 127 ? NAN
                 : exponent == 0     ? std::ldexp(fraction, -9)
                                     : std::ldexp(8 + fraction, exponent - 10);
      return bits >> 7 ? -v : v;
    }
    case e5m2:
      bits <<= 8;
      [[fallthrough]];
    case f16: {
      const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
      double v = exponent == 31  ? (fraction ? NAN : HUGE_VAL)
                 : exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(1024 + fraction, exponent - 25);
      return bits >> 15 ? -v : v;
    }
    case i64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case i32:
      return static_cast<std::int32_t>(bits);
    case i8:
      return static_cast<std::int8_t>(bits);
    case boolean:
      return static_cast<double>(bits != 0);
  }
  return 0;
}

// "y[0, 3]"
std::string element_of(const Tensor& t, std::int64_t index) {
  std::string text = "]";
  for (std::size_t d = t.shape.size(); d-- > 0;) {
    text = (d ? ", " : "") + std::to_string(index % t.shape[d]) + text;
    index /= t.shape[d];
  }
  return std::string(t.name) + "[" + text;
}

bool there = false;
int printed = 0;
volatile std::sig_atomic_t in_call = 0;

// Whether `what` is what this finding is about; other faults are told and do not count.
bool counts(Check what) {
  return what == check || what == crash || what == hang;
}

void fault(Check what, const char* text, ...) {
  if (counts(what)) there = true;
  if (++printed > 24) return;
  va_list arguments;
  va_start(arguments, text);
  std::printf("%s", counts(what) ? "  " : "  also: ");
  std::vprintf(text, arguments);
  std::printf("\n");
  va_end(arguments);
}

[[noreturn]] void stop(const char* text, int code) {
  static_cast<void>(!::write(1, text, std::strlen(text)));
  _exit(code);
}
void on_signal(int signal) {
  if (signal == SIGALRM && in_call && check != hang)
    stop("cannot tell: the call did not end within 120 s\n", 2);
  if (!in_call) stop("cannot tell: the program itself failed\n", 2);
  stop(signal == SIGALRM ? "the fault is there: the call does not end\n"
                         : "the fault is there: the call crashes\n",
       1);
}
void on_exit_in_call() {
  if (in_call) stop("the fault is there: the kernel ended the program\n", 1);
}

[[noreturn]] void cannot(const char* what, cudaError_t error) {
  std::printf("cannot tell: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}
void must(const char* what, cudaError_t error) {
  if (error != cudaSuccess) cannot(what, error);
}

// A tensor in device memory between two bands of poison; with `exact`, for compute-sanitizer, without them.
constexpr std::size_t kBand = 4096;
struct Place {
  unsigned char* base = nullptr;
  unsigned char* at = nullptr;
  std::size_t before = 0, size = 0, all = 0;
};

void guard(const Place& place, bool on) {
#ifdef REPRO_SANITIZED
  if (on) {
    __asan_poison_memory_region(place.base, place.before);
    __asan_poison_memory_region(place.at + place.size, place.all - place.before - place.size);
  } else {
    __asan_unpoison_memory_region(place.base, place.all);
  }
#else
  static_cast<void>(place);
  static_cast<void>(on);
#endif
}

Place put(const Tensor& t, unsigned shift, unsigned char poison, bool exact) {
  Place p;
  p.size = bytes(t);
  p.before = (exact ? 0 : kBand) + (t.offset + shift) % 256;
  p.all = p.before + p.size + (exact ? 0 : kBand);
  must("cudaMalloc", cudaMalloc(&p.base, p.all ? p.all : 1));
  must("cudaMemset", cudaMemset(p.base, poison, p.all));
  p.at = p.base + p.before;
  if (t.bits && p.size) must("cudaMemcpy", cudaMemcpy(p.at, t.bits, p.size, cudaMemcpyHostToDevice));
  return p;
}

struct Round {
  unsigned schedule;  // order of threads on the CPU
  unsigned char poison;
  unsigned shift;  // of all addresses
};

using Contents = std::vector<std::vector<unsigned char>>;

// What the tensors and the bands around them hold after the call.
Contents run(const Round& round, bool exact) {
  std::vector<Place> places;
  std::vector<void*> pointers;
  for (const Tensor& t : tensors) {
    places.push_back(put(t, round.shift, round.poison, exact));
    pointers.push_back(places.back().at);
  }
  cudaStream_t stream = nullptr;
  if (has_stream) must("cudaStreamCreate", cudaStreamCreate(&stream));
  must("cudaDeviceSynchronize", cudaDeviceSynchronize());
  for (const Place& place : places) guard(place, true);
#ifdef ASSAY_PROGRAM
  assay_program_begin(round.schedule, round.poison, stream);
#else
  std::size_t free_before = 0, free_after = 0, total = 0;
  cudaMemGetInfo(&free_before, &total);
#endif
  in_call = 1;
  const int code = call(pointers.data(), stream);
  const cudaError_t launch = cudaGetLastError();
  const cudaError_t end = cudaDeviceSynchronize();
  in_call = 0;
#ifdef ASSAY_PROGRAM
  for (const char* line = assay_program_end(); *line;) {
    const char* next = std::strchr(line, '\n');
    const int length = static_cast<int>(next - line);
    const bool own = std::strncmp(line, kind, std::strlen(kind)) == 0 && line[std::strlen(kind)] == ':';
    fault(own ? check : diagnosed, "%.*s", length, line);
    line = next + 1;
  }
#else
  cudaMemGetInfo(&free_after, &total);
  if (check == diagnosed && std::strcmp(kind, "leak") == 0 && free_after < free_before)
    fault(check, "%zu bytes of device memory were not freed", free_before - free_after);
#endif
  if (end != cudaSuccess) {
    fault(crash, "the call crashes: %s", cudaGetErrorString(end));
    std::printf("the fault is there\n");
    std::exit(1);
  }
  if (launch != cudaSuccess) {
    const bool own = std::strcmp(kind, "launch error") == 0 || std::strcmp(kind, "limit exceeded") == 0;
    fault(own ? check : diagnosed, "launch error: %s", cudaGetErrorString(launch));
  }
  if (code != 0) fault(refused, "the entry returned %d", code);
  Contents contents;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Place& p = places[k];
    guard(p, false);
    std::vector<unsigned char> all(p.all);
    if (p.all) must("cudaMemcpy", cudaMemcpy(all.data(), p.base, p.all, cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < p.all; ++i) {
      if (i >= p.before && i < p.before + p.size) continue;
      if (all[i] == round.poison) continue;
      const long long distance = i < p.before ? static_cast<long long>(i) - static_cast<long long>(p.before)
                                              : static_cast<long long>(i - p.before - p.size);
      fault(overrun, "%s: written %lld bytes %s", tensors[k].name, distance < 0 ? -distance : distance,
            distance < 0 ? "before its start" : "past its end");
      break;
    }
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(p.before + p.size), all.end());
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(p.before));
    if (tensors[k].bits && p.size && std::memcmp(all.data(), tensors[k].bits, p.size) != 0)
      fault(changed, "%s: the call wrote to an input", tensors[k].name);
    contents.push_back(std::move(all));
    cudaFree(p.base);
  }
  if (stream) cudaStreamDestroy(stream);
  return contents;
}

bool accepts(const Accepted& a, double got) {
  if (std::isnan(got)) return a.classes & nan;
  if (std::isinf(got)) return a.classes & (got > 0 ? pos_inf : neg_inf);
  if (got == 0 && !(a.classes & (std::signbit(got) ? neg_zero : pos_zero))) return false;
  return (a.classes & finite) && a.low <= got && got <= a.high;
}

// `loud`: says so where all are right, too.
void judge(const Contents& contents, bool loud) {
  std::int64_t bad = 0, judged = 0;
  for (std::size_t i = 0; i < accepted_count;) {
    std::size_t next = i;
    bool good = false;
    const Accepted& a = accepted[i];
    const Tensor& t = tensors[input_count + static_cast<std::size_t>(a.output)];
    const unsigned char* at = contents[input_count + static_cast<std::size_t>(a.output)].data() +
                              static_cast<std::size_t>(a.index) * sizes[t.type];
    const double got = value(t.type, at);
    for (; next < accepted_count && accepted[next].output == a.output && accepted[next].index == a.index;
         ++next)
      good = good || accepts(accepted[next], got);
    i = next;
    ++judged;
    if (good) continue;
    if (counts(elements)) there = true;
    if (++bad > 8) continue;
    std::printf("  %s: got %.9g, true value %.9g", element_of(t, a.index).c_str(), got, a.truth);
    if (a.classes & finite) std::printf(", accepted [%.9g, %.9g]", a.low, a.high);
    std::printf("\n");
  }
  if (judged && (bad || loud))
    std::printf("  %lld of %lld elements are wrong\n", static_cast<long long>(bad),
                static_cast<long long>(judged));
}

void compare(const Contents& first, const Contents& second, const Round& round) {
  for (std::size_t k = input_count; k < tensors.size(); ++k) {
    const std::size_t size = sizes[tensors[k].type];
    for (std::size_t i = 0; i < first[k].size() / size; ++i) {
      if (std::memcmp(&first[k][i * size], &second[k][i * size], size) == 0) continue;
      fault(same_bits, "%s: %.17g, then %.17g (schedule %u, poison 0x%02X, addresses moved by %u bytes)",
            element_of(tensors[k], static_cast<std::int64_t>(i)).c_str(),
            value(tensors[k].type, &first[k][i * size]), value(tensors[k].type, &second[k][i * size]),
            round.schedule, round.poison, round.shift);
      return;
    }
  }
}

// Elements that still hold the poison, in rounds of two different ones.
void look_for_unwritten(const Contents& first, unsigned char a, const Contents& second, unsigned char b) {
  for (std::size_t k = input_count; k < tensors.size(); ++k) {
    const std::size_t size = sizes[tensors[k].type];
    std::int64_t bad = 0, where = 0;
    for (std::size_t i = 0; i < first[k].size() / size; ++i) {
      bool holds = true;
      for (std::size_t j = i * size; j < (i + 1) * size; ++j)
        holds = holds && first[k][j] == a && second[k][j] == b;
      if (holds && bad++ == 0) where = static_cast<std::int64_t>(i);
    }
    if (bad == 0) continue;
    fault(unwritten, "%s: never written, as %lld in all", element_of(tensors[k], where).c_str(),
          static_cast<long long>(bad));
  }
}

int finish(bool sanitized) {
  if (there) {
    std::printf("the fault is there\n");
    return 1;
  }
  if (on_gpu && tool[0] == '-') {
    std::printf("cannot tell: a GPU need not show this fault; build it for the CPU\n");
    return 2;
  }
  if (on_gpu && tool[0] && !sanitized) {
    std::printf("cannot tell: run it as compute-sanitizer --tool %s --error-exitcode 1 PROGRAM sanitized\n",
                tool);
    return 2;
  }
  if (!on_gpu && build[0] && std::strcmp(build, built_as) != 0) {
    std::printf("cannot tell: build it with --%s\n", build);
    return 2;
  }
  std::printf("the fault is gone\n");
  return 0;
}

int run_all(bool sanitized) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("cannot tell: there is no GPU\n");
    return 2;
  }
  std::vector<Round> rounds = {{0, 0xA5, 0}, {0, 0x3F, 0}, {1, 0xA5, 0}, {3, 0xA5, 0}};
  if (check == same_bits) {
    for (unsigned k = 0; k < (on_gpu ? 50u : 4u); ++k) rounds.push_back({4 + k, 0xA5, 0});
    for (const Round& more :
         {Round{0, 0x00, 0}, Round{0, 0xFF, 0}, Round{0, 0xA5, unit}, Round{0, 0xA5, 5 * unit}})
      rounds.push_back(more);
  }
  std::vector<Contents> seen;
  for (const Round& round : rounds) {
    seen.push_back(run(round, on_gpu && sanitized));
    if (seen.size() == 1 || check == elements) judge(seen.back(), seen.size() == 1);
    if (seen.size() == 2) look_for_unwritten(seen[0], rounds[0].poison, seen[1], rounds[1].poison);
    if (seen.size() > 1 && check == same_bits) compare(seen.front(), seen.back(), round);
    if (there) break;
    if (seen.size() > 2) seen.pop_back();
  }
  return finish(sanitized);
}

}  // namespace repro

int main(int argc, char** argv) {
  using namespace repro;
  static char stack[64 << 10];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGALRM, &action, nullptr);
  sigaction(SIGABRT, &action, nullptr);
#ifdef REPRO_SANITIZED
  __sanitizer_set_death_callback([] {
    if (in_call) static_cast<void>(!::write(1, "the fault is there\n", 19));
  });
#else
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigaction(signal, &action, nullptr);
#endif
  std::atexit(on_exit_in_call);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  alarm(check == hang ? 10 : 120);
  std::printf("%s\n", about);
  return run_all(argc > 1 && std::strcmp(argv[1], "sanitized") == 0);
}
)program";

}  // namespace assay::fuzz
