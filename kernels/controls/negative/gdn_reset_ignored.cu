// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// fault: a gate of minus infinity, a reset, is taken for 0
#define GDN_FAULT reset_ignored
#include "../../gdn/faulty.cuh"
