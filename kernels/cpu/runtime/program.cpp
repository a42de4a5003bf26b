// For programs of their own, which `assay-c++` builds of a .cu file: what the runtime saw between two calls,
// as text. They declare these two functions themselves and include nothing of Assay.

#include <unistd.h>

#include <cstdio>
#include <string>

#include "../marks.h"
#include "../runtime.h"

namespace {

std::string lines(const assay::cpu::CallReport& report) {
  std::string text;
  const auto add = [&](const std::string& kind, const std::string& what, const std::string& location) {
    text += kind + ": " + assay::cpu::with_places(what) +
            (location.empty() ? "" : " [" + assay::cpu::with_places(location) + "]") + "\n";
  };
  for (const assay::cpu::Finding& f : report.findings) add(f.kind, f.text, f.location);
  for (const assay::cpu::LaunchError& e : report.errors)
    add("launch error", e.kernel + " failed with CUDA error " + std::to_string(e.code), e.location);
  if (report.leaked_allocations > 0)
    add("leak", std::to_string(report.leaked_allocations) + " device allocations were not freed", "");
  return text;
}

}  // namespace

namespace assay::cpu {

std::string with_places(const std::string& text) {
  const auto place = [](std::uint64_t offset) {
    char command[160];
    std::snprintf(
        command, sizeof command,
        "llvm-symbolizer-19 --functions=none --inlining=true --relativenames --obj=/proc/%d/exe 0x%llx",
        static_cast<int>(getpid()), static_cast<unsigned long long>(offset));
    std::string output;
    if (FILE* const pipe = popen(command, "r")) {
      char line[1024];
      while (std::fgets(line, sizeof line, pipe)) output += line;
      pclose(pipe);
    }
    return place_of_frames(output);
  };
  const auto tensor = [](std::uint64_t index, std::uint64_t bytes) {
    return "tensor " + std::to_string(index) + ", byte " + std::to_string(bytes);
  };
  return without_marks(text, place, tensor);
}

}  // namespace assay::cpu

// Defined by a program that has something to save before it ends in the middle of a call.
extern "C" __attribute__((weak)) void assay_program_dying();

// `stream` is the one that the entry point is given, where it takes one. What a kernel cannot survive ends
// the program with 1.
extern "C" void assay_program_begin(unsigned schedule, unsigned char poison, const void* stream) {
  assay::cpu::on_fatal([](const assay::cpu::CallReport& report) {
    std::printf("%sthe fault is there: the kernel cannot go on\n", lines(report).c_str());
    std::fflush(stdout);
    if (assay_program_dying != nullptr) assay_program_dying();
    _exit(1);
  });
  assay::cpu::Settings settings;
  settings.schedule = schedule;
  settings.poison = poison;
  settings.has_stream = stream != nullptr;
  settings.stream = stream;
  assay::cpu::begin_call(settings);
}

// One line a finding, "kind: text [FILE:LINE]"; empty where there was none. Valid until the next call.
extern "C" const char* assay_program_end() {
  static std::string text;
  text = lines(assay::cpu::end_call());
  return text.c_str();
}
