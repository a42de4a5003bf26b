#pragma once

#include "../../cuda/functional"

namespace cub {

using Max = ::cuda::maximum<>;
using Min = ::cuda::minimum<>;
using Sum = ::cuda::std::plus<>;

template <class Key, class Value>
struct KeyValuePair {
  using KeyT = Key;
  using ValueT = Value;
  Key key;
  Value value;
};
struct ArgMax {
  template <class Pair>
  Pair operator()(const Pair& a, const Pair& b) const {
    return b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class Pair>
  Pair operator()(const Pair& a, const Pair& b) const {
    return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};

namespace assay_detail {

inline int thread() {
  return static_cast<int>(assay::cpu::linear_thread());
}

// The result of a thread that cub promises none.
template <class T>
T no_result(const T& like) {
  T value = like;
  if constexpr (std::is_trivially_copyable_v<T>)
    __builtin_memset(static_cast<void*>(&value), 0xff, sizeof value);
  return value;
}

// Room for a value of each thread, without a constructor as shared memory wants it.
template <class T, int Count>
struct Slots {
  alignas(T) unsigned char bytes[Count * sizeof(T)];
  T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

}  // namespace assay_detail

}  // namespace cub
