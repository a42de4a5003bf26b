// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: dq is multiplied by the scale twice
#define GDN_FAULT scale_twice
#include "../../gdn/faulty.cuh"
