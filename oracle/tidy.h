#pragma once

// The layout of a contract's text: `assay fmt`.
//
// Lines and comments stay as the author broke them; indentation, blanks and the columns of consecutive
// equations are the same everywhere. Around + - * / // % blanks stay away where there are none, as in x[i-1].
//
// Laws: the result parses to the same tree and has the same comments; tidy(tidy(text)) == tidy(text).

#include <string>
#include <string_view>

#include "core/error.h"

namespace assay::lang {

Expected<std::string> tidy(std::string_view text, std::string_view file);

}  // namespace assay::lang
