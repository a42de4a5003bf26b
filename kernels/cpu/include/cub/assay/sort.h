#pragma once

// A block's stable sort by key; floats by value, with -0 before +0 and NaN by its bits, as a radix sort has
// it.

#include "cub/assay/functors.h"

namespace cub {

struct NullType {};

template <class Key, int X, int Items, class Value = NullType>
class BlockRadixSort {
  static constexpr bool kPairs = !std::is_same_v<Value, NullType>;

 public:
  struct TempStorage {
    assay_detail::Slots<Key, X * Items> keys;
    assay_detail::Slots<Value, kPairs ? X * Items : 1> values;
  };
  explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

  void Sort(Key (&keys)[Items], ASSAY_SITE) { sort(keys, nullptr, false, file, line); }
  void SortDescending(Key (&keys)[Items], ASSAY_SITE) { sort(keys, nullptr, true, file, line); }
  void Sort(Key (&keys)[Items], Value (&values)[Items], ASSAY_SITE) { sort(keys, values, false, file, line); }
  void SortDescending(Key (&keys)[Items], Value (&values)[Items], ASSAY_SITE) {
    sort(keys, values, true, file, line);
  }

 private:
  static auto order(Key key) {
    if constexpr (std::is_same_v<Key, float>) {
      const unsigned bits = __builtin_bit_cast(unsigned, key + 0.0f);
      return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    } else if constexpr (std::is_same_v<Key, double>) {
      const unsigned long bits = __builtin_bit_cast(unsigned long, key + 0.0);
      return bits >> 63 ? ~bits : bits | 1ul << 63;
    } else {
      return key;
    }
  }

  void sort(Key (&keys)[Items], Value* values, bool descending, const char* file, int line) {
    const int first = assay_detail::thread() * Items, count = X * Items;
    for (int i = 0; i < Items; ++i) {
      storage_.keys[first + i] = keys[i];
      if constexpr (kPairs)
        if (values) storage_.values[first + i] = values[i];
    }
    __syncthreads(file, line);
    int ranks[Items];  // how many items come before
    for (int i = 0; i < Items; ++i) {
      const auto key = order(keys[i]);
      ranks[i] = 0;
      for (int other = 0; other < count; ++other) {
        const auto k = order(storage_.keys[other]);
        const bool before = descending ? key < k : k < key, after = descending ? k < key : key < k;
        ranks[i] += before || (other < first + i && !after);
      }
    }
    __syncthreads(file, line);
    for (int i = 0; i < Items; ++i) {
      storage_.keys[ranks[i]] = keys[i];
      if constexpr (kPairs)
        if (values) storage_.values[ranks[i]] = values[i];
    }
    __syncthreads(file, line);
    for (int i = 0; i < Items; ++i) {
      keys[i] = storage_.keys[first + i];
      if constexpr (kPairs)
        if (values) values[i] = storage_.values[first + i];
    }
  }
  TempStorage& storage_;
};

}  // namespace cub
