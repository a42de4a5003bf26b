// One call of an entry point: its settings, its report, and the error state of the host API.

#include <utility>

#include "memory.h"
#include "race.h"
#include "section.h"
#include "state.h"
#include "streams.h"

namespace assay::cpu {
namespace {

cudaError_t last_error = cudaSuccess;

}  // namespace

cudaError_t fail(cudaError_t error, const char* where, std::string location) {
  const bool launch = !location.empty();
  last_error = error;
  if (call.report.errors.size() < 64)
    call.report.errors.push_back({error, where, std::move(location), !launch});
  return error;
}

void read_plugin(const void* function) {
  shared_section(function);
}

void begin_call(const Settings& settings) {
  call = {};
  call.settings = settings;
  last_error = cudaSuccess;
  forget_work();
  begin_allocations();
  race::begin_call();
}

const CallReport& report_so_far() {
  return call.report;
}

CallReport end_call() {
  end_allocations(call.report);
  race::end_call();
  if (call.settings.has_stream) report_stray_work();
  return std::move(call.report);
}

}  // namespace assay::cpu

using namespace assay::cpu;

cudaError_t cudaGetLastError() {
  for (LaunchError& error : call.report.errors) error.read = true;
  return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  for (LaunchError& error : call.report.errors) error.read = true;
  return last_error;
}
