// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: the reverse scan solves with the triangle of the forward, not its transpose
#define GDN_FAULT solve_not_transposed
#include "../../gdn/faulty.cuh"
