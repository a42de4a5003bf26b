// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: RES-01
// fault: d_st is used as scratch memory
#define GDN_FAULT gradient_in_input
#include "../../gdn/faulty.cuh"
