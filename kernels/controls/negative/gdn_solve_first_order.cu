// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: the triangular inverse is cut after its first term
#define GDN_FAULT solve_first_order
#include "../../gdn/faulty.cuh"
