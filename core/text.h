#pragma once

// Small things that error messages need.

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// The candidates nearest to `name` by edit distance, nearest first, at most `limit`, none that is far off.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates,
                                 std::size_t limit = 3);

// "; did you mean a or b?" or "; known: a, b, c" for an unknown name.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);  // at every separator
std::string_view trim(std::string_view text);                           // blanks at both ends

}  // namespace assay
