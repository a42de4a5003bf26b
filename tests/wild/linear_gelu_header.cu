// contract: linear_gelu
#include "wild_common.h"

using namespace wild;

extern "C" void linear_gelu(const float* x, const float* w, const float* b, float* y, int64_t m, int64_t n, int64_t k) {
    launch_linear<Activation::kGelu>(x, w, b, y, m, n, k, 0);
}
