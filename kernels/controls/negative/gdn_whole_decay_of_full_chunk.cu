// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02, CMP-03
// fault: the decay of a partial chunk is taken at its 64th token
#define GDN_FAULT whole_decay_of_full_chunk
#include "../../gdn/faulty.cuh"
