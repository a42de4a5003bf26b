// control: positive
// contract: kda_backward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
#include "../../gdn/kda_backward.cu"
