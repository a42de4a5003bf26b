#pragma once

// What the runtime's parts share: the call's settings and report, and the reports of faults.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#define ASSAY_CPU_RUNTIME
#include "../include/assay_cuda/host.h"
#include "../include/assay_cuda/interface.h"
#include "../include/vector_types.h"
#include "../runtime.h"

namespace assay::cpu {

struct Call {
  Settings settings;
  CallReport report;
};
extern Call call;

// Records a finding or note once for each (kind, location), at most 64.
void add_finding(const char* kind, std::string text, std::string location);
void add_note(const char* kind, std::string text, std::string location);
[[noreturn]] void fatal(const char* kind, std::string text, std::string location);
std::string location(const char* file, int line);

// Sets the error state, as the API does.
cudaError_t fail(cudaError_t error, const char* where, std::string location = {});

// Notes work on a stream that nobody has waited for yet.
void used_stream(cudaStream_t stream, std::string location);

bool in_launch();
const char* kernel_name();  // of the launch that runs

// The launch that runs; kernels see it const.
extern LaunchLimits launch_limits;
extern bool blocks_left_out;

}  // namespace assay::cpu
