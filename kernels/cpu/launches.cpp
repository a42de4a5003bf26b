// Kernel launches.

#include "kernels/cpu/rewrites.h"

#include <algorithm>
#include <optional>
#include <string>

namespace assay::cpu {
namespace {

class Launches {
 public:
  Launches(Text& text, std::string_view path) : text_(text), path_(path) {}

  Expected<void> run() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (opens_launch(i)) {
        if (auto done = launch(i); !done) return done;
        i += 2;
      } else if (text_[i].is("cudaLaunchKernel") || text_[i].is("cudaLaunchCooperativeKernel")) {
        drop_pointer_cast(i + 1);
      }
    }
    return {};
  }

 private:
  static bool is_keyword(std::string_view word) {
    static constexpr std::string_view words[] = {"if",     "while", "for", "switch",
                                                 "return", "else",  "do",  "operator"};
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
  }

  bool opens_launch(std::size_t i) const {
    if (!text_.adjacent(i, '<', 3) || text_.adjacent(i, '<', 4) || i == 0) return false;
    const Token& before = text_[i - 1];
    if (before.is("<")) return false;
    if (before.kind == Token::Kind::identifier) return !is_keyword(before.text);
    return before.is(">") || before.is(")") || before.is("]");
  }

  // The first token of the expression that names the kernel and ends before `end`: Class<T>::kernel<4>,
  // table[i], (*pointer), this->kernel.
  std::optional<std::size_t> callee(std::size_t end) const {
    std::size_t i = end;  // the expression is [i, end)
    while (i > 0) {
      if (text_[i - 1].is(">") || text_[i - 1].is("]") || text_[i - 1].is(")")) {
        const bool group = text_[i - 1].is(")");
        const auto open = text_.opening(i - 1);
        if (!open) return std::nullopt;
        i = *open;
        if (i == 0) break;
        const Token& before = text_[i - 1];
        const bool named = before.kind == Token::Kind::identifier && !is_keyword(before.text);
        if (group && !named) break;
        if (!named && !before.is("]") && !before.is(")")) return std::nullopt;
        continue;
      }
      if (text_[i - 1].kind != Token::Kind::identifier) return std::nullopt;
      --i;
      while (i > 0 && text_[i - 1].is("template")) --i;
      if (i == 0) break;
      const Token& before = text_[i - 1];
      if (before.is("::")) {
        --i;
        const bool qualified =
            i > 0 && (text_[i - 1].is(">") ||
                      (text_[i - 1].kind == Token::Kind::identifier && !is_keyword(text_[i - 1].text)));
        if (!qualified) break;  // a leading ::
        continue;
      }
      if (before.is(".") || before.is("->")) {
        --i;
        continue;
      }
      break;
    }
    return i;
  }

  // The `>>>` that closes the launch opened at `open`: at bracket depth 0, before `(`.
  std::optional<std::size_t> launch_end(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open + 3; i < text_.size(); ++i) {
      const std::string_view t = text_[i].text;
      if (t == "(" || t == "[" || t == "{") ++depth;
      if ((t == ")" || t == "]" || t == "}") && --depth < 0) return std::nullopt;
      if (depth == 0 && t == ";") return std::nullopt;
      if (depth == 0 && text_.adjacent(i, '>', 3)) {
        while (text_.adjacent(i + 1, '>', 3) && text_[i + 1].begin == text_[i].begin + 1) ++i;
        if (text_[i + 3].is("(")) return i;
      }
    }
    return std::nullopt;
  }

  Expected<void> launch(std::size_t open) {
    const auto first = callee(open);
    const auto close = launch_end(open);
    const auto end = close ? text_.closing(*close + 3) : std::nullopt;
    if ((!close || !end) && text_[open].directive) return {};  // #error text, or half of a launch in a macro
    if (!first || !close || !end)
      return usage_error(
          "{}:{}: this kernel launch is not complete; it should read kernel<<<grid, block>>>(arguments)",
          path_, text_[open].line);
    const std::string name = text_.joined(*first, open);
    if (null_arguments(*close + 3, *end)) {
      text_.insert_before(*first, "::assay::cpu::launch_typed(");
      text_.replace(open, open + 3, ", \"" + name + "\")(");
    } else {
      text_.insert_before(*first, "::assay::cpu::launch_any([&](auto&... assay_arguments) { ");
      text_.replace(open, open + 3, "(assay_arguments...); }, \"" + name + "\")(");
    }
    text_.replace(*close, *close + 3, ")");
    return {};
  }

  // Arguments of which the type is the parameter's: NULL, nullptr and 0 become a value that converts to any
  // type. Braces need the parameter's type itself: true if there are any between the brackets.
  bool null_arguments(std::size_t open, std::size_t close) {
    bool braces = false;
    int depth = 0;
    for (std::size_t i = open + 1; i < close; ++i) {
      const std::string_view t = text_[i].text;
      const bool starts = i == open + 1 || (depth == 0 && text_[i - 1].is(","));
      if (depth == 0 && starts) {
        if (t == "{") braces = true;
        const bool alone = i + 1 == close || text_[i + 1].is(",");
        if (alone && (t == "NULL" || t == "nullptr" || t == "0"))
          text_.replace(i, i + 1, "::assay::cpu::Null{}");
      }
      if (t == "(" || t == "[" || t == "{") ++depth;
      if (t == ")" || t == "]" || t == "}") --depth;
    }
    return braces;
  }

  // cudaLaunchKernel((void*)k, ...): the runtime needs the kernel's type.
  void drop_pointer_cast(std::size_t open) {
    if (!text_[open].is("(")) return;
    std::size_t i = open + 1;
    if (text_[i].is("reinterpret_cast") || text_[i].is("static_cast")) {
      while (i < text_.size() && !text_[i].is("(")) ++i;
      text_.replace(open + 1, i, "");
      return;
    }
    if (!text_[i].is("(")) return;
    const auto end = text_.closing(i);
    if (end && text_[*end - 1].is("*") && (text_[*end - 2].is("void"))) text_.replace(i, *end + 1, "");
  }

  Text& text_;
  std::string_view path_;
};

}  // namespace

Expected<void> rewrite_launches(Text& text, std::string_view path) {
  return Launches(text, path).run();
}

}  // namespace assay::cpu
