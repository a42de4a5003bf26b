// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-03
// also: RES-01
// fault: the last chunk of a sequence is processed before it is known that there is one: chunk -1 of an empty
// sequence
#define GDN_FAULT empty_sequence_processed
#include "../../gdn/faulty.cuh"
