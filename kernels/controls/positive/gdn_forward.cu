// control: positive
// contract: gdn_forward
// where: t <= 80, h <= 2, r <= 2, kd <= 4, vd <= 4, n <= 4
#include "../../gdn/gdn_forward.cu"
