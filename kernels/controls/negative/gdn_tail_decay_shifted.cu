// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: the decay from a token to the end of its chunk includes the token
#define GDN_FAULT tail_decay_shifted
#include "../../gdn/faulty.cuh"
