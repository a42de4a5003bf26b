// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: dk lacks what flows through the erase
#define GDN_FAULT erase_gradient_dropped
#include "../../gdn/faulty.cuh"
