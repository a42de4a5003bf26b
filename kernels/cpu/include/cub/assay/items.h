#pragma once

// Loads and stores of a block's items, each thread's in a row (blocked).

#include "cub/assay/functors.h"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
};

template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1>
class BlockLoad {
  static_assert(Algorithm != BLOCK_LOAD_STRIPED, "BLOCK_LOAD_STRIPED is not supported on the CPU");

 public:
  struct TempStorage {};
  BlockLoad() = default;
  explicit BlockLoad(TempStorage&) {}
  template <class Iterator>
  void Load(Iterator from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[assay_detail::thread() * Items + i];
  }
  template <class Iterator>
  void Load(Iterator from, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
      if (const int at = assay_detail::thread() * Items + i; at < valid) items[i] = from[at];
  }
  template <class Iterator, class Default>
  void Load(Iterator from, T (&items)[Items], int valid, Default otherwise) {
    for (int i = 0; i < Items; ++i) {
      const int at = assay_detail::thread() * Items + i;
      items[i] = at < valid ? T(from[at]) : T(otherwise);
    }
  }
};

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1>
class BlockStore {
  static_assert(Algorithm != BLOCK_STORE_STRIPED, "BLOCK_STORE_STRIPED is not supported on the CPU");

 public:
  struct TempStorage {};
  BlockStore() = default;
  explicit BlockStore(TempStorage&) {}
  template <class Iterator>
  void Store(Iterator to, T (&items)[Items], int valid = X * Y * Z * Items) {
    for (int i = 0; i < Items; ++i)
      if (const int at = assay_detail::thread() * Items + i; at < valid) to[at] = items[i];
  }
};

}  // namespace cub
