// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: dg is row sums less column sums, as libraries have it, which cancel under strong decay
#define GDN_FAULT dg_differences
#include "../../gdn/faulty.cuh"
