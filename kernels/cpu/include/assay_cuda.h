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
