#include <gtest/gtest.h>

#include "core/text.h"
#include "kernels/expression.h"
#include "kernels/kernel.h"
#include "tests/kernels/support.h"

namespace assay {
namespace {

using namespace testing_support;

Signature layer_norm_signature() {
  return {"layer_norm",
          {"rows", "cols"},
          {{"eps", 1e-5, false}},
          {floats("x", 2), floats("w", 1), floats("b", 1)},
          {floats("y", 2)}};
}
Signature matmul_signature() {
  return {"matmul", {"m", "n", "k"}, {}, {floats("a", 2), floats("b", 2)}, {floats("c", 2)}};
}
Signature backward_signature() {
  return {"softmax_backward", {"rows", "cols"}, {}, {floats("x", 2), floats("dy", 2)}, {floats("dx", 2)}};
}
Signature bytes_signature(DType dtype) {
  return {"bytes", {"n"}, {}, {floats("x", 1)}, {{"y", 1, {ElementType::Kind::fixed, dtype}}}};
}
Signature argmax_signature() {
  return {
      "argmax", {"rows", "cols"}, {}, {floats("x", 2)}, {{"y", 1, {ElementType::Kind::index, DType::i64}}}};
}

// Bindings of `void f(PARAMETERS)`, or the error.
std::string bound(std::string_view functions, const Signature& signature, std::string_view text = "",
                  std::optional<DType> dtype = std::nullopt) {
  const auto source = read_source(write_source(functions));
  if (!source) return source.error().message;
  const auto bindings = assay::bind(*source, signature, text, dtype);
  if (!bindings) return bindings.error().message;
  std::vector<std::string> result;
  for (const Binding& b : *bindings) {
    std::vector<std::string> dtypes;
    for (const DType d : b.dtypes) dtypes.emplace_back(name(d));
    result.push_back(to_string(b, signature) + " " + join(dtypes, "|"));
  }
  return join(result, "; ");
}
std::string function(std::string_view parameters) {
  return fmt::format("void f({}) {{}}", parameters);
}

TEST(Binding, bytes_are_told_apart) {
  for (const char* parameters :
       {"const float* x, uint8_t* q, int n", "const float* x, __nv_fp8_e4m3* q, int n"})
    EXPECT_NE(bound(function(parameters), bytes_signature(DType::i8)).find("y is of i8"), std::string::npos)
        << bound(function(parameters), bytes_signature(DType::i8));
  const std::string other =
      bound(function("const float* x, __nv_fp8_e5m2* q, int n"), bytes_signature(DType::e4m3));
  EXPECT_NE(other.find("points to e5m2, y is of e4m3"), std::string::npos) << other;
}

TEST(Binding, is_inferred) {
  const struct {
    const char* parameters;
    Signature signature;
    const char* expected;
  } cases[] = {
      {"const float* input, float* output, int N", relu_signature(), "f(x, y, n) f32"},
      {"float* y, const float* x, size_t size", relu_signature(), "f(y, x, n) f32"},
      {"const half* A, const half* B, half* C, int n", add_signature(), "f(a, b, c, n) f16"},
      {"const float* x, const float* y, float* out, int n", add_signature(), "f(a, b, c, n) f32"},
      {"float* d_out, float* d_in, int num_elements", relu_signature(), "f(y, x, n) f32"},
      {"const float* x, float* y, int rows, int cols", softmax_signature(), "f(x, y, rows, cols) f32"},
      {"const float* x, float* y, int M, int N", softmax_signature(), "f(x, y, rows, cols) f32"},
      {"const float* x, float* y, int N, int D", softmax_signature(), "f(x, y, rows, cols) f32"},
      {"const float* x, float* y, int cols, int rows", softmax_signature(), "f(x, y, cols, rows) f32"},
      {"const double* x, double* y, int batch_size, int dim, cudaStream_t stream", softmax_signature(),
       "f(x, y, rows, cols, stream) f64"},
      {"const float* x, float* y, int total_elements", softmax_signature(), "f(x, y, rows*cols) f32"},
      {"const float* x, const float* gamma, const float* beta, float* out, int B, int D, float epsilon",
       layer_norm_signature(), "f(x, w, b, y, rows, cols, eps) f32"},
      {"const float* input, const float* weight, const float* bias, float* output, int rows, int cols",
       layer_norm_signature(), "f(x, w, b, y, rows, cols) f32"},
      {"const float* A, const float* B, float* C, int M, int N, int K", matmul_signature(),
       "f(a, b, c, m, n, k) f32"},
      {"const float* grad_out, const float* x, float* grad_in, int rows, int cols", backward_signature(),
       "f(dy, x, dx, rows, cols) f32"},
      {"const float* x, int* out, int rows, int cols", argmax_signature(), "f(x, y, rows, cols) f32"},
      {"const float* x, int64_t* indices, int rows, int cols", argmax_signature(), "f(x, y, rows, cols) f32"},
      {"void* out, void* in, int64_t batch, int64_t dim", softmax_signature(),
       "f(y, x, rows, cols) f32|f16|bf16|f64|e4m3|e5m2"},
      {"const __nv_fp8_e5m2* x, __nv_fp8_e5m2* y, int n", relu_signature(), "f(x, y, n) e5m2"},
      {"const float* x, int8_t* q, int n", bytes_signature(DType::i8), "f(x, y, n) f32"},
      {"const half* x, signed char* q, int n", bytes_signature(DType::i8), "f(x, y, n) f16"},
      {"const float* x, __nv_fp8_e4m3* q, int n", bytes_signature(DType::e4m3), "f(x, y, n) f32"},
      {"const float* x, uint8_t* q, int n", bytes_signature(DType::e4m3), "f(x, y, n) f32"},
      {"const float* x, int8_t* q, int n", bytes_signature(DType::boolean), "f(x, y, n) f32"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(bound(function(c.parameters), c.signature), c.expected) << c.parameters;
}

TEST(Binding, overloads_and_dtypes) {
  constexpr std::string_view both =
      "void f(const float* x, float* y, int n) {}\nvoid f(const half* x, half* y, int n) {}";
  EXPECT_EQ(bound(both, relu_signature()), "f(x, y, n) f32; f(x, y, n) f16");
  EXPECT_EQ(bound(both, relu_signature(), "", DType::f16), "f(x, y, n) f16");
  EXPECT_EQ(bound(both, relu_signature(), "f(x, y, n)"), "f(x, y, n) f32; f(x, y, n) f16");
  EXPECT_NE(bound(both, relu_signature(), "", DType::f64).find("takes f32, f16, not f64"), std::string::npos);
  EXPECT_EQ(
      bound("void f_fp32(const float* x, float* y, int n) {}\nvoid f_fp16(const half* x, half* y, int n) {}",
            relu_signature()),
      "f_fp32(x, y, n) f32; f_fp16(x, y, n) f16");
  EXPECT_EQ(bound(function("void* out, void* in, int n"), relu_signature(), "", DType::bf16),
            "f(y, x, n) bf16");
  // A helper beside the exported entry.
  EXPECT_EQ(bound("void inner(const float* x, float* y, int n) {}\nextern \"C\" void solve(const float* x, "
                  "float* y, int n) {}",
                  relu_signature()),
            "solve(x, y, n) f32");
}

TEST(Binding, ambiguity_lists_the_candidates) {
  const std::string order = bound(function("float* p, float* q, int n"), relu_signature());
  EXPECT_NE(order.find("--bind \"f(x, y, n)\""), std::string::npos) << order;
  EXPECT_NE(order.find("--bind \"f(y, x, n)\""), std::string::npos) << order;
  const std::string size = bound(function("const float* x, float* y, int N"), softmax_signature());
  EXPECT_NE(size.find("--bind \"f(x, y, rows*cols)\""), std::string::npos) << size;
  EXPECT_NE(size.find("--bind \"f(x, y, cols)\""), std::string::npos) << size;
  const std::string names =
      bound("void f(const float* x, float* y, int n) {}\nvoid g(const float* x, float* y, int n) {}",
            relu_signature());
  EXPECT_NE(names.find("--bind \"f(x, y, n)\""), std::string::npos) << names;
  EXPECT_NE(names.find("--bind \"g(x, y, n)\""), std::string::npos) << names;
}

TEST(Binding, many_tensors_go_by_their_names) {
  Signature s{"nine", {"n"}, {}, {}, {floats("y", 1)}};
  for (const char c : std::string("abcdefgh")) s.inputs.push_back(floats(std::string(1, c), 1));
  EXPECT_EQ(bound(function("float* y, const float* h, const float* g, const float* f, const float* e, const "
                           "float* d, const float* c, const float* b, const float* a, int n"),
                  s),
            "f(y, h, g, f, e, d, c, b, a, n) f32");
  EXPECT_NE(bound(function("float* y, const float* h, const float* g, const float* f, const float* e, const "
                           "float* d, const float* c, const float* b, const float* x, int n"),
                  s)
                .find("parameter `const float* x` has the name of no tensor"),
            std::string::npos);
}

TEST(Binding, misfits_say_why) {
  const auto has = [](const std::string& message, std::string_view part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  has(bound(function("const float* x, float* y, float* workspace, int n"), relu_signature()),
      "3 pointers, the contract has 2 tensors");
  has(bound(function("const float* x, half* y, int n"), relu_signature()), "f32 for x and f16 for y");
  has(bound(function("const float* x, const float* y, int n"), relu_signature()),
      "const and cannot be the output");
  has(bound(function("const float* x, float* y, int n, float slope"), relu_signature()), "float slope");
  has(bound(function("const int* x, int* y, int n"), relu_signature()), "points to i32");
  has(bound(function("Tensor* x, float* y, int n"), relu_signature()), "no dtype for");
}

TEST(Binding, follows_the_users_text) {
  const auto softmax = softmax_signature();
  EXPECT_EQ(bound(function("float* p, float* q, int n"), softmax, "f(x, y, rows*cols)"),
            "f(x, y, rows*cols) f32");
  EXPECT_EQ(bound(function("float* p, float* q, float* w, int n, cudaStream_t s"), softmax,
                  " f ( x , y , null, (rows + 3)//4 , stream ) "),
            "f(x, y, null, (rows + 3)//4, stream) f32");
  const auto has = [](const std::string& message, std::string_view part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  const std::string two = function("const float* p, float* q, int n");
  has(bound(two, softmax, "g(x, y, rows)"), "no entry point `g`");
  has(bound(two, softmax, "f(x, y)"), "2 arguments, but it takes 3");
  has(bound(two, softmax, "f(y, x, rows)"), "argument 1, `y`, does not fit: `const float* p` is const");
  has(bound(two, softmax, "f(x, y, cosl)"), "did you mean cols?");
  has(bound(two, softmax, "f(x, y, x)"), "argument 3, `x`, is a tensor");
  has(bound(two, softmax, "f(x, rows, cols)"), "is a number, but the parameter `float* q` is a pointer");
  has(bound(two, softmax, "f(x, null, rows)"), "the output y is given to no parameter");
  has(bound(two, softmax, "f x, y"), "expected NAME(ARGUMENTS)");
  has(bound(two, softmax, "f(x, y, (rows)"), "`)` is missing");
  has(bound(two, softmax, "f(x, y, rows*)"), "found the end");
  has(bound(two, softmax, "f(x, y, 1.5)"), "may be a fraction");
}

TEST(Expression, evaluates) {
  const auto value = [](std::string_view text) -> std::string {
    const auto e = Expression::parse(text, layer_norm_signature());
    if (!e) return e.error().message;
    const auto n = e->evaluate({DType::f32, {5, 7}, {0.25}});
    if (!n) return n.error().message;
    return n->is_integer ? fmt::format("{}", n->integer) : fmt::format("{}", n->real);
  };
  EXPECT_EQ(value("rows*cols"), "35");
  EXPECT_EQ(value("rows + 2*cols - 1"), "18");
  EXPECT_EQ(value("(rows + 2)*cols"), "49");
  EXPECT_EQ(value("cols // rows"), "1");
  EXPECT_EQ(value("cols % rows"), "2");
  EXPECT_EQ(value("-cols // rows"), "-2");
  EXPECT_EQ(value("cols / 2"), "3.5");
  EXPECT_EQ(value("14 / cols"), "2");
  EXPECT_EQ(value("eps"), "0.25");
  EXPECT_EQ(value("2 * eps"), "0.5");
  EXPECT_EQ(value("1e-3"), "0.001");
  EXPECT_EQ(value("rows // (cols - 7)"), "division by zero");
  EXPECT_EQ(value("9223372036854775807 + 1"), "the value is beyond 64 bits in `9223372036854775807 + 1`");
  EXPECT_NE(value("rowz").find("did you mean rows?"), std::string::npos);
}

}  // namespace
}  // namespace assay
