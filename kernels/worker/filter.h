#pragma once

// The system calls that a kernel may make. It computes: it has no business starting programs, talking to a
// network, or touching other processes. A call that is not allowed ends the process with SIGSYS.

namespace assay {

// For this process and for good, from here on. False where the machine does not offer it.
bool install_filter();

// Once the plug-in is loaded: there are no files, so that a kernel cannot ask /proc what runs it.
bool hide_files();

}  // namespace assay
