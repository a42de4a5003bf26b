// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: ORD-02
// fault: the row sums of dg are taken by float atomics
#define GDN_FAULT dg_atomic
#include "../../gdn/faulty.cuh"
