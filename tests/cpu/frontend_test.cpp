// The rewriter: what it changes, and that it changes nothing else.

#include "kernels/cpu/frontend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace assay::cpu {
namespace {

std::string rewritten(std::string_view source) {
  const auto text = rewrite(source, "k.cu");
  EXPECT_TRUE(text.has_value()) << text.error().message;
  return text.value_or("");
}

TEST(Frontend, LaunchBecomesACall) {
  EXPECT_EQ(rewritten("k<<<g, b>>>(x, n);"),
            "::assay::cpu::launch_any([&](auto&... assay_arguments) { k(assay_arguments...); }, \"k\")(g, "
            "b)(x, n);");
}

TEST(Frontend, TemplateArgumentsAndQualifiersBelongToTheKernel) {
  for (const char* kernel : {"k<float, 4>", "ns::k<T>", "::k", "A<B<int>>::template k<3>", "k<(a > b)>",
                             "table[i]", "k<sizeof(S<int>)>", "this->k", "p.k"}) {
    const std::string text = rewritten("f(); " + std::string(kernel) + "<<<1, 2, 3, s>>>(x);");
    EXPECT_NE(text.find("{ " + std::string(kernel) + "(assay_arguments...); }"), std::string::npos) << text;
    EXPECT_EQ(text.find("f(); ::assay"), 0u) << text;
  }
}

TEST(Frontend, TheKernelStartsAfterTheStatementBefore) {
  EXPECT_EQ(rewritten("if (n > 0) k<<<1, 1>>>(x); else k<<<2, 1>>>(x);").find("if (n > 0) ::assay"), 0u);
  EXPECT_EQ(rewritten("case 3: k<<<1, 1>>>(x);").find("case 3: ::assay"), 0u);
}

TEST(Frontend, ClosesAtTheThirdOfMany) {
  const std::string text = rewritten("k<<<dim3(a >> 2), f<int, g<int>>(3)>>>(x >> 1);");
  EXPECT_NE(text.find(")(dim3(a >> 2), f<int, g<int>>(3))(x >> 1);"), std::string::npos) << text;
}

TEST(Frontend, NullArgumentsTakeTheParametersType) {
  const std::string text = rewritten("k<<<1, 1>>>(NULL, 0, nullptr, f(0), 10);");
  EXPECT_NE(text.find("(::assay::cpu::Null{}, ::assay::cpu::Null{}, ::assay::cpu::Null{}, f(0), 10)"),
            std::string::npos)
      << text;
}

TEST(Frontend, BracedArgumentsUseTheKernelsOwnType) {
  EXPECT_EQ(rewritten("k<int><<<1, 1>>>({1, 2}, n);"),
            "::assay::cpu::launch_typed(k<int>, \"k<int>\")(1, 1)({1, 2}, n);");
}

TEST(Frontend, ExplicitInstantiationsLoseWhatClangRefuses) {
  EXPECT_EQ(rewritten("template static inline void f<float>(int);"), "template   void f<float>(int);");
  EXPECT_EQ(rewritten("template __device__ __forceinline__ float g<float>(float);"),
            "template __device__  float g<float>(float);");
  for (const char* kept : {"template <class T> static inline T f(T x) { return x.template g<3>(); }",
                           "static inline int f() { return 3; }", "template struct S<int>;"})
    EXPECT_EQ(rewritten(kept), kept);
}

TEST(Frontend, TheCompilerIsNotTold) {
  EXPECT_EQ(rewritten("#if defined(__clang__) && !defined(__CUDACC__)\n"),
            "#if defined(assay_not_defined) && !defined(__CUDACC__)\n");
  EXPECT_EQ(rewritten("// __clang__\nconst char* s = \"__clang__\";"),
            "// __clang__\nconst char* s = \"__clang__\";");
}

TEST(Frontend, LaunchInAMacro) {
  const std::string text = rewritten("#define RUN(K, ...) \\\n  K<<<g, \\\n   b>>>(__VA_ARGS__)\nint x;");
  EXPECT_NE(text.find("{ K(assay_arguments...); }"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_EQ(text.substr(text.size() - 7), "\nint x;");
}

TEST(Frontend, DynamicSharedMemory) {
  EXPECT_EQ(rewritten("extern __shared__ float s[];"),
            "auto* const s = ::assay::cpu::dynamic_shared<float >();");
  EXPECT_EQ(rewritten("extern __shared__ __align__(16) unsigned char s[];"),
            "auto* const s = ::assay::cpu::dynamic_shared<unsigned char >();");
  EXPECT_EQ(rewritten("extern volatile __shared__ T s[][32];"),
            "auto* const s = ::assay::cpu::dynamic_shared<volatile T [32]>();");
}

TEST(Frontend, StaticSharedMemoryStaysWithOneStatic) {
  EXPECT_EQ(rewritten("static __shared__ float s[4];"), " __shared__ float s[4];");
  EXPECT_EQ(rewritten("__shared__ float s[4];"), "__shared__ float s[4];");
  EXPECT_EQ(rewritten("__shared__ alignas(16) float s[4];"), "__shared__ __align__(16) float s[4];");
}

TEST(Frontend, StaticSharedMemoryOfAFunctionIsCounted) {
  EXPECT_EQ(
      rewritten(
          "void k() { __shared__ float a[4], b; { __shared__ T c[2]; }\n__shared__ int d;\n#pragma x\n}"),
      "void k() { __shared__ float a[4], b; ASSAY_STATIC_SHARED(sizeof(a) + sizeof(b)) { "
      "__shared__ T c[2]; ASSAY_STATIC_SHARED(sizeof(a) + sizeof(b) + sizeof(c)) }\n"
      "__shared__ int d; ASSAY_STATIC_SHARED(sizeof(a) + sizeof(b) + sizeof(d))\n#pragma x\n}");
}

TEST(Frontend, LaunchBoundsAreCheckedInTheBody) {
  const std::string checked = "{ ASSAY_LAUNCH_BOUNDS(kThreads*2) x();";
  for (const char* head : {"__global__ void __launch_bounds__(kThreads * 2) k(int* x, int (*f)(int)) ",
                           "template <int N> __global__ __launch_bounds__(kThreads * 2, 4) void k(F<N> x) ",
                           "__launch_bounds__(kThreads * 2) __attribute__((used)) __global__ void k() "})
    EXPECT_EQ(rewritten(std::string(head) + "{ x(); }"), std::string(head) + checked + " }");
  EXPECT_EQ(rewritten("__global__ void __launch_bounds__(64) k(int*); void f() { x(); }"),
            "__global__ void __launch_bounds__(64) k(int*); void f() { x(); }");
}

TEST(Frontend, KnownPtxBecomesCalls) {
  EXPECT_EQ(rewritten("asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(x[i]));"),
            "do { ::assay::ptx::mov_u32_laneid((x[i])); } while (false);");
  EXPECT_EQ(
      rewritten("asm(\"bfe.u32 %0, %1, 4, %2;\\n\\t\"\n\"membar.gl;\" : \"=r\"(d) : \"r\"(a), \"r\"(n) : "
                "\"memory\");"),
      "do { ::assay::ptx::bfe_u32((d), (a), 4, (n)); ::assay::ptx::membar_gl(); } while (false)\n;");
}

TEST(Frontend, OtherPtxIsRefusedByName) {
  for (const char* ptx : {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];", "@p bra DONE;",
                          "{ .reg .pred p; }", "mov.u32 %9, 1;"}) {
    const std::string text = rewritten("asm volatile(\"" + std::string(ptx) + "\" : : \"r\"(a));");
    EXPECT_EQ(text.find("do { __attribute__((error(\"inline PTX '"), 0u) << text;
  }
  EXPECT_NE(rewritten("asm(\"ldmatrix.sync %0;\" :: \"r\"(a));").find("'ldmatrix.sync' is not supported"),
            std::string::npos);
}

TEST(Frontend, LoopsOverSomethingVolatileLetOthersRun) {
  EXPECT_EQ(rewritten("volatile int* f; while (*f == 0); for (;;) g(); while (int n = h()) g();"),
            "volatile int* f; while (::assay::cpu::poll() && (*f == 0)); for (;::assay::cpu::poll();) g(); "
            "while (int n = h()) g();");
  EXPECT_EQ(rewritten("while (((volatile int*)f)[i] == 0);"),
            "while (::assay::cpu::poll() && (((volatile int*)f)[i] == 0));");
  EXPECT_EQ(rewritten("while (*f == 0); asm volatile(\"\"); for (;;) g();"),
            "while (*f == 0); do { } while (false); for (;;) g();");
}

TEST(Frontend, CommentsAndLiteralsStay) {
  for (const char* text :
       {"// k<<<1, 2>>>(x)", "/* extern __shared__ float s[]; */", "\"k<<<1, 2>>>(x)\"",
        "R\"cu(k<<<1, 2>>>(x); \" )cu\"", "'<'", "x = 1'000'000 << 3;", "#error don't <<< here"})
    EXPECT_EQ(rewritten(text), text);
}

TEST(Frontend, KeepsLinesEverywhere) {
  const std::string source =
      "template <class T>\n__global__ void k(T x) {\n  extern\n  __shared__\n  float s[];\n}\nvoid f() {\n  "
      "k<\n    float>\n"
      "  <<<dim3(1,\n  2), 3 /* a\n b */\n  >>>(\n   4.0f\n);\n}\n";
  const std::string text = rewritten(source);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(source.begin(), source.end(), '\n'))
      << text;
}

TEST(Frontend, NoinlineIsAnAttribute) {
  EXPECT_EQ(rewritten("__noinline__ void f();"), "__attribute__((noinline)) void f();");
  EXPECT_EQ(rewritten("__attribute__((__noinline__)) void f();"), "__attribute__((__noinline__)) void f();");
}

TEST(Frontend, AnUnclosedLaunchIsAnErrorWithItsLine) {
  const auto text = rewrite("\n\nk<<<1, 2>>;", "k.cu");
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().message.find("k.cu:3: "), 0u) << text.error().message;
}

TEST(Frontend, DropsTheCastOfCudaLaunchKernel) {
  EXPECT_EQ(rewritten("cudaLaunchKernel((void*)k<int>, g, b, a, 0, 0);"),
            "cudaLaunchKernel(k<int>, g, b, a, 0, 0);");
  EXPECT_EQ(rewritten("cudaLaunchKernel((const void*)k, g, b, a);"), "cudaLaunchKernel(k, g, b, a);");
}

}  // namespace
}  // namespace assay::cpu
