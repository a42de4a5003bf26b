#pragma once

// What a kernel's source and its bindings tell about the instances that are worth drawing: the numbers at
// which the source may change its way, and the attributes that the kernel is given.
//
// A hint is only a hint: nothing is judged by it, and a source without numbers loses nothing but speed.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"

namespace assay {

// The integer literals of the code in 2..70000, ascending, each once; `1 << 12` and `48 * 1024` count as
// what they come to. Comments and strings are no code.
std::vector<std::int64_t> size_hints(std::string_view source);

// By Signature::attributes: whether every binding passes an argument whose expression names it.
std::vector<bool> passed_attributes(const Signature& signature, std::span<const Binding> bindings);

}  // namespace assay
