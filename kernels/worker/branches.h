#pragma once

// Which branches of the kernel a call has taken, where its plug-in was built to tell
// (BuildOptions::branches).

#include "kernels/protocol.h"

namespace assay {

void clear_branches();
void save_branches(protocol::Header& header);  // may run in a signal handler

}  // namespace assay
