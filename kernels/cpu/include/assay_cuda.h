#pragma once

// What nvcc gives a .cu file without an #include, for clang on the CPU. Force-included before every plug-in.

#include "assay_cuda/extrema.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#include "assay_cuda/atomics.h"
#include "assay_cuda/host.h"
#include "assay_cuda/integers.h"
#include "assay_cuda/interface.h"
#include "assay_cuda/launch.h"
#include "assay_cuda/math.h"
#include "assay_cuda/memory.h"
#include "assay_cuda/ptx.h"
#include "assay_cuda/qualifiers.h"
#include "assay_cuda/rounding.h"
#include "assay_cuda/warp.h"
#include "vector_types.h"

// clang 19 loses the type behind va_list where a precompiled header has no use of it: <string> would not
// compile.
inline void assay_uses_va_list(int last, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, last);
  __builtin_va_end(list);
}
