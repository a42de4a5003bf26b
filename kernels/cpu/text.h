#pragma once

// The code of a source, token by token, and the edits to be made to it.
//
// Positions count the tokens that are neither space nor comment. Brackets are matched as they stand, so a
// macro that opens one and closes it elsewhere is not understood.

#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/tokens.h"

namespace assay::cpu {

class Text {
 public:
  explicit Text(std::string_view source);

  std::size_t size() const { return code_.size(); }
  // Past the end it is an empty token.
  const Token& operator[](std::size_t i) const;

  // `count` times the character c from position i, with nothing between.
  bool adjacent(std::size_t i, char c, int count) const;
  // The position that closes the bracket at i, or opens the bracket or template argument list that ends at i.
  std::optional<std::size_t> closing(std::size_t i) const;
  std::optional<std::size_t> opening(std::size_t i) const;
  // The tokens [first, last) in one line, without literals.
  std::string joined(std::size_t first, std::size_t last) const;

  void insert_before(std::size_t i, std::string text);
  void insert_after(std::size_t i, std::string text);  // on the line where token i ends
  // Replaces the tokens [first, last), keeping the newlines between them.
  void replace(std::size_t first, std::size_t last, std::string text);
  // The source with its edits; of two that overlap, the one that begins first.
  std::string edited();

 private:
  struct Edit {
    std::size_t begin, length;
    std::string text;
  };

  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> code_;  // indices of tokens that are neither space nor comment
  std::vector<Edit> edits_;
};

}  // namespace assay::cpu
