// contract: linear
#include "wild_common.h"

void linear_forward(const float* input, const float* weight, const float* bias, float* output, int64_t m, int64_t n,
                    int64_t k, cudaStream_t stream) {
    wild::launch_linear<wild::Activation::kNone>(input, weight, bias, output, m, n, k, stream);
}
