// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: RES-01
// also: CMP-03
// fault: rows of the padding tail are left as they were
#define GDN_FAULT tail_unwritten
#include "../../gdn/faulty.cuh"
