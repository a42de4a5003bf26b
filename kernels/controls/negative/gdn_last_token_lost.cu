// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: in a partial chunk dg lacks what flows behind its last token
#define GDN_FAULT last_token_lost
#include "../../gdn/faulty.cuh"
