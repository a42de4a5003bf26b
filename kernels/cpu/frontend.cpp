#include "kernels/cpu/frontend.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "kernels/cpu/tokens.h"

namespace assay::cpu {
namespace {

struct Edit {
  std::size_t begin, length;
  std::string text;
};

class Rewriter {
 public:
  Rewriter(std::string_view source, std::string_view path)
      : source_(source), path_(path), tokens_(tokenize(source)) {
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (tokens_[i].is_code()) code_.push_back(i);
  }

  Expected<std::string> run() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (opens_launch(i)) {
        if (auto done = launch(i); !done) return tl::unexpected(done.error());
        i += 2;
      } else if (token(i).is("__noinline__") && !(i > 0 && token(i - 1).is("("))) {
        replace(i, i + 1, "__attribute__((noinline))");
      } else if (token(i).is("__shared__")) {
        shared(i);
      } else if (token(i).is("cudaLaunchKernel") || token(i).is("cudaLaunchCooperativeKernel")) {
        drop_pointer_cast(i + 1);
      }
    }
    return apply();
  }

 private:
  // Index into code_; past the end it is an empty token.
  const Token& token(std::size_t i) const {
    static const Token none{Token::Kind::space, 0, {}, 0, false};
    return i < code_.size() ? tokens_[code_[i]] : none;
  }
  bool adjacent(std::size_t i, char c, int count) const {
    for (int k = 0; k < count; ++k) {
      const Token& t = token(i + k);
      if (t.text.size() != 1 || t.text[0] != c || t.begin != token(i).begin + k) return false;
    }
    return true;
  }
  bool joined(std::size_t i) const { return token(i + 1).begin == token(i).begin + 1; }

  void insert_before(std::size_t i, std::string text) {
    edits_.push_back({token(i).begin, 0, std::move(text)});
  }
  // Replaces the tokens [first, last), keeping the newlines between them.
  void replace(std::size_t first, std::size_t last, std::string text) {
    const std::size_t begin = token(first).begin;
    const std::size_t end = token(last - 1).begin + token(last - 1).text.size();
    for (std::size_t t = code_[first]; t <= code_[last - 1]; ++t)
      if (!tokens_[t].is_code()) text += newlines(tokens_[t]);
    edits_.push_back({begin, end - begin, std::move(text)});
  }
  static std::string newlines(const Token& token) {
    std::string out;
    for (char c : token.text)
      if (c == '\n') out += token.directive ? "\\\n" : "\n";
    return out;
  }

  // The token that closes the bracket at i, or nothing.
  std::optional<std::size_t> closing(std::size_t i) const {
    int depth = 0;
    for (; i < code_.size(); ++i) {
      const std::string_view t = token(i).text;
      if (t == "(" || t == "[" || t == "{") ++depth;
      if ((t == ")" || t == "]" || t == "}") && --depth == 0) return i;
    }
    return std::nullopt;
  }
  // The token that opens the bracket or template argument list that ends at i.
  std::optional<std::size_t> opening(std::size_t i) const {
    const bool angles = token(i).is(">");
    int depth = 0, angle = 0;
    for (std::size_t k = i + 1; k-- > 0;) {
      const std::string_view t = token(k).text;
      if (t == ")" || t == "]" || t == "}") ++depth;
      if (t == "(" || t == "[" || t == "{") {
        if (--depth < 0) return std::nullopt;
        if (depth == 0 && !angles) return k;
      }
      if (angles && depth == 0) {
        if (t == ";") return std::nullopt;
        if (t == ">") ++angle;
        if (t == "<" && --angle == 0) return k;
      }
    }
    return std::nullopt;
  }

  static bool is_keyword(std::string_view word) {
    static constexpr std::string_view words[] = {"if",     "while", "for", "switch",
                                                 "return", "else",  "do",  "operator"};
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
  }

  bool opens_launch(std::size_t i) const {
    if (!adjacent(i, '<', 3) || adjacent(i, '<', 4) || i == 0) return false;
    const Token& before = token(i - 1);
    if (before.is("<")) return false;
    if (before.kind == Token::Kind::identifier) return !is_keyword(before.text);
    return before.is(">") || before.is(")") || before.is("]");
  }

  // The first token of the expression that names the kernel and ends before `end`: Class<T>::kernel<4>,
  // table[i], (*pointer), this->kernel.
  std::optional<std::size_t> callee(std::size_t end) const {
    std::size_t i = end;  // the expression is [i, end)
    while (i > 0) {
      if (token(i - 1).is(">") || token(i - 1).is("]") || token(i - 1).is(")")) {
        const bool group = token(i - 1).is(")");
        const auto open = opening(i - 1);
        if (!open) return std::nullopt;
        i = *open;
        if (i == 0) break;
        const Token& before = token(i - 1);
        const bool named = before.kind == Token::Kind::identifier && !is_keyword(before.text);
        if (group && !named) break;
        if (!named && !before.is("]") && !before.is(")")) return std::nullopt;
        continue;
      }
      if (token(i - 1).kind != Token::Kind::identifier) return std::nullopt;
      --i;
      while (i > 0 && token(i - 1).is("template")) --i;
      if (i == 0) break;
      const Token& before = token(i - 1);
      if (before.is("::")) {
        --i;
        const bool qualified =
            i > 0 && (token(i - 1).is(">") ||
                      (token(i - 1).kind == Token::Kind::identifier && !is_keyword(token(i - 1).text)));
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
    for (std::size_t i = open + 3; i < code_.size(); ++i) {
      const std::string_view t = token(i).text;
      if (t == "(" || t == "[" || t == "{") ++depth;
      if ((t == ")" || t == "]" || t == "}") && --depth < 0) return std::nullopt;
      if (depth == 0 && t == ";") return std::nullopt;
      if (depth == 0 && adjacent(i, '>', 3)) {
        while (adjacent(i + 1, '>', 3) && joined(i)) ++i;
        if (token(i + 3).is("(")) return i;
      }
    }
    return std::nullopt;
  }

  Expected<void> launch(std::size_t open) {
    const auto first = callee(open);
    const auto close = launch_end(open);
    const auto end = close ? closing(*close + 3) : std::nullopt;
    if ((!close || !end) && token(open).directive) return {};  // #error text, or half of a launch in a macro
    if (!first || !close || !end)
      return usage_error(
          "{}:{}: this kernel launch is not complete; it should read kernel<<<grid, block>>>(arguments)",
          path_, token(open).line);
    const std::string name = text_of(*first, open);
    if (null_arguments(*close + 3, *end)) {
      insert_before(*first, "::assay::cpu::launch_typed(");
      replace(open, open + 3, ", \"" + name + "\")(");
    } else {
      insert_before(*first, "::assay::cpu::launch_any([&](auto&... assay_arguments) { ");
      replace(open, open + 3, "(assay_arguments...); }, \"" + name + "\")(");
    }
    replace(*close, *close + 3, ")");
    return {};
  }

  // Arguments of which the type is the parameter's: NULL, nullptr and 0 become a value that converts to any
  // type. Braces need the parameter's type itself: true if there are any between the brackets.
  bool null_arguments(std::size_t open, std::size_t close) {
    bool braces = false;
    int depth = 0;
    for (std::size_t i = open + 1; i < close; ++i) {
      const std::string_view t = token(i).text;
      const bool starts = i == open + 1 || (depth == 0 && token(i - 1).is(","));
      if (depth == 0 && starts) {
        if (t == "{") braces = true;
        const bool alone = i + 1 == close || token(i + 1).is(",");
        if (alone && (t == "NULL" || t == "nullptr" || t == "0")) replace(i, i + 1, "::assay::cpu::Null{}");
      }
      if (t == "(" || t == "[" || t == "{") ++depth;
      if (t == ")" || t == "]" || t == "}") --depth;
    }
    return braces;
  }

  std::string text_of(std::size_t first, std::size_t last) const {
    std::string out;
    for (std::size_t i = first; i < last; ++i) {
      const Token& t = token(i);
      if (t.kind == Token::Kind::literal) continue;
      const bool words = !out.empty() && t.kind == Token::Kind::identifier &&
                         (std::isalnum(static_cast<unsigned char>(out.back())) || out.back() == '_');
      if (words) out += ' ';
      out += t.text;
      if (t.is(",")) out += ' ';
    }
    return out;
  }

  // `extern __shared__ T name[];` in any order of its specifiers, and `static __shared__`.
  void shared(std::size_t at) {
    std::size_t first = at;
    while (first > 0 && specifier(first - 1)) first = *specifier(first - 1);
    std::size_t last = at;
    bool is_extern = false;
    for (std::size_t i = first; i < at; ++i) is_extern |= token(i).is("extern");
    while (last < code_.size() && !token(last).is(";") && !token(last).is("{") && !token(last).is("=")) {
      is_extern |= token(last).is("extern");
      ++last;
    }
    if (is_extern && token(last).is(";"))
      dynamic_shared(first, last);
    else
      static_shared(first, at, last);
  }

  // Where the declaration specifier that ends at token i begins, or nothing where there is none.
  std::optional<std::size_t> specifier(std::size_t i) const {
    static constexpr std::string_view words[] = {"extern", "static", "volatile", "const", "__device__"};
    if (std::find(std::begin(words), std::end(words), token(i).text) != std::end(words)) return i;
    if (!token(i).is(")")) return std::nullopt;
    const auto open = opening(i);
    if (!open || *open == 0) return std::nullopt;
    const Token& word = token(*open - 1);
    if (word.is("__align__") || word.is("alignas") || word.is("__attribute__")) return *open - 1;
    return std::nullopt;
  }

  void dynamic_shared(std::size_t first, std::size_t last) {
    std::size_t bracket = first, depth = 0;
    for (; bracket < last; ++bracket) {
      if (token(bracket).is("(")) ++depth;
      if (token(bracket).is(")")) --depth;
      if (depth == 0 && token(bracket).is("[")) break;
    }
    if (bracket == last || bracket < first + 2) return;
    const auto end_of_first = closing(bracket);
    if (!end_of_first || *end_of_first != bracket + 1) return;
    std::string type;
    for (std::size_t i = first; i + 1 < bracket; ++i) {
      const Token& t = token(i);
      if (t.is("extern") || t.is("__shared__") || t.is("__device__") || t.is("static")) continue;
      if (t.is("__align__") || t.is("alignas") || t.is("__attribute__")) {
        if (const auto end = closing(i + 1)) i = *end;
        continue;
      }
      type += t.text;
      type += ' ';
    }
    for (std::size_t i = bracket + 2; i < last; ++i) type += token(i).text;
    const std::string name(token(bracket - 1).text);
    replace(first, last, "auto* const " + name + " = ::assay::cpu::dynamic_shared<" + type + ">()");
  }

  // The macro is `static` with attributes, after which C++ allows no alignas.
  void static_shared(std::size_t first, std::size_t at, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (token(i).is("static")) replace(i, i + 1, "");
      if (token(i).is("alignas") && i > at) replace(i, i + 1, "__align__");
      if (i > at && (token(i).is("[") || token(i).is(","))) break;
    }
  }

  // cudaLaunchKernel((void*)k, ...): the runtime needs the kernel's type.
  void drop_pointer_cast(std::size_t open) {
    if (!token(open).is("(")) return;
    std::size_t i = open + 1;
    if (token(i).is("reinterpret_cast") || token(i).is("static_cast")) {
      while (i < code_.size() && !token(i).is("(")) ++i;
      replace(open + 1, i, "");
      return;
    }
    if (!token(i).is("(")) return;
    const auto end = closing(i);
    if (end && token(*end - 1).is("*") && (token(*end - 2).is("void"))) replace(i, *end + 1, "");
  }

  std::string apply() {
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string out;
    out.reserve(source_.size() + 64 * edits_.size());
    std::size_t at = 0;
    for (const Edit& edit : edits_) {
      if (edit.begin < at) continue;
      out += source_.substr(at, edit.begin - at);
      out += edit.text;
      at = edit.begin + edit.length;
    }
    out += source_.substr(at);
    return out;
  }

  std::string_view source_, path_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> code_;  // indices of tokens that are neither space nor comment
  std::vector<Edit> edits_;
};

}  // namespace

Expected<std::string> rewrite(std::string_view source, std::string_view path) {
  return Rewriter(source, path).run();
}

}  // namespace assay::cpu
