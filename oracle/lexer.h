#pragma once

// Words, numbers, strings and symbols of a contract's text, with their places.
//
// A newline ends a statement, but inside ( ) and [ ] it is a blank; `#` starts a comment.

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "oracle/program.h"

namespace assay::lang {

struct Token {
  enum class Kind : std::uint8_t { name, number, string, symbol, newline, end };
  Kind kind = Kind::end;
  std::string_view text;  // of a string: without its quotes
  Position at;
  std::size_t offset = 0;  // in the text
};

std::string describe(const Token& token);  // "'*'", "a number 12", "the end of the line"

// The last token is Kind::end. `text` outlives the tokens.
Expected<std::vector<Token>> tokenize(std::string_view text, std::string_view file);

}  // namespace assay::lang
