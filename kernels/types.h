#pragma once

// What Assay knows of C++ type names.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "core/dtype.h"

namespace assay {

// The elements of a type by its name without const: float, float4, __half, half2, unsigned int, int64_t,
// __nv_fp8_e4m3, int8_t,
// bool, uint8_t (a byte of truth values or of an 8-bit float). Empty for void and for unknown types.
std::optional<DType> dtype_of_type(std::string_view type);

bool is_type_word(std::string_view word);  // a word that can end a type: int, long, unsigned, float ...

// The range of an integer type by its name; that of int64_t for unknown ones.
std::pair<std::int64_t, std::int64_t> range_of_type(std::string_view type);

bool is_stream_type(std::string_view type);

}  // namespace assay
