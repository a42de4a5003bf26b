#pragma once

// Warp matrix functions (nvcuda::wmma).
//
// A fragment's elements are spread over the warp: element i of a lane is element 32 i + lane of the tile, row
// by row. Products are exact; sums run over k in order, with one rounding each in the accumulator's type (a
// half accumulator is rounded once, at the end). What a tensor core keeps beyond that is not modelled.

#include "assay_cuda.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

namespace assay_detail {

template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<precision::tf32> {
  using type = float;
};

template <class T, class Accumulated>
auto operand(typename Stored<T>::type value) {
  if constexpr (std::is_same_v<T, precision::tf32>)
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, value) & 0xffffe000u);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<int>(value);
  else if constexpr (std::is_same_v<T, double>)
    return value;
  else
    return static_cast<float>(value);
}

template <class Use, int M, int N, int K>
struct Tile {
  static constexpr int rows = std::is_same_v<Use, matrix_b> ? K : M;
  static constexpr int columns = std::is_same_v<Use, matrix_a> ? K : N;
};

template <int M, int N, int K, class A, class C>
inline constexpr bool has_shape = false;
#define ASSAY_SHAPES(A, C)                                  \
  template <>                                               \
  inline constexpr bool has_shape<16, 16, 16, A, C> = true; \
  template <>                                               \
  inline constexpr bool has_shape<32, 8, 16, A, C> = true;  \
  template <>                                               \
  inline constexpr bool has_shape<8, 32, 16, A, C> = true;
ASSAY_SHAPES(__half, float)
ASSAY_SHAPES(__half, __half)
ASSAY_SHAPES(__nv_bfloat16, float)
ASSAY_SHAPES(signed char, int)
ASSAY_SHAPES(unsigned char, int)
#undef ASSAY_SHAPES
template <>
inline constexpr bool has_shape<16, 16, 8, precision::tf32, float> = true;
template <>
inline constexpr bool has_shape<8, 8, 4, double, double> = true;

inline int lane() {
  return static_cast<int>(assay::cpu::linear_thread() & 31u);
}

// The fragments of the lanes of each warp that take part in a product.
struct Operands {
  const void *a, *b, *c;
};
#ifdef ASSAY_TRACED
inline auto& operands = reinterpret_cast<Operands (&)[32][32]>(assay::cpu::header_variables.operands);
#else
inline Operands operands[32][32];
#endif

inline void check_access(const void* pointer, unsigned leading, unsigned size, const char* name,
                         const char* file, int line) {
  if (reinterpret_cast<size_t>(pointer) % 32 != 0)
    assay::cpu::complain("misaligned", name, "the matrix must begin at a multiple of 32 bytes", file, line);
  if (leading * size % 16 != 0)
    assay::cpu::complain("misaligned", name, "the leading dimension must be a multiple of 16 bytes", file,
                         line);
}

}  // namespace assay_detail

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
  using Tile = assay_detail::Tile<Use, M, N, K>;
  static_assert(std::is_same_v<Use, accumulator> == std::is_void_v<Layout>,
                "matrix_a and matrix_b take row_major or col_major, accumulator takes no layout");

 public:
  static constexpr int num_elements = Tile::rows * Tile::columns / 32;
  static constexpr int num_storage_elements = num_elements;
  using element_type = T;
  using storage_element_type = typename assay_detail::Stored<T>::type;
  storage_element_type x[num_elements];

  static constexpr int assay_rows = Tile::rows, assay_columns = Tile::columns;
};

template <class Use, int M, int N, int K, class T, class Layout>
void fill_fragment(fragment<Use, M, N, K, T, Layout>& f,
                   const typename fragment<Use, M, N, K, T, Layout>::storage_element_type& value) {
  for (auto& x : f.x) x = value;
}

namespace assay_detail {
template <class Fragment, class F>
void for_each(Fragment& f, bool by_columns, unsigned leading, F visit) {
  for (int i = 0; i < Fragment::num_elements; ++i) {
    const unsigned at = 32 * i + lane(), row = at / Fragment::assay_columns,
                   column = at % Fragment::assay_columns;
    visit(f.x[i], by_columns ? column * leading + row : row * leading + column);
  }
}
}  // namespace assay_detail

template <class Use, int M, int N, int K, class T, class Layout, class From>
  requires(!std::is_void_v<Layout>)
void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const From* from, unsigned leading, ASSAY_SITE) {
  assay_detail::check_access(from, leading, sizeof(From), "load_matrix_sync", file, line);
  assay_detail::for_each(f, std::is_same_v<Layout, col_major>, leading,
                         [&](auto& x, size_t at) { x = from[at]; });
}
template <int M, int N, int K, class T>
void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* from, unsigned leading, layout_t layout,
                      ASSAY_SITE) {
  assay_detail::check_access(from, leading, sizeof(T), "load_matrix_sync", file, line);
  assay_detail::for_each(f, layout == mem_col_major, leading, [&](T& x, size_t at) { x = from[at]; });
}
template <int M, int N, int K, class T>
void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& f, unsigned leading, layout_t layout,
                       ASSAY_SITE) {
  assay_detail::check_access(to, leading, sizeof(T), "store_matrix_sync", file, line);
  assay_detail::for_each(f, layout == mem_col_major, leading, [&](const T& x, size_t at) { to[at] = x; });
}

template <int M, int N, int K, class D, class T, class LayoutA, class LayoutB, class C>
void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LayoutA>& a,
              const fragment<matrix_b, M, N, K, T, LayoutB>& b, const fragment<accumulator, M, N, K, C>& c,
              bool = false, ASSAY_SITE) {
  static_assert(assay_detail::has_shape<M, N, K, T, C>, "wmma has no product of this shape and these types");
  using assay_detail::operand;
  auto* const warp = assay_detail::operands[assay::cpu::linear_thread() / 32];
  const int lane = assay_detail::lane();
  warp[lane] = {&a, &b, &c};
  __syncwarp(0xffffffffu, file, line);
  D sums[M * N / 32];
  for (int i = 0; i < M * N / 32; ++i) {
    const int at = 32 * i + lane, row = at / N, column = at % N;
    using Sum = std::conditional_t<std::is_same_v<C, __half>, float, C>;
    Sum sum = static_cast<Sum>(c.x[i]);
    for (int k = 0; k < K; ++k) {
      const int of_a = row * K + k, of_b = k * N + column;
      const auto x = operand<T, C>(
          static_cast<const fragment<matrix_a, M, N, K, T, LayoutA>*>(warp[of_a % 32].a)->x[of_a / 32]);
      const auto y = operand<T, C>(
          static_cast<const fragment<matrix_b, M, N, K, T, LayoutB>*>(warp[of_b % 32].b)->x[of_b / 32]);
      if constexpr (std::is_same_v<Sum, float>)
        sum = __builtin_fmaf(x, y, sum);
      else if constexpr (std::is_same_v<Sum, double>)
        sum = __builtin_fma(x, y, sum);
      else
        sum = static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(x * y));
    }
    sums[i] = static_cast<D>(sum);
  }
  __syncwarp(0xffffffffu, file, line);  // the others have read this lane's a and b
  for (int i = 0; i < M * N / 32; ++i) d.x[i] = sums[i];
}

// To nearest, ties away from zero.
inline float __float_to_tf32(float x) {
  return x != x || __builtin_isinf(x)
             ? x
             : __builtin_bit_cast(float, (__builtin_bit_cast(unsigned, x) + 0x1000u) & 0xffffe000u);
}

}  // namespace nvcuda::wmma
