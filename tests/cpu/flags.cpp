// flags BUILD: the flags of flags.h for a program of its own, one a line.

#include "kernels/cpu/flags.h"

#include <cstdio>
#include <string_view>

int main(int, char** arguments) {
  const auto print = [](const auto& flags) {
    for (std::string_view flag : flags)
      if (flag != "-shared" && !flag.starts_with("-Wl,")) std::printf("%s\n", flag.data());
  };
  print(assay::cpu::plugin_flags);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) print(assay::cpu::machine_flags);
  if (std::string_view(arguments[1]) == "fast")
    print(assay::cpu::fast_flags);
  else if (std::string_view(arguments[1]) == "race")
    print(assay::cpu::race_flags);
  else
    print(assay::cpu::checked_flags);
}
