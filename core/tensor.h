#pragma once

// A dense, row-major tensor that owns its bits. Values are bits first: a kernel is judged on what it wrote.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/dtype.h"

namespace assay {

using Dims = std::vector<std::int64_t>;

std::int64_t count(const Dims& shape);  // number of elements; 1 for rank 0

class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Dims shape);  // all bits zero

  DType dtype() const { return dtype_; }
  const Dims& shape() const { return shape_; }
  std::int64_t size() const { return size_; }  // elements

  std::byte* data() { return bytes_.data(); }
  const std::byte* data() const { return bytes_.data(); }
  std::size_t size_bytes() const { return bytes_.size(); }

  // Element i in row-major order, 0 <= i < size().
  std::uint64_t bits(std::int64_t i) const;
  void set_bits(std::int64_t i, std::uint64_t bits);
  double value(std::int64_t i) const { return decode(dtype_, bits(i)); }
  std::int64_t integer(std::int64_t i) const { return decode_integer(dtype_, bits(i)); }

  friend bool operator==(const Tensor&, const Tensor&) = default;  // same dtype, shape and bits

 private:
  DType dtype_ = DType::f32;
  Dims shape_;
  std::int64_t size_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace assay
