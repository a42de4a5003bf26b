#include "kernels/cpu/frontend.h"

#include "kernels/cpu/rewrites.h"

namespace assay::cpu {
namespace {

void rewrite_noinline(Text& text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i].is("__noinline__") && !(i > 0 && text[i - 1].is("(")))
      text.replace(i, i + 1, "__attribute__((noinline))");
}

}  // namespace

Expected<std::string> rewrite(std::string_view source, std::string_view path) {
  Text text(source);
  if (auto done = rewrite_launches(text, path); !done) return tl::unexpected(done.error());
  rewrite_shared_memory(text);
  rewrite_launch_bounds(text);
  rewrite_inline_ptx(text);
  rewrite_spins(text);
  rewrite_noinline(text);
  return text.edited();
}

}  // namespace assay::cpu
