#pragma once

// Which elements of a sparse file a kernel wrote.

#include <cstdint>
#include <vector>

#include "kernels/kernel.h"

namespace assay {

struct Extent {
  std::uint64_t begin = 0, end = 0;  // bytes
};

std::vector<Extent> data_extents(int fd);  // what is no hole
void poison_extents(int fd, const std::vector<Extent>& extents, unsigned char poison);

// Runs of elements within the extents that do not hold the poison, at most `limit` elements: the first and
// last ones of each run. `n` is the number of elements of the tensor.
std::vector<SparseResult::Piece> written_pieces(int fd, const std::vector<Extent>& extents, std::int64_t n,
                                                DType dtype, unsigned char poison, std::int64_t limit);

}  // namespace assay
