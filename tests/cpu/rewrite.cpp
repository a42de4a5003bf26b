// rewrite FILE: the rewritten text, with a #line that names FILE.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "kernels/cpu/frontend.h"

int main(int, char** arguments) {
  std::ifstream file(arguments[1]);
  const std::string source(std::istreambuf_iterator<char>(file), {});
  const auto text = assay::cpu::rewrite(source, arguments[1]);
  if (!text) {
    std::fprintf(stderr, "%s\n", text.error().message.c_str());
    return 2;
  }
  std::printf("#line 1 \"%s\"\n%s", arguments[1], text->c_str());
}
