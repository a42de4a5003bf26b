// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: dq and dk are those of the last value head of the group
#define GDN_FAULT group_not_summed
#include "../../gdn/faulty.cuh"
