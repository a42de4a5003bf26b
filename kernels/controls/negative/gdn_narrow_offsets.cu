// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 4, r <= 4, kd <= 3, vd <= 3, n <= 6
// gate: CMP-03
// also: CMP-01
// fault: offsets of score tiles are kept in 16 bits
#define GDN_FAULT narrow_offsets
#include "../../gdn/faulty.cuh"
