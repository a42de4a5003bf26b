#pragma once

// Cooperative groups: thread block, tiles of 1 to 32 lanes, coalesced lanes, and the grid of one block.

#include "assay_cuda.h"

namespace cooperative_groups {

namespace assay_detail {
constexpr unsigned tile_mask(unsigned size, unsigned lane) {
  return size >= 32 ? 0xffffffffu : ((1u << size) - 1u) << (lane & ~(size - 1u));
}
inline unsigned lane() {
  return assay::cpu::linear_thread() & 31u;
}
// The lanes of the calling thread's warp that exist.
inline unsigned warp_lanes() {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned left = threads - (assay::cpu::linear_thread() & ~31u);
  return left >= 32 ? 0xffffffffu : (1u << left) - 1u;
}
}  // namespace assay_detail

class thread_block {
 public:
  static void sync(ASSAY_SITE) { ::__syncthreads(file, line); }
  static void barrier_sync() { sync(); }
  static unsigned thread_rank() { return assay::cpu::linear_thread(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() {
  return {};
}

// What tiles and coalesced groups share: lanes of one warp, of which this thread's rank is the number of
// lower lanes in the mask.
class assay_lanes {
 public:
  explicit assay_lanes(unsigned mask) : mask_(mask) {}
  unsigned thread_rank() const { return __popc(mask_ & ((1u << assay_detail::lane()) - 1u)); }
  void sync(ASSAY_SITE) const { __syncwarp(mask_, file, line); }
  int any(int predicate, ASSAY_SITE) const { return __any_sync(mask_, predicate, file, line); }
  int all(int predicate, ASSAY_SITE) const { return __all_sync(mask_, predicate, file, line); }
  unsigned ballot(int predicate, ASSAY_SITE) const {
    return pack(__ballot_sync(mask_, predicate, file, line));
  }
  template <class T>
  unsigned match_any(T value, ASSAY_SITE) const {
    return pack(__match_any_sync(mask_, value, file, line));
  }
  template <class T>
  unsigned match_all(T value, int& predicate, ASSAY_SITE) const {
    return pack(__match_all_sync(mask_, value, &predicate, file, line));
  }
  template <class T>
  T shfl(T value, int rank, ASSAY_SITE) const {
    return exchange(value, rank % static_cast<int>(num_threads()), file, line);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, ASSAY_SITE) const {
    const int from = static_cast<int>(thread_rank()) - static_cast<int>(delta);
    return exchange(value, from < 0 ? thread_rank() : from, file, line);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, ASSAY_SITE) const {
    const unsigned from = thread_rank() + delta;
    return exchange(value, from >= num_threads() ? thread_rank() : from, file, line);
  }
  unsigned size() const { return __popc(mask_); }
  unsigned num_threads() const { return size(); }
  unsigned assay_mask() const { return mask_; }

 protected:
  // Values of more than 8 bytes travel in pieces.
  template <class T>
  T exchange(const T& value, unsigned rank, const char* file, int line) const {
    const int from = static_cast<int>(__fns(mask_, 0, static_cast<int>(rank) + 1));
    T out;
    const char* source = reinterpret_cast<const char*>(&value);
    for (size_t at = 0; at < sizeof(T); at += 8) {
      const size_t bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
      unsigned long long piece = 0;
      __builtin_memcpy(&piece, source + at, bytes);
      piece = __shfl_sync(mask_, piece, from, 32, file, line);
      __builtin_memcpy(reinterpret_cast<char*>(&out) + at, &piece, bytes);
    }
    return out;
  }
  unsigned pack(unsigned lanes) const {
    unsigned out = 0, rank = 0;
    for (unsigned left = mask_; left; left &= left - 1, ++rank)
      if (lanes & left & -left) out |= 1u << rank;
    return out;
  }

  unsigned mask_;
};

class coalesced_group : public assay_lanes {
 public:
  using assay_lanes::assay_lanes;
};
inline coalesced_group coalesced_threads(ASSAY_SITE) {
  return coalesced_group(__activemask(file, line));
}

template <unsigned Size, class Parent = thread_block>
class thread_block_tile : public assay_lanes {
  static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  thread_block_tile()
      : assay_lanes(assay_detail::tile_mask(Size, assay_detail::lane()) & assay_detail::warp_lanes()) {}
  static unsigned thread_rank() { return assay_detail::lane() & (Size - 1); }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned meta_group_rank() { return assay::cpu::linear_thread() / Size; }
  static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
  template <class T>
  T shfl_xor(T value, unsigned lanes, ASSAY_SITE) const {
    const unsigned from = thread_rank() ^ lanes;
    return exchange(value, from < Size ? from : thread_rank(), file, line);
  }
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}
template <class Parent>
coalesced_group tiled_partition(const Parent&, unsigned size) {
  return coalesced_group(assay_detail::tile_mask(size, assay_detail::lane()) & assay_detail::warp_lanes());
}

class grid_group {
 public:
  void sync(ASSAY_SITE) const { assay::cpu::grid_barrier(file, line); }
  static bool is_valid() { return true; }
  static unsigned long long size() { return 1ull * gridDim.x * gridDim.y * gridDim.z * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long block_rank() {
    return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
  }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static dim3 group_dim() { return gridDim; }
};
inline grid_group this_grid() {
  return {};
}

template <class Group>
void sync(const Group& group, ASSAY_SITE) {
  group.sync(file, line);
}

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

// A butterfly where the size is a power of two, as on a GPU; every lane ends with the same value.
template <class Group, class T, class Op>
T reduce(const Group& group, T value, Op op, ASSAY_SITE) {
  const unsigned size = group.num_threads(), rank = group.thread_rank();
  if ((size & (size - 1)) == 0) {
    for (unsigned step = size / 2; step > 0; step /= 2)
      value = op(value, group.shfl(value, static_cast<int>(rank ^ step), file, line));
    return value;
  }
  T total = group.shfl(value, 0, file, line);
  for (unsigned i = 1; i < size; ++i) total = op(total, group.shfl(value, static_cast<int>(i), file, line));
  return total;
}
template <class Group, class T, class Op>
T inclusive_scan(const Group& group, T value, Op op, ASSAY_SITE) {
  for (unsigned step = 1; step < group.num_threads(); step *= 2) {
    const T other = group.shfl_up(value, step, file, line);
    if (group.thread_rank() >= step) value = op(other, value);
  }
  return value;
}
template <class Group, class T>
T inclusive_scan(const Group& group, T value, ASSAY_SITE) {
  return cooperative_groups::inclusive_scan(group, value, plus<T>{}, file, line);
}
template <class Group, class T, class Op>
T exclusive_scan(const Group& group, T value, Op op, ASSAY_SITE) {
  const T whole = cooperative_groups::inclusive_scan(group, value, op, file, line);
  const T before = group.shfl_up(whole, 1, file, line);
  return group.thread_rank() == 0 ? T{} : before;
}
template <class Group, class T>
T exclusive_scan(const Group& group, T value, ASSAY_SITE) {
  return cooperative_groups::exclusive_scan(group, value, plus<T>{}, file, line);
}

}  // namespace cooperative_groups
