// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: EXC-01
// fault: rows past the end of a sequence, those of the next, are multiplied by 0 instead of left out
#define GDN_FAULT neighbour_rows
#include "../../gdn/faulty.cuh"
