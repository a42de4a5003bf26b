#include "kernels/sparse.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace assay {
namespace {

constexpr std::size_t kMostExtents = 65536;

struct Run {
  std::int64_t first, last;  // elements, both written
};

std::uint64_t element(const std::vector<std::byte>& bytes, std::size_t i, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * size, size);
  return bits;
}

std::vector<std::byte> read_bytes(int fd, std::uint64_t from, std::size_t n) {
  std::vector<std::byte> bytes(n);
  const ssize_t got = pread(fd, bytes.data(), n, static_cast<off_t>(from));
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

}  // namespace

std::vector<Extent> data_extents(int fd) {
  std::vector<Extent> result;
  off_t at = 0;
  while (result.size() < kMostExtents) {
    const off_t data = lseek(fd, at, SEEK_DATA);
    if (data < 0) break;
    const off_t hole = lseek(fd, data, SEEK_HOLE);
    if (hole < 0) break;
    result.push_back({static_cast<std::uint64_t>(data), static_cast<std::uint64_t>(hole)});
    at = hole;
  }
  return result;
}

void poison_extents(int fd, const std::vector<Extent>& extents, unsigned char poison) {
  const std::vector<unsigned char> block(1 << 20, poison);
  for (const Extent& e : extents) {
    for (std::uint64_t at = e.begin; at < e.end;) {
      const ssize_t n =
          pwrite(fd, block.data(), std::min<std::uint64_t>(block.size(), e.end - at), static_cast<off_t>(at));
      if (n <= 0) return;
      at += static_cast<std::uint64_t>(n);
    }
  }
}

std::vector<SparseResult::Piece> written_pieces(int fd, const std::vector<Extent>& extents, std::int64_t n,
                                                DType dtype, unsigned char poison, std::int64_t limit) {
  const std::size_t size = size_of(dtype);
  std::uint64_t poisoned = 0;
  std::memset(&poisoned, poison, size);
  std::vector<Run> runs;
  constexpr std::size_t kBlock = 1 << 20;
  for (const Extent& e : extents) {
    for (std::uint64_t at = e.begin; at < e.end; at += kBlock) {
      const auto bytes = read_bytes(fd, at, std::min<std::uint64_t>(kBlock, e.end - at));
      for (std::size_t i = 0; (i + 1) * size <= bytes.size(); ++i) {
        const auto index = static_cast<std::int64_t>(at / size + i);
        if (index >= n || element(bytes, i, size) == poisoned) continue;
        if (!runs.empty() && runs.back().last + 1 == index) {
          runs.back().last = index;
        } else {
          runs.push_back({index, index});
        }
      }
    }
  }
  std::vector<SparseResult::Piece> pieces;
  if (runs.empty() || limit <= 0) return pieces;
  const auto number = static_cast<std::int64_t>(runs.size());
  const std::int64_t stride = (number + limit - 1) / limit;  // where even one element of each is too many
  const std::int64_t share = std::max<std::int64_t>(limit / ((number + stride - 1) / stride), 1);
  const auto take = [&](std::int64_t first, std::int64_t count) {
    if (count <= 0) return;
    const auto bytes =
        read_bytes(fd, static_cast<std::uint64_t>(first) * size, static_cast<std::size_t>(count) * size);
    SparseResult::Piece piece{0, first, {}};
    for (std::size_t i = 0; (i + 1) * size <= bytes.size(); ++i)
      piece.bits.push_back(element(bytes, i, size));
    pieces.push_back(std::move(piece));
  };
  for (std::int64_t r = 0; r < number; r += stride) {
    const Run& run = runs[static_cast<std::size_t>(r == number - 1 || r + stride < number ? r : number - 1)];
    const std::int64_t length = run.last - run.first + 1;
    if (length <= share) {
      take(run.first, length);
    } else {
      take(run.first, (share + 1) / 2);
      take(run.last - share / 2 + 1, share / 2);
    }
  }
  return pieces;
}

}  // namespace assay
