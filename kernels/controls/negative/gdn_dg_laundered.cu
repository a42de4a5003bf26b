// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: EXC-01
// fault: a NaN in dg becomes 0
#define GDN_FAULT dg_laundered
#include "../../gdn/faulty.cuh"
