// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// fault: the decays above the diagonal are computed and then multiplied by 0: infinity times 0 under strong
// gates
#define GDN_FAULT decay_mask_multiplied
#include "../../gdn/faulty.cuh"
