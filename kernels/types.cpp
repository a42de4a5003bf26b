#include "kernels/types.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace assay {
namespace {

struct Name {
  std::string_view text;
  DType dtype;
};

constexpr std::array<Name, 61> kNames = {{
    {"float", DType::f32},
    {"float2", DType::f32},
    {"float3", DType::f32},
    {"float4", DType::f32},
    {"double", DType::f64},
    {"double2", DType::f64},
    {"half", DType::f16},
    {"__half", DType::f16},
    {"half2", DType::f16},
    {"__half2", DType::f16},
    {"_Float16", DType::f16},
    {"__nv_bfloat16", DType::bf16},
    {"nv_bfloat16", DType::bf16},
    {"__nv_bfloat162", DType::bf16},
    {"nv_bfloat162", DType::bf16},
    {"__nv_fp8_e4m3", DType::e4m3},
    {"__nv_fp8x2_e4m3", DType::e4m3},
    {"__nv_fp8x4_e4m3", DType::e4m3},
    {"__nv_fp8_e5m2", DType::e5m2},
    {"__nv_fp8x2_e5m2", DType::e5m2},
    {"__nv_fp8x4_e5m2", DType::e5m2},
    {"int", DType::i32},
    {"int32_t", DType::i32},
    {"std::int32_t", DType::i32},
    {"signed", DType::i32},
    {"signed int", DType::i32},
    {"int2", DType::i32},
    {"int4", DType::i32},
    {"unsigned", DType::i32},
    {"unsigned int", DType::i32},
    {"uint32_t", DType::i32},
    {"std::uint32_t", DType::i32},
    {"uint", DType::i32},
    {"int64_t", DType::i64},
    {"std::int64_t", DType::i64},
    {"long", DType::i64},
    {"long int", DType::i64},
    {"long long", DType::i64},
    {"long long int", DType::i64},
    {"ptrdiff_t", DType::i64},
    {"std::ptrdiff_t", DType::i64},
    {"ssize_t", DType::i64},
    {"size_t", DType::i64},
    {"std::size_t", DType::i64},
    {"uint64_t", DType::i64},
    {"std::uint64_t", DType::i64},
    {"unsigned long", DType::i64},
    {"unsigned long long", DType::i64},
    {"longlong2", DType::i64},
    {"bool", DType::boolean},
    {"uint8_t", DType::boolean},
    {"std::uint8_t", DType::boolean},
    {"unsigned char", DType::boolean},
    {"__nv_fp8_storage_t", DType::boolean},
    {"char", DType::i8},
    {"signed char", DType::i8},
    {"int8_t", DType::i8},
    {"std::int8_t", DType::i8},
    {"char2", DType::i8},
    {"char4", DType::i8},
}};

std::string_view without_const(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  if (type.ends_with(" const")) type.remove_suffix(6);
  if (type.ends_with("&")) type.remove_suffix(1);
  return type;
}

}  // namespace

std::optional<DType> dtype_of_type(std::string_view type) {
  const auto it = std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.text == type; });
  return it == kNames.end() ? std::nullopt : std::optional(it->dtype);
}

bool is_type_word(std::string_view word) {
  static constexpr std::array<std::string_view, 10> words = {"int",   "long",   "short", "unsigned", "signed",
                                                             "float", "double", "char",  "bool",     "void"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::pair<std::int64_t, std::int64_t> range_of_type(std::string_view type) {
  type = without_const(type);
  const bool is_unsigned =
      type.starts_with('u') || type.starts_with("std::u") || type == "size_t" || type == "std::size_t";
  const auto limits = []<class T>(T) {
    return std::pair<std::int64_t, std::int64_t>{std::numeric_limits<T>::min(),
                                                 std::numeric_limits<T>::max()};
  };
  if (type == "short" || type == "int16_t") return limits(std::int16_t{});
  const auto dtype = dtype_of_type(type);
  if (dtype == DType::boolean || dtype == DType::i8)
    return is_unsigned ? limits(std::uint8_t{}) : limits(std::int8_t{});
  if (dtype == DType::i32) return is_unsigned ? limits(std::uint32_t{}) : limits(std::int32_t{});
  if (is_unsigned) return {0, std::numeric_limits<std::int64_t>::max()};
  return limits(std::int64_t{});
}

bool is_stream_type(std::string_view type) {
  type = without_const(type);
  return type == "cudaStream_t" || type == "CUstream";
}

}  // namespace assay
