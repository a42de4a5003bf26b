// control: negative
// contract: gdn_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
// gate: CMP-01
// also: CMP-02
// fault: dbeta is taken with the value instead of the prediction error
#define GDN_FAULT dbeta_of_value
#include "../../gdn/faulty.cuh"
