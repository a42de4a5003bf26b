// Linked into each program of right/ and faults/: the whole run is one call, and what the runtime found is
// printed at its end. $ASSAY_SCHEDULE is the schedule, $ASSAY_STREAM (any value) says that a stream was
// given, $ASSAY_SAMPLE that a few blocks are enough.

#include <cstdio>
#include <cstdlib>

#include "kernels/cpu/runtime.h"

namespace {

void print(const assay::cpu::CallReport& report) {
  for (const auto& finding : report.findings)
    std::printf("finding: %s: %s [%s]\n", finding.kind.c_str(), assay::cpu::with_places(finding.text).c_str(),
                assay::cpu::with_places(finding.location).c_str());
  for (const auto& note : report.notes) std::printf("note: %s: %s\n", note.kind.c_str(), note.text.c_str());
  for (const auto& error : report.errors)
    if (!error.read)
      std::printf("finding: unread error %d of %s [%s]\n", error.code, error.kernel.c_str(),
                  error.location.c_str());
  if (report.leaked_allocations) std::printf("leaked: %zu allocations\n", report.leaked_allocations);
  std::fflush(stdout);
}

struct Observer {
  Observer() {
    assay::cpu::Settings settings;
    if (const char* schedule = std::getenv("ASSAY_SCHEDULE"))
      settings.schedule = std::strtoul(schedule, nullptr, 10);
    settings.sample_blocks = std::getenv("ASSAY_SAMPLE") != nullptr;
    settings.has_stream = std::getenv("ASSAY_STREAM") != nullptr;
    if (settings.has_stream) settings.stream = &settings;
    assay::cpu::on_fatal([](const assay::cpu::CallReport& report) {
      print(report);
      std::_Exit(3);
    });
    assay::cpu::begin_call(settings);
  }
  ~Observer() { print(assay::cpu::end_call()); }
} observer;

}  // namespace
