#pragma once

// cub, as kernels use it: reductions and scans of a warp and of a block, loads and stores of items, a block's
// radix sort. Device-wide algorithms are not there.
//
// Only the thread that cub promises a result gets one: the others get poison. As with cub, storage may be used
// again only after a barrier.

#include "cub/assay/functors.h"
#include "cub/assay/items.h"
#include "cub/assay/reduce.h"
#include "cub/assay/scan.h"
#include "cub/assay/sort.h"
