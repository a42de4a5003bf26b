#pragma once

// Where these kernels round: the table that the oracle reads, too. (Installed, this file is that table.)

#include "../../oracle/gdn/rounding.h"
