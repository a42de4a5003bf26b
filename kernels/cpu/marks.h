#pragma once

// What the runtime knows only as a number: places in the plug-in's code, and which tensor an address is in.
// It marks them in the text of a finding, and whoever has the names puts them in: a worker's process may
// neither read files nor start programs.
//
//   \x1d L <hexadecimal offset of an instruction in the plug-in> \x1d    becomes FILE:LINE
//   \x1d T <tensor> : <bytes from its start> \x1d                        becomes "x, element 12"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::cpu {

inline constexpr char kMark = '\x1d';

// `place(offset)` and `tensor(index, bytes)` give the text; marks that nobody wrote so are left out.
template <class Place, class Tensor>
std::string without_marks(std::string_view text, Place place, Tensor tensor) {
  std::string out;
  for (;;) {
    const std::size_t begin = text.find(kMark);
    out += text.substr(0, begin);
    if (begin == std::string_view::npos) return out;
    const std::size_t end = text.find(kMark, begin + 1);
    if (end == std::string_view::npos) return out;
    const std::string_view mark = text.substr(begin + 1, end - begin - 1);
    text.remove_prefix(end + 1);
    const auto number = [](std::string_view digits, int base) {
      std::uint64_t value = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
      return value;
    };
    if (mark.starts_with('L')) out += place(number(mark.substr(1), 16));
    if (const std::size_t colon = mark.find(':'); mark.starts_with('T') && colon != std::string_view::npos)
      out += tensor(number(mark.substr(1, colon - 1), 10), number(mark.substr(colon + 1), 10));
  }
}

// Of llvm-symbolizer's frames of one address, FILE:LINE:COLUMN a line and the innermost first, the first that
// is not in a header of the shim's: FILE:LINE, or empty.
inline std::string place_of_frames(std::string_view frames) {
  std::string first;
  while (!frames.empty()) {
    const std::string_view frame = frames.substr(0, frames.find('\n'));
    frames.remove_prefix(std::min(frame.size() + 1, frames.size()));
    const std::size_t column = frame.rfind(':');
    if (frame.starts_with("??") || column == std::string_view::npos) continue;
    const std::string_view place = frame.substr(0, column);
    if (place.ends_with(":0")) continue;
    if (first.empty()) first = place;
    const bool shim = place.find("/kernels/cpu/include/") != std::string_view::npos ||
                      place.find("/libexec/assay/include/") != std::string_view::npos ||
                      place.starts_with("/usr/");
    if (!shim) return std::string(place);
  }
  return first;
}

}  // namespace assay::cpu
