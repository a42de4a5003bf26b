// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: dq lacks what a token reads of its own write
#define GDN_FAULT diagonal_missing
#include "../../gdn/faulty.cuh"
