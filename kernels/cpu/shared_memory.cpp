// Declarations of shared memory.

#include "kernels/cpu/rewrites.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace assay::cpu {
namespace {

class Shared {
 public:
  explicit Shared(Text& text) : text_(text) {}

  void run() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i].is("{")) {
        const bool function = in_function() || (i > 0 && text_[i - 1].is(")"));
        scopes_.push_back({function, in_function() ? scopes_.back().bytes : std::string()});
      } else if (text_[i].is("}")) {
        if (!scopes_.empty()) scopes_.pop_back();
      } else if (text_[i].is("__shared__")) {
        shared(i);
      }
    }
  }

 private:
  struct Scope {
    bool function;
    std::string bytes;  // an expression: the sum of the sizes of the variables that are visible
  };
  bool in_function() const { return !scopes_.empty() && scopes_.back().function; }

  // `extern __shared__ T name[];` in any order of its specifiers, and `static __shared__`.
  void shared(std::size_t at) {
    std::size_t first = at;
    while (first > 0 && specifier(first - 1)) first = *specifier(first - 1);
    std::size_t last = at;
    bool is_extern = false;
    for (std::size_t i = first; i < at; ++i) is_extern |= text_[i].is("extern");
    while (last < text_.size() && !text_[last].is(";") && !text_[last].is("{") && !text_[last].is("=")) {
      is_extern |= text_[last].is("extern");
      ++last;
    }
    if (is_extern && text_[last].is(";"))
      dynamic_shared(first, last);
    else
      static_shared(first, at, last);
  }

  // Where the declaration specifier that ends at token i begins, or nothing where there is none.
  std::optional<std::size_t> specifier(std::size_t i) const {
    static constexpr std::string_view words[] = {"extern", "static", "volatile", "const", "__device__"};
    if (std::find(std::begin(words), std::end(words), text_[i].text) != std::end(words)) return i;
    if (!text_[i].is(")")) return std::nullopt;
    const auto open = text_.opening(i);
    if (!open || *open == 0) return std::nullopt;
    const Token& word = text_[*open - 1];
    if (word.is("__align__") || word.is("alignas") || word.is("__attribute__")) return *open - 1;
    return std::nullopt;
  }

  void dynamic_shared(std::size_t first, std::size_t last) {
    std::size_t bracket = first, depth = 0;
    for (; bracket < last; ++bracket) {
      if (text_[bracket].is("(")) ++depth;
      if (text_[bracket].is(")")) --depth;
      if (depth == 0 && text_[bracket].is("[")) break;
    }
    if (bracket == last || bracket < first + 2) return;
    const auto end_of_first = text_.closing(bracket);
    if (!end_of_first || *end_of_first != bracket + 1) return;
    std::string type;
    for (std::size_t i = first; i + 1 < bracket; ++i) {
      const Token& t = text_[i];
      if (t.is("extern") || t.is("__shared__") || t.is("__device__") || t.is("static")) continue;
      if (t.is("__align__") || t.is("alignas") || t.is("__attribute__")) {
        if (const auto end = text_.closing(i + 1)) i = *end;
        continue;
      }
      type += t.text;
      type += ' ';
    }
    for (std::size_t i = bracket + 2; i < last; ++i) type += text_[i].text;
    const std::string name(text_[bracket - 1].text);
    text_.replace(first, last, "auto* const " + name + " = ::assay::cpu::dynamic_shared<" + type + ">()");
  }

  // The macro is `static` with attributes, after which C++ allows no alignas.
  void static_shared(std::size_t first, std::size_t at, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (text_[i].is("static")) text_.replace(i, i + 1, "");
      if (text_[i].is("alignas") && i > at) text_.replace(i, i + 1, "__align__");
      if (i > at && (text_[i].is("[") || text_[i].is(","))) break;
    }
    if (in_function() && text_[last].is(";")) count(at, last);
  }

  // After the declaration [at, last): are all that the function has declared so far within the limit?
  void count(std::size_t at, std::size_t last) {
    std::string& bytes = scopes_.back().bytes;
    int depth = 0;
    bool named = false;
    for (std::size_t i = at + 1; i <= last; ++i) {
      const Token& t = text_[i];
      const bool ends = t.is("[") || t.is(",") || t.is(";");
      if (depth == 0 && ends && !named && text_[i - 1].kind == Token::Kind::identifier) {
        bytes += (bytes.empty() ? "sizeof(" : " + sizeof(") + std::string(text_[i - 1].text) + ")";
        named = true;
      }
      if (depth == 0 && t.is(",")) named = false;
      if (t.is("(") || t.is("[") || t.is("<")) ++depth;
      if (t.is(")") || t.is("]") || t.is(">")) --depth;
    }
    if (!bytes.empty()) text_.insert_after(last, " ASSAY_STATIC_SHARED(" + bytes + ")");
  }

  Text& text_;
  std::vector<Scope> scopes_;
};

}  // namespace

void rewrite_shared_memory(Text& text) {
  Shared(text).run();
}

}  // namespace assay::cpu
