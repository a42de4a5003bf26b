// control: negative
// contract: gdn_backward
// where: t <= 400, h <= 1, r <= 2, kd <= 4, vd <= 4, n <= 2
// gate: PRC-02
// also: CMP-01, CMP-02
// fault: the recomputed state of a bf16 kernel is carried from chunk to chunk in bf16, as its tensors are
#define GDN_FAULT state_keeps_bf16
#include "../../gdn/faulty_bf16.cuh"
