#pragma once

// How a plug-in is compiled from a rewritten .cu file, and how a program that loads it is linked.
//
//   clang++-19 <plugin_flags> <fast_flags | checked_flags | race_flags> -I<include> -include assay_cuda.h
//   in.cpp -o out.so
//
// where <include> is kernels/cpu/include. assay_cuda.h may be precompiled with the same flags (-x c++-header,
// -include-pch). The program is linked with -rdynamic, with libassay_cpu_fast.a, libassay_cpu_race.a, or with
// libassay_cpu_checked.a and -fsanitize=address,undefined; both archives whole (-Wl,--whole-archive).

#include <array>
#include <string_view>

namespace assay::cpu {

inline constexpr std::string_view compiler = "clang++-19";
inline constexpr std::string_view prelude = "assay_cuda.h";

// Reasons, where they are not plain: kernels reinterpret memory (no strict aliasing); CUDA's float to
// integer conversion saturates and gives 0 for NaN (no strict float cast overflow); sqrtf must be one
// instruction (no errno); nvcc fuses a*b+c across statements (fp-contract, with -mfma below).
inline constexpr std::array plugin_flags = {
    std::string_view("-x"),
    std::string_view("c++"),
    std::string_view("-std=gnu++20"),
    std::string_view("-fPIC"),
    std::string_view("-shared"),
    std::string_view("-fvisibility=hidden"),
    std::string_view("-Wl,-Bsymbolic"),
    std::string_view("-fno-math-errno"),
    std::string_view("-fno-strict-aliasing"),
    std::string_view("-fno-strict-float-cast-overflow"),
    std::string_view("-ffp-contract=fast-honor-pragmas"),
    std::string_view("-fno-builtin-fmaxf"),
    std::string_view("-fno-builtin-fminf"),
    std::string_view("-fno-builtin-fmax"),
    std::string_view("-fno-builtin-fmin"),
    std::string_view("-w"),
};

// Only where the machine has them: __builtin_cpu_supports("avx2"), ("fma").
inline constexpr std::array machine_flags = {std::string_view("-march=x86-64-v3")};

// As the hardware does it, signed integers wrap.
inline constexpr std::array fast_flags = {std::string_view("-O2"), std::string_view("-fwrapv"),
                                          std::string_view("-gline-tables-only")};

inline constexpr std::array checked_flags = {
    std::string_view("-O1"),
    std::string_view("-gline-tables-only"),
    std::string_view("-fno-omit-frame-pointer"),
    std::string_view("-fsanitize=address,undefined"),
    std::string_view("-fsanitize-address-use-after-return=never"),
    std::string_view("-fno-sanitize=vptr,function,float-cast-overflow"),
    std::string_view("-fno-sanitize-recover=undefined"),
};

// What clang's thread sanitizer calls before each access goes to the runtime, not to the one of clang;
// therefore the driver does not hear of it. Vectors would hide what each element's access is,
// and code that branches share has no line.
inline constexpr std::array race_flags = {
    std::string_view("-O2"),
    std::string_view("-fwrapv"),
    std::string_view("-gline-tables-only"),
    std::string_view("-fno-vectorize"),
    std::string_view("-fno-slp-vectorize"),
    std::string_view("-Xclang"),
    std::string_view("-fsanitize=thread"),
    std::string_view("-mllvm"),
    std::string_view("-tsan-instrument-func-entry-exit=0"),
    std::string_view("-mllvm"),
    std::string_view("-tsan-distinguish-volatile=1"),
    std::string_view("-mllvm"),
    std::string_view("-tsan-instrument-read-before-write=1"),
    std::string_view("-mllvm"),
    std::string_view("-sink-common-insts=false"),
    std::string_view("-mllvm"),
    std::string_view("-hoist-common-insts=false"),
    std::string_view("-mllvm"),
    std::string_view("-enable-tail-merge=false"),
};

// Without these the runtime's own process would be blamed: leaks of a process that lives on, and the
// stacks of fibers.
inline constexpr std::string_view asan_options =
    "detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=1:allocator_may_return_null=1:"
    "detect_odr_violation=0:handle_segv=1";

}  // namespace assay::cpu
