// Finds the functions of a .cu file that can be called as its entry point.

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <span>

#include "core/file.h"
#include "core/text.h"
#include "kernels/code.h"
#include "kernels/cpu/tree.h"
#include "kernels/kernel.h"
#include "kernels/types.h"

namespace assay {
namespace {

using Range = std::span<const Token>;

constexpr std::size_t kLargestSource = 16 << 20;

std::string spelled(Range tokens) {
  std::string text;
  for (const Token& token : tokens) {
    const bool word = token.kind == Token::Kind::identifier || token.kind == Token::Kind::number;
    const bool after_word = !text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) != 0 ||
                                              text.back() == '_' || text.back() == '*' || text.back() == '>');
    if (word && after_word) text += ' ';
    text += token.text;
  }
  return text;
}

bool contains(Range tokens, std::string_view text) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const Token& t) { return t.is(text); });
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : code_(code_of(text)), tokens_(code_.tokens) {
    for (const auto& [name, value] : code_.defines) aliases_.emplace(name, value);
  }

  void run() { scope(0, tokens_.size(), "", false); }

  std::vector<EntryPoint> entries;
  std::vector<std::string> kernels;  // __global__ functions
  std::vector<std::string> others;   // functions that were passed over, with the reason

 private:
  Range range(std::size_t from, std::size_t to) const { return Range(tokens_).subspan(from, to - from); }

  // Declarations at namespace scope.
  void scope(std::size_t at, std::size_t end, const std::string& prefix, bool c_linkage) {
    while (at < end) {
      if (tokens_[at].is(";") || tokens_[at].is("}")) {
        ++at;
      } else if (tokens_[at].is("extern") && at + 2 < end && tokens_[at + 1].is("\"C\"") &&
                 tokens_[at + 2].is("{")) {
        const std::size_t close = std::min(after_closing(tokens_, at + 2), end);
        scope(at + 3, close - 1, prefix, true);
        at = close;
      } else if (const std::size_t open = namespace_body(at, end); open != 0) {
        const std::size_t close = std::min(after_closing(tokens_, open), end);
        if (open > at + 1 && !tokens_[at + 1].is("{")) {
          scope(open + 1, close - 1,
                prefix + spelled(range(at + (tokens_[at].is("inline") ? 2 : 1), open)) + "::", c_linkage);
        }
        at = close;
      } else {
        at = declaration(at, end, prefix, c_linkage);
      }
    }
  }

  // The { of the namespace that starts here, or 0.
  std::size_t namespace_body(std::size_t at, std::size_t end) const {
    std::size_t i = at;
    if (tokens_[i].is("inline") && i + 1 < end) ++i;
    if (!tokens_[i].is("namespace")) return 0;
    for (++i; i < end && (tokens_[i].kind == Token::Kind::identifier || tokens_[i].is("::")); ++i) {
    }
    return i < end && tokens_[i].is("{") ? i : 0;
  }

  static bool is_attribute(const Token& t) {
    constexpr std::array kAttributes = {"__attribute__",    "__launch_bounds__", "__declspec", "alignas",
                                        "__cluster_dims__", "__maxnreg__",       "decltype",   "__align__"};
    return std::any_of(kAttributes.begin(), kAttributes.end(), [&](const char* a) { return t.is(a); });
  }

  // The index after a macro that stands for whole declarations, `DEFINE_KERNEL(relu, x)` without a semicolon,
  // or after its braces, as in `TEST(a, b) {...}`; `at` where none does.
  std::size_t after_macro(std::size_t at, std::size_t end) const {
    if (at + 1 >= end || tokens_[at].kind != Token::Kind::identifier || !tokens_[at + 1].is("(") ||
        is_attribute(tokens_[at])) {
      return at;
    }
    std::size_t after = std::min(after_closing(tokens_, at + 1), end);
    if (after < end && tokens_[after].is("{")) after = std::min(after_closing(tokens_, after), end);
    return after;
  }

  // One declaration; the index after it.
  std::size_t declaration(std::size_t at, std::size_t end, const std::string& prefix, bool c_linkage) {
    if (const std::size_t after = after_macro(at, end); after > at) return after;
    std::size_t i = at;
    std::size_t open = 0;  // of the parameter list
    for (; i < end && !tokens_[i].is(";"); ++i) {
      const Token& t = tokens_[i];
      if (t.is("template") && i + 1 < end && tokens_[i + 1].is("<")) {
        i = after_angles(i + 1, end) - 1;
      } else if (t.is("[") && open == 0) {  // [[attribute]]
        i = after_closing(tokens_, i) - 1;
      } else if (t.is("(") && i > at) {
        const Token& before = tokens_[i - 1];
        if (!is_attribute(before) && open == 0 && before.kind == Token::Kind::identifier) open = i;
        i = after_closing(tokens_, i) - 1;
      } else if (t.is("{")) {
        const std::size_t close = after_closing(tokens_, i);
        if (open != 0 && !contains(range(at, open), "=")) {
          function(at, open, i, std::min(close, end), prefix, c_linkage);
          return close;
        }
        i = close - 1;  // a class, an enumeration or an initialiser, which ends at its semicolon
      }
    }
    if (i < end) alias(range(at, i));
    return i + 1;
  }

  std::size_t after_angles(std::size_t open, std::size_t end) const {
    int depth = 0;
    for (std::size_t i = open; i < end; ++i) {
      if (tokens_[i].is("<")) ++depth;
      if (tokens_[i].is(">") && --depth == 0) return i + 1;
      if (tokens_[i].is("{") || tokens_[i].is(";")) return i;
    }
    return end;
  }

  // `using half_t = __half`, `typedef __half half_t`.
  void alias(Range tokens) {
    if (tokens.size() >= 4 && tokens[0].is("using") && tokens[2].is("=")) {
      aliases_[std::string(tokens[1].text)] = spelled(tokens.subspan(3));
    } else if (tokens.size() >= 3 && tokens[0].is("typedef") &&
               tokens.back().kind == Token::Kind::identifier) {
      aliases_[std::string(tokens.back().text)] = spelled(tokens.subspan(1, tokens.size() - 2));
    }
  }

  void function(std::size_t at, std::size_t open, std::size_t body, std::size_t end,
                const std::string& prefix, bool c_linkage) {
    const Range head = range(at, open);
    std::string name = prefix + std::string(tokens_[open - 1].text);
    if (contains(head, "__global__")) return kernels.push_back(name);
    const auto skip = [&](std::string_view why) { others.push_back(fmt::format("{} ({})", name, why)); };
    if (head[0].is("template")) return skip("a template");
    if (contains(head, "__device__")) return skip("__device__");
    if (contains(head, "operator") || (head.size() >= 2 && head[head.size() - 2].is("::"))) return;
    if (name == "main") return;
    if (contains(head, "static")) return skip("static");
    if (contains(head, "inline") || contains(head, "__forceinline__") || contains(head, "__inline__")) {
      return skip("inline");
    }
    EntryPoint entry;
    entry.name = std::move(name);
    entry.line = tokens_[open - 1].line;
    entry.c_linkage = c_linkage || contains(head, "\"C\"");
    entry.return_type = return_type(head.first(head.size() - 1));
    if (entry.return_type != "void" && entry.return_type != "int" && entry.return_type != "bool" &&
        entry.return_type != "cudaError_t") {
      return others.push_back(fmt::format("{} (returns {})", entry.name, entry.return_type));
    }
    const std::size_t close = after_closing(tokens_, open);
    entry.parameters = parameters(open + 1, close - 1);
    if (std::none_of(entry.parameters.begin(), entry.parameters.end(),
                     [](const Parameter& p) { return p.is_pointer; })) {
      return others.push_back(fmt::format("{} (takes no pointer)", entry.name));
    }
    for (Parameter& p : entry.parameters) {
      if (p.is_pointer && !p.dtype && !p.name.empty()) p.dtype = cast_in(range(body, end), p.name);
    }
    entries.push_back(std::move(entry));
  }

  std::string return_type(Range tokens) const {
    std::vector<Token> kept;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      static constexpr std::array<std::string_view, 9> specifiers = {
          "extern",    "\"C\"",  "__host__",   "__attribute__", "__noinline__",
          "constexpr", "EXPORT", "__declspec", "noexcept"};
      if (tokens[i].is("(") || tokens[i].is("[")) {  // of an attribute
        int depth = 0;
        do {
          if (tokens[i].is("(") || tokens[i].is("[")) ++depth;
          if (tokens[i].is(")") || tokens[i].is("]")) --depth;
        } while (depth > 0 && ++i < tokens.size());
      } else if (std::find(specifiers.begin(), specifiers.end(), tokens[i].text) == specifiers.end()) {
        kept.push_back(tokens[i]);
      }
    }
    // An unknown upper-case word in front is an export macro.
    if (kept.size() > 1 && std::all_of(kept[0].text.begin(), kept[0].text.end(), [](char c) {
          return std::isupper(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                 std::isdigit(static_cast<unsigned char>(c)) != 0;
        })) {
      kept.erase(kept.begin());
    }
    return spelled(kept);
  }

  std::vector<Parameter> parameters(std::size_t at, std::size_t end) const {
    std::vector<Parameter> result;
    std::size_t start = at;
    int depth = 0;
    for (std::size_t i = at; i <= end; ++i) {
      if (i == end || (depth == 0 && tokens_[i].is(","))) {
        const Range one = range(start, i);
        if (!one.empty() && !(one.size() == 1 && one[0].is("void"))) result.push_back(parameter(one));
        start = i + 1;
        continue;
      }
      if (tokens_[i].is("(") || tokens_[i].is("[") || tokens_[i].is("{") || tokens_[i].is("<")) ++depth;
      if (tokens_[i].is(")") || tokens_[i].is("]") || tokens_[i].is("}") || tokens_[i].is(">")) --depth;
    }
    return result;
  }

  Parameter parameter(Range all) const {
    std::vector<Token> tokens;
    bool array = false;
    for (std::size_t i = 0; i < all.size() && !all[i].is("="); ++i) {
      if (all[i].is("[")) {
        array = true;
        while (i < all.size() && !all[i].is("]")) ++i;
      } else if (!all[i].is("__restrict__") && !all[i].is("__restrict") && !all[i].is("restrict") &&
                 !all[i].is("__grid_constant__")) {
        tokens.push_back(all[i]);
      }
    }
    Parameter p;
    const auto identifiers = std::count_if(tokens.begin(), tokens.end(), [](const Token& t) {
      return t.kind == Token::Kind::identifier && !t.is("const") && !t.is("volatile");
    });
    if (tokens.size() > 1 && tokens.back().kind == Token::Kind::identifier && identifiers > 1 &&
        !is_type_word(tokens.back().text) && !tokens[tokens.size() - 2].is("::")) {
      p.name = tokens.back().text;
      tokens.pop_back();
    }
    std::size_t stars = array ? 1 : 0;
    std::size_t last_star = tokens.size();
    for (std::size_t i = tokens.size(); i-- > 0;) {
      if (!tokens[i].is("*")) continue;
      ++stars;
      last_star = i;
    }
    p.type = spelled(tokens) + (array ? "*" : "");
    p.is_pointer = stars > 0 && !contains(tokens, "(");
    p.is_const = contains(Range(tokens).first(last_star), "const");
    std::vector<Token> base;
    for (const Token& t : Range(tokens).first(last_star)) {
      if (!t.is("const") && !t.is("volatile") && !t.is("&")) base.push_back(t);
    }
    if (stars <= 1) p.dtype = dtype_of_type(resolve(spelled(base)));
    return p;
  }

  std::string resolve(std::string type) const {
    for (int step = 0; step < 8; ++step) {
      const auto it = aliases_.find(type);
      if (it == aliases_.end()) break;
      type = it->second;
    }
    return type;
  }

  // The one type of elements that the body casts `name` to: (const half*)name, static_cast<half*>(name).
  std::optional<DType> cast_in(Range body, std::string_view name) const {
    std::set<DType> found;
    for (std::size_t i = 4; i < body.size(); ++i) {
      if (!body[i].is(name)) continue;
      std::size_t star = i - 1;
      if (body[star].is("(") && body[star - 1].is(">")) {
        star -= 2;
      } else if (body[star].is(")")) {
        star -= 1;
      } else {
        continue;
      }
      while (star > 0 && (body[star].is("__restrict__") || body[star].is("const"))) --star;
      if (star == 0 || !body[star].is("*")) continue;
      std::size_t first = star;
      while (first > 0 && (body[first - 1].kind == Token::Kind::identifier || body[first - 1].is("::")))
        --first;
      std::vector<Token> base;
      for (const Token& t : body.subspan(first, star - first)) {
        if (!t.is("const") && !t.is("volatile")) base.push_back(t);
      }
      if (const auto dtype = dtype_of_type(resolve(spelled(base)))) found.insert(*dtype);
    }
    return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
  }

  Code code_;
  const std::vector<Token>& tokens_;
  std::map<std::string, std::string, std::less<>> aliases_;
};

bool is_text(std::string_view content) {
  return content.find('\0') == std::string_view::npos;
}

// Of the first of the files included with quotes, and of what they include, that has any.
std::vector<EntryPoint> included_entries(const std::filesystem::path& path, std::string_view text,
                                         int levels) {
  if (levels == 0) return {};
  for (const std::filesystem::path& file : cpu::included_files(path, text)) {
    const auto included = read_file(file);
    if (!included || !is_text(*included)) continue;
    Scanner scanner(*included);
    scanner.run();
    if (!scanner.entries.empty()) return std::move(scanner.entries);
    if (auto entries = included_entries(file, *included, levels - 1); !entries.empty()) return entries;
  }
  return {};
}

}  // namespace

Expected<KernelSource> read_source(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    std::vector<std::string> near;
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
      if (file.path().extension() == ".cu") near.push_back(file.path().filename().string());
    }
    std::sort(near.begin(), near.end());
    return usage_error("{}: no such file{}", path.string(),
                       near.empty() ? "" : suggestion(path.filename().string(), near));
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    return usage_error("{}: not a regular file; a CUDA source (.cu) is needed", path.string());
  }
  if (const auto size = std::filesystem::file_size(path, error); !error && size > kLargestSource) {
    return usage_error("{}: {} bytes; a CUDA source has at most {}", path.string(), size, kLargestSource);
  }
  auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  if (!is_text(*text)) return usage_error("{}: not text; a CUDA source (.cu) is needed", path.string());

  Scanner scanner(*text);
  scanner.run();
  constexpr int kMostLevels = 4;
  if (scanner.entries.empty()) scanner.entries = included_entries(path, *text, kMostLevels);
  if (scanner.entries.empty()) {
    std::string message = fmt::format(
        "{}: no entry point; looked for a host function that returns void, int, bool or cudaError_t and "
        "takes "
        "pointers, "
        "such as `extern \"C\" void solve(const float* input, float* output, int N)`",
        path.string());
    if (!scanner.kernels.empty()) {
      message += fmt::format("\n  __global__ kernels, which need a host function that launches them: {}",
                             join(scanner.kernels, ", "));
    }
    if (!scanner.others.empty()) {
      message += fmt::format("\n  functions that were passed over: {}", join(scanner.others, ", "));
    }
    return tl::unexpected(Error{ErrorKind::usage, std::move(message)});
  }
  return KernelSource{path, std::move(*text), std::move(scanner.entries)};
}

}  // namespace assay
