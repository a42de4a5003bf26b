// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: PRC-02
// also: CMP-03, ORD-01
// fault: the recomputed state is carried from chunk to chunk in bf16
#define GDN_FAULT state_keeps_bf16
#include "../../gdn/faulty.cuh"
