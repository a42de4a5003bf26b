// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: the gradient through the L2 normalisation is divided by the norm only
#define GDN_FAULT norm_projection_dropped
#include "../../gdn/faulty.cuh"
