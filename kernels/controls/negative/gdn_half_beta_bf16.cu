// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: the write strengths of a bf16 kernel are rounded to bf16 when they are loaded, as its tensors are
#define GDN_FAULT beta_bf16
#include "../../gdn/faulty_bf16.cuh"
