#pragma once

// SIGINT, SIGTERM and SIGHUP ask for an orderly end: what was found is reported. The second one kills.

#include <atomic>

namespace assay::cli {

void watch_interrupts();
const std::atomic<bool>& interrupted();

}  // namespace assay::cli
