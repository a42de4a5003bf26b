#pragma once

// The code tokens of a source: enough to find functions in it, not to understand them.
//
// Comments, preprocessor directives and what stands in `#if 0` are left out.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/cpu/tokens.h"

namespace assay {

using cpu::Token;

struct Code {
  std::vector<Token> tokens;
  std::vector<std::pair<std::string, std::string>> defines;  // of object-like macros, in order
};
Code code_of(std::string_view source);

// The index after the bracket that closes the one at `open`, one of ( [ {; the end where it never closes.
std::size_t after_closing(const std::vector<Token>& tokens, std::size_t open);

}  // namespace assay
