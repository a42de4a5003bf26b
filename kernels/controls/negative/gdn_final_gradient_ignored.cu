// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: the gradient of the final state is taken for zero
#define GDN_FAULT final_gradient_ignored
#include "../../gdn/faulty.cuh"
