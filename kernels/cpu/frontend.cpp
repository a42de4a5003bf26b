#include "kernels/cpu/frontend.h"

#include <algorithm>

#include "kernels/cpu/rewrites.h"

namespace assay::cpu {
namespace {

void rewrite_noinline(Text& text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i].is("__noinline__") && !(i > 0 && text[i - 1].is("(")))
      text.replace(i, i + 1, "__attribute__((noinline))");
}

// What tells this compiler from nvcc and its host compiler is not defined there.
void rewrite_identity(Text& text) {
  static constexpr std::string_view names[] = {
      "__clang__",         "__clang_major__", "__clang_minor__", "__clang_patchlevel__",
      "__clang_version__", "__llvm__",        "__has_feature",   "__has_extension",
      "ASSAY_CPU"};
  for (std::size_t i = 0; i < text.size(); ++i)
    if (std::find(std::begin(names), std::end(names), text[i].text) != std::end(names))
      text.replace(i, i + 1, "assay_not_defined");
}

// nvcc ignores `static` and `inline` in an explicit instantiation, clang takes them for errors.
void rewrite_instantiations(Text& text) {
  static constexpr std::string_view ignored[] = {"static", "inline", "__inline__", "__inline",
                                                 "__forceinline__"};
  for (std::size_t i = 0; i < text.size(); ++i) {
    // A declaration begins with it; `x.template f<3>()` and `template <class T>` are something else.
    const bool begins = i == 0 || text[i - 1].is(";") || text[i - 1].is("}") || text[i - 1].is("{") ||
                        text[i - 1].is("extern") || text[i - 1].directive;
    if (!text[i].is("template") || text[i + 1].is("<") || !begins) continue;
    for (std::size_t k = i + 1; k < text.size() && !text[k].is(";") && !text[k].is("{"); ++k)
      if (std::find(std::begin(ignored), std::end(ignored), text[k].text) != std::end(ignored))
        text.replace(k, k + 1, "");
  }
}

}  // namespace

Expected<std::string> rewrite(std::string_view source, std::string_view path) {
  Text text(source);
  if (auto done = rewrite_launches(text, path); !done) return tl::unexpected(done.error());
  rewrite_shared_memory(text);
  rewrite_launch_bounds(text);
  rewrite_inline_ptx(text);
  rewrite_spins(text);
  rewrite_instantiations(text);
  rewrite_identity(text);
  rewrite_noinline(text);
  return text.edited();
}

}  // namespace assay::cpu
