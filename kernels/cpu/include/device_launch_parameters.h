#pragma once

#include "assay_cuda.h"
