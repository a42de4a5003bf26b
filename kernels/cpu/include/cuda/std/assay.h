#pragma once

// cuda::std is the host's standard library: what libcu++ has in it has the same names and meanings there.

#include "assay_cuda.h"

namespace cuda::std {
using namespace ::std;
}  // namespace cuda::std
