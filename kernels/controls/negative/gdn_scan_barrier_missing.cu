// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: ORD-02
// also: CMP-01
// fault: no barrier between the gradient of what is written and the solve that reads it
#define GDN_FAULT scan_barrier_missing
#include "../../gdn/faulty.cuh"
