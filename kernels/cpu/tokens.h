#pragma once

// A tokenizer for C++ and CUDA text that loses nothing: the tokens' texts, joined, are the source.
//
// Comments, blank space (line splices too) and literals are one token each; identifiers and numbers as the
// language has them; `::` and `->` are one token; every other punctuation character is a token of its own,
// so that `>>>` is three. Adjacency is told by `begin`.

#include <string_view>
#include <vector>

namespace assay::cpu {

struct Token {
  enum class Kind : unsigned char { space, comment, identifier, number, literal, punctuation };
  Kind kind;
  std::size_t begin;  // offset in the source
  std::string_view text;
  int line;        // of its first character, from 1
  bool directive;  // on a preprocessor line

  bool is(std::string_view expected) const { return text == expected; }
  bool is_code() const { return kind != Kind::space && kind != Kind::comment; }
};

std::vector<Token> tokenize(std::string_view source);

}  // namespace assay::cpu
