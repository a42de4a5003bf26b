// Loops that may wait for what another thread writes: the condition lets others run now and then.
//
// A loop that waits reads something volatile, or else the compiler may take it for endless; so the conditions
// of a file that has nothing volatile stay as they are. (Atomics see to it themselves.)

#include <string>

#include "kernels/cpu/rewrites.h"

namespace assay::cpu {
namespace {

bool has_volatile(const Text& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool of_asm = i > 0 && (text[i - 1].is("asm") || text[i - 1].is("__asm__"));
    if (text[i].is("volatile") && !of_asm) return true;
  }
  return false;
}

// `while (Type name = value)`: a type before the name that an `=` follows.
bool declares(const Text& text, std::size_t first, std::size_t end) {
  for (std::size_t i = first + 2; i < end; ++i) {
    if (!text[i].is("=") || text.adjacent(i, '=', 2) || text[i - 1].kind != Token::Kind::identifier) continue;
    const Token& before = text[i - 2];
    return before.kind == Token::Kind::identifier || before.is("*") || before.is("&") || before.is(">");
  }
  return false;
}

}  // namespace

void rewrite_spins(Text& text) {
  if (!has_volatile(text)) return;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!text[i + 1].is("(")) continue;
    const auto close = text.closing(i + 1);
    if (!close) continue;
    if (text[i].is("while") && *close > i + 2 && !declares(text, i + 2, *close)) {
      text.insert_before(i + 2, "::assay::cpu::poll() && (");
      text.insert_before(*close, ")");
    } else if (text[i].is("for") && text[*close - 1].is(";") && text[*close - 2].is(";")) {
      text.insert_before(*close - 1, "::assay::cpu::poll()");
    }
  }
}

}  // namespace assay::cpu
