// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: s0 is read as vd x kd
#define GDN_FAULT state_transposed
#include "../../gdn/faulty.cuh"
