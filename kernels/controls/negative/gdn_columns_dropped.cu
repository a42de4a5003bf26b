// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 1, r <= 2, kd <= 3, vd <= 40, n <= 3
// gate: CMP-03
// also: ORD-03
// fault: dq reads the first 32 columns of the state before the chunk, however many there are
#define GDN_FAULT columns_dropped
#include "../../gdn/faulty.cuh"
