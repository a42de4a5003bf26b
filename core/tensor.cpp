#include "core/tensor.h"

#include <cassert>
#include <cstring>
#include <utility>

namespace assay {

std::int64_t count(const Dims& shape) {
  std::int64_t product = 1;
  for (std::int64_t extent : shape) product *= extent;
  return product;
}

Tensor::Tensor(DType dtype, Dims shape)
    : dtype_(dtype),
      shape_(std::move(shape)),
      size_(count(shape_)),
      bytes_(static_cast<std::size_t>(size_) * size_of(dtype)) {}

std::uint64_t Tensor::bits(std::int64_t i) const {
  assert(0 <= i && i < size_);
  std::uint64_t bits = 0;  // little-endian, as every machine with CUDA is
  std::memcpy(&bits, bytes_.data() + static_cast<std::size_t>(i) * size_of(dtype_), size_of(dtype_));
  return bits;
}

void Tensor::set_bits(std::int64_t i, std::uint64_t bits) {
  assert(0 <= i && i < size_);
  std::memcpy(bytes_.data() + static_cast<std::size_t>(i) * size_of(dtype_), &bits, size_of(dtype_));
}

}  // namespace assay
