#include <gtest/gtest.h>

#include "core/text.h"
#include "kernels/kernel.h"
#include "tests/kernels/support.h"

namespace assay {
namespace {

using namespace testing_support;

// "solve(const float* input:f32, int N:i32)" for each entry.
std::vector<std::string> scan(std::string_view text) {
  const auto source = read_source(write_source(text));
  std::vector<std::string> result;
  if (!source) return {source.error().message};
  for (const EntryPoint& e : source->entries) {
    std::vector<std::string> parameters;
    for (const Parameter& p : e.parameters) {
      parameters.push_back(p.type + " " + p.name + (p.dtype ? fmt::format(":{}", name(*p.dtype)) : ""));
    }
    result.push_back(fmt::format("{}({})", e.name, join(parameters, ", ")));
  }
  return result;
}

using Entries = std::vector<std::string>;

TEST(Source, finds_entries) {
  EXPECT_EQ(scan("extern \"C\" void solve(const float* input, float* output, int N) { k<<<1, 1>>>(input, "
                 "output, N); }"),
            Entries{"solve(const float* input:f32, float* output:f32, int N:i32)"});
  EXPECT_EQ(scan("void launch(void* out, void* in, int64_t batch, int64_t dim) {}"),
            Entries{"launch(void* out, void* in, int64_t batch:i64, int64_t dim:i64)"});
  EXPECT_EQ(scan("extern \"C\" {\nint f(const double *x,\n  double* /* the result */ y, // and\n unsigned "
                 "long long n) { return 0; }\n}"),
            Entries{"f(const double* x:f64, double* y:f64, unsigned long long n:i64)"});
  EXPECT_EQ(scan("cudaError_t f(float const* __restrict__ x, float* __restrict y, size_t n = 4, cudaStream_t "
                 "s = nullptr) {}"),
            Entries{"f(float const* x:f32, float* y:f32, size_t n:i64, cudaStream_t s)"});
  EXPECT_EQ(scan("namespace a::b { void f(const __half* x, __nv_bfloat16 y[], bool* m) {} }"),
            Entries{"a::b::f(const __half* x:f16, __nv_bfloat16* y:bf16, bool* m:bool)"});
}

TEST(Source, macros_may_stand_for_declarations) {
  const Entries f = {"f(float* y:f32, int n:i32)"};
  EXPECT_EQ(scan("#define KERNEL(N, E) __global__ void N(float* y) { *y = E; }\nKERNEL(k, 1)\nvoid f(float* "
                 "y, int n) {}"),
            f);
  EXPECT_EQ(scan("SUITE(a, b) { void g(float* x); }\nvoid f(float* y, int n) {}"), f);
  EXPECT_EQ(scan("__launch_bounds__(32) __global__ void k(float* y) {}\nvoid f(float* y, int n) {}"), f);
}

TEST(Source, overloads_are_separate) {
  EXPECT_EQ(scan("void f(const float* x, float* y) {}\nvoid f(const half* x, half* y) {}"),
            (Entries{"f(const float* x:f32, float* y:f32)", "f(const half* x:f16, half* y:f16)"}));
}

TEST(Source, entries_may_stand_in_an_included_file) {
  const std::filesystem::path inner = write_source("void inner(const float* x, float* y, int n) {}");
  const std::string include = fmt::format("#include \"{}\"\n", inner.string());
  EXPECT_EQ(scan("#include <vector>\n" + include),
            Entries{"inner(const float* x:f32, float* y:f32, int n:i32)"});
  // The file's own come first, and then alone.
  EXPECT_EQ(scan(include + "void outer(float* y, int n) {}"), Entries{"outer(float* y:f32, int n:i32)"});
}

TEST(Source, passes_over_what_is_no_entry) {
  EXPECT_EQ(scan(R"(
#include <cuda_runtime.h>
#define CEIL(a, b) (((a) + (b) - 1) / (b))
struct Pair { float a; void set(float* p) { a = *p; } };
enum { A, B };
template <typename T> void tool(T* x, int n) { }
__device__ float helper(float* x) { return *x; }
static void hidden(float* x) {}
inline int cdiv(int a, int b) { return (a + b - 1) / b; }
__global__ void __launch_bounds__(256) kern(const float* x, float* y) { if (x) { y[0] = 1; } }
__global__ __launch_bounds__(256, 2) void kern2(float* y) {}
const int table[] = {1, 2, 3};
float total(const float* x) { return x[0]; }
int count(int n) { return n; }
void declared(float* x);
const char* text = "void fake(float* x) { }";
#if 0
void disabled(float* x) {}
#endif
namespace { void local(float* x) {} }
int main() { float* p = nullptr; return p != nullptr; }
void real(float* x) { auto f = [](float* q) { *q = 1; }; f(x); }
)"),
            Entries{"real(float* x:f32)"});
}

TEST(Source, looks_through_aliases_and_casts) {
  EXPECT_EQ(scan("using half_t = __half;\ntypedef float real;\n#define INDEX long long\nvoid f(const half_t* "
                 "x, real* y, INDEX n) {}"),
            Entries{"f(const half_t* x:f16, real* y:f32, INDEX n:i64)"});
  EXPECT_EQ(scan("void f(void* out, const void* in, int n) { k<<<1, 1>>>((half*)out, reinterpret_cast<const "
                 "__half*>(in), n); }"),
            Entries{"f(void* out:f16, const void* in:f16, int n:i32)"});
  // Two types: nothing can be said.
  EXPECT_EQ(scan("void f(void* out, int t) { if (t) a((half*)out); else b((float*)out); }"),
            Entries{"f(void* out, int t:i32)"});
}

TEST(Source, lines_are_the_users) {
  const auto source = read_source(write_source("// one\n/* two\n three */\n\nvoid f(float* x) {}\n"));
  ASSERT_TRUE(source);
  EXPECT_EQ(source->entries[0].line, 5);
}

TEST(Source, errors_say_what_is_wrong) {
  const auto missing = read_source(folder() / "sotfmax.cu");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no such file"), std::string::npos);
  EXPECT_EQ(missing.error().kind, ErrorKind::usage);

  const auto binary =
      read_source(write_source(std::string_view("\x7f"
                                                "ELF\0\0",
                                                6)));
  ASSERT_FALSE(binary);
  EXPECT_NE(binary.error().message.find("not text"), std::string::npos) << binary.error().message;

  const auto folder_itself = read_source(folder());
  ASSERT_FALSE(folder_itself);
  EXPECT_NE(folder_itself.error().message.find("not a regular file"), std::string::npos);

  const auto none = read_source(
      write_source("__global__ void softmax_kernel(float* x) {}\nfloat f(float* x) { return 0; }\n"));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("no entry point"), std::string::npos);
  EXPECT_NE(none.error().message.find("softmax_kernel"), std::string::npos);
  EXPECT_NE(none.error().message.find("f (returns float)"), std::string::npos) << none.error().message;
}

TEST(Source, survives_any_text) {
  for (const std::string_view text :
       {"void f(", "extern \"C\" {", "{{{{", "}}}}", "void f(float* x) {", "namespace a {", "template <",
        "\"unclosed", "/* unclosed", "#define", "#if 0", "void f(float*,,)) {}", "R\"(abc", "[[", "<<<"}) {
    const auto source = read_source(write_source(text));
    EXPECT_TRUE(!source || !source->entries.empty());
  }
}

}  // namespace
}  // namespace assay
