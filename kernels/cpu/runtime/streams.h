#pragma once

// Streams: everything has run when it is asked for, so what is left to know is which work nobody has waited
// for.

#include "state.h"

namespace assay::cpu {

bool known(cudaStream_t stream);

void forget_work();
// A finding for work that was left on another stream than the call's.
void report_stray_work();

}  // namespace assay::cpu
