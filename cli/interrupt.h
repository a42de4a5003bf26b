#pragma once

// SIGINT, SIGTERM and SIGHUP ask for an orderly end: no new work is begun, and what was found is reported. A
// second later what is still under way, a call of the kernel or its compiler, is given up. The second signal
// kills.

#include <atomic>

namespace assay::cli {

void watch_interrupts();  // before the work begins
const std::atomic<bool>& interrupted();

}  // namespace assay::cli
