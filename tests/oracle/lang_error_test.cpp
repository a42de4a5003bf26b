// What the parser and the checker say of wrong texts: place, what is wrong, what would be right.

#include <gtest/gtest.h>

#include "oracle/contract.h"

namespace assay {
namespace {

struct Wrong {
  const char* text;
  const char* message;
};

// Most go wrong below these lines.
#define F "contract f(n)\n  input x[n] : float\n  output y[n] : like x\n"

const Wrong kWrong[] = {
    {"", "a.contract:1:1: no contract; begin with 'contract NAME(dims)'"},
    {"contrakt f(n)\n", "a.contract:1:1: expected 'contract NAME(dims)', found 'contrakt'"},
    {"contract f(n\n"
     "  input x[n] : float\n",
     "a.contract:2:3: expected ')', found 'input'"},
    {"contract f(n, n)\n", "a.contract:1:15: 'n' is a dimension already (line 1); choose another name"},
    {F "  y[i] = * x[i]\n", "a.contract:4:10: expected an expression, found '*'"},
    {F "  y[i] = x[j]\n", "a.contract:4:12: unknown name 'j'; did you mean n or x or y?"},
    {F "  y[i] = xx[i]\n", "a.contract:4:10: unknown name 'xx'; did you mean x or n or y?"},
    {F "  y[i] = ex(x[i])\n", "a.contract:4:10: unknown function 'ex'; did you mean exp or max or erf?"},
    {F "  y[i] = exp(x[i], x[i])\n", "a.contract:4:10: 'exp' takes 1 argument, found 2"},
    {F "  y[i] = sum(x[i])\n", "a.contract:4:10: 'sum' needs the indices it runs over: sum(... for j)"},
    {F "  y[i] = x[i] if 0 < x[i] < 1 else 0\n",
     "a.contract:4:27: a comparison of a comparison: readers disagree on what a < b < c means; write 'a < b "
     "and b < c'"},
    {F "  y[i] = x[i] if x[i] = 1 else 0\n", "a.contract:4:23: unexpected '='; equality is written '=='"},
    {F "  y[i] = x[i] if x[i] > 0\n",
     "a.contract:4:26: expected 'else', found the end of the line; a choice reads 'A if CONDITION else B'"},
    {F "  y[i] = x[i] ** 2\n", "a.contract:4:15: unexpected '**'; a power is written 'x^2'"},
    {F "  y[i] = x[i]^0.5\n",
     "a.contract:4:15: the exponent of ^ is an integer from 1 to 1024, found 0.5; write sqrt, 1 / x^n or "
     "exp(p * log(x))"},
    {"contract f(n, m)\n"
     "  input x[n] : float, w[m] : float\n"
     "  output y : like x\n"
     "  y = sum(x[j] * w[j] for j)\n",
     "a.contract:4:27: cannot tell the range of 'j': x[j] says n, w[j] says m; write 'for j < N'"},
    {"contract f(n)\n"
     "  input x[n] : float\n"
     "  output y : like x\n"
     "  y = sum(x[2*j] for j)\n",
     "a.contract:4:22: cannot tell the range of 'j': it indexes no tensor alone; write 'for j < N'"},
    {"contract f(n)\n"
     "  input x[n] : float\n"
     "  output y : like x\n"
     "  y = sum(x[j] for j if x[j] > 0)\n",
     "a.contract:4:30: this guard depends on float values, so that the number of terms would; write sum((A "
     "if x[j] > 0 else NEUTRAL) for ...)"},
    {"contract f(n)\n"
     "  input x[n] : float\n"
     "  output y[n / 2] : like x\n"
     "  y[i] = x[i]\n",
     "a.contract:3:14: expected an integer as a dimension, found n/2, a number; '/' is real division, use // "
     "for floor division"},
    {F "  y[i] = x[i / 2]\n",
     "a.contract:4:14: expected an integer index, found i/2, a number; '/' is real division, use // for "
     "floor division"},
    {"contract f(n; eps = 1e-5)\n"
     "  input x[n] : float\n"
     "  output y[n] : like x\n"
     "  y[i] = x[i]\n",
     "a.contract:1:15: 'eps' is an attribute that nothing reads; use it or drop it"},
    {"contract f(n, m)\n"
     "  input x[n] : float\n"
     "  output y[n] : like x\n"
     "  y[i] = x[i]\n",
     "a.contract:1:15: 'm' is a dimension that nothing reads; use it or drop it"},
    {F "  z[i] = exp(x[i])\n"
       "  y[i] = x[i]\n",
     "a.contract:4:3: 'z' is defined but never read; use it or drop its equation"},
    {"contract f(n)\n"
     "  input x[n], w[n] : float\n"
     "  output y[n] : like x\n"
     "  y[i] = x[i]\n",
     "a.contract:2:15: 'w' is an input that nothing reads; use it or drop it"},
    {F "  y[i] = x[i]\n"
       "  y[j] = x[j]\n",
     "a.contract:5:3: a second equation for 'y'; the first is in line 4"},
    {F "  y[n] = x[n]\n",
     "a.contract:4:5: the index 'n' has the name of a dimension (line 1); choose another name"},
    {F "  y[i] = sum(x[i] for i)\n", "a.contract:4:23: the index 'i' is bound already; choose another name"},
    {F "  y[i, j] = x[i]\n", "a.contract:4:3: 'y' has 1 index, here 2"},
    {F "  y[i] = x[i, i]\n", "a.contract:4:10: 'x' has 1 index, here 2; nothing is broadcast"},
    {F "  S[i] = S[n - i] + x[i]\n"
       "  y[i] = S[i]\n",
     "a.contract:4:10: the recursion of 'S' does not descend: S[n - i] depends on 'S' again; one index of "
     "every such read must be smaller, or in all of them larger, by a constant, as in S[i-1], with a base "
     "case such as S[-1] = 0"},
    {"contract f(n)\n"
     "  input x[n] : float inside [0, 1]\n",
     "a.contract:2:22: expected the end of the line, found 'inside'"},
    {"contract f(n)\n"
     "  input x[n] : float in 0\n",
     "a.contract:2:25: expected '[LOW, HIGH]' or 'ball(RADIUS)', found '0'; as in 'x[n] : float in [0, 1]'"},
    {"contract f(n)\n"
     "  input x[n] : float, k[n] : int in [0, 3]\n"
     "  output y[n] : like x\n"
     "  y[i] = x[k[i]]\n",
     "a.contract:2:23: 'in' limits what a float input may hold; 'k' is of integers"},
    {"contract f(n)\n"
     "  input x[n] : float, cu[n, n] : offsets(n)\n"
     "  output y[n] : like x\n"
     "  y[i] = x[cu[i, i]]\n",
     "a.contract:2:23: offsets are a list; write 'cu[n + 1] : offsets(...)'"},
    {F "  x[i] = 1\n"
       "  y[i] = x[i]\n",
     "a.contract:4:3: 'x' is an input (line 2); an equation defines a new name or an output"},
    {"contract f(n)\n"
     "  input x[n] : float\n"
     "  output y[n] : like x\n",
     "a.contract:3:10: output 'y' has no equation; write 'y[i0] = ...'"},
    {"contract f(n)\n"
     "  input x[n] : float\n",
     "a.contract:1:1: the contract has no output; state 'output y[n] : like x'"},
    {"contract f(n)\n"
     "  input x[n] : float\n"
     "  output y[n] : like z\n"
     "  y[i] = x[i]\n",
     "a.contract:3:10: 'like z' names no input; did you mean x?"},
    {"contract f(n)\n"
     "  input x[n] : flaot\n"
     "  output y[n] : like x\n"
     "  y[i] = x[i]\n",
     "a.contract:2:16: unknown type 'flaot'; did you mean float?"},
    {"contract f(n)\n"
     "  input x[n]\n"
     "  output y[n] : like x\n",
     "a.contract:2:13: expected ': TYPE', found the end of the line; as in 'x[n] : float'"},
    {F "  rond y to dtype\n"
       "  y[i] = x[i]\n",
     "a.contract:4:3: unknown statement 'rond'; did you mean round?"},
    {F "  round z to dtype\n"
       "  y[i] = x[i]\n",
     "a.contract:4:9: 'round z' names no equation or attribute; did you mean y?"},
    {F "  round y to f17\n"
       "  y[i] = x[i]\n",
     "a.contract:4:14: expected 'dtype', f64, f32, f16, bf16, e4m3 or e5m2, found 'f17'"},
    {F "  accumulate f32\n"
       "  accumulate dtype\n"
       "  y[i] = x[i]\n",
     "a.contract:5:3: a second 'accumulate'; the first is in line 4"},
    {F "  subnormals preserve\n"
       "  subnormals may flush for bf16\n"
       "  y[i] = x[i]\n",
     "a.contract:5:3: a second 'subnormals' clause for the same dtype; the first is in line 4"},
    {F "  accuracy exq 4 ulp\n"
       "  y[i] = x[i]\n",
     "a.contract:4:12: 'exq' is no function that rounds; did you mean exp or erf?"},
    {F "  allow nan in z\n"
       "  y[i] = x[i]\n",
     "a.contract:4:16: 'allow ... in z' names no equation; did you mean y?"},
    {F "  allow nan in y[i] if y[i] == inf\n"
       "  y[i] = x[i]\n",
     "a.contract:4:16: the guard of 'allow ... in y' depends on 'y' itself"},
    {F "  aligned to 12\n"
       "  y[i] = x[i]\n",
     "a.contract:4:3: alignment is a power of two from 1 to 256 bytes, found 12"},
    {F "  where x[0] > 0\n"
       "  y[i] = x[i]\n",
     "a.contract:4:9: a condition of the domain depends on dimensions and attributes only, not on x[0]"},
    {F "  where n\n"
       "  y[i] = x[i]\n",
     "a.contract:4:9: expected a condition over dimensions and attributes, found n, an integer; write n != "
     "0"},
    {F "  y[i] = x[i] > 0\n",
     "a.contract:4:15: 'y' is a number, not a condition; write (1 if CONDITION else 0)"},
    {F "  y[i] = x[i] if x[i] else 0\n",
     "a.contract:4:18: expected a condition, found x[i], a number; write x[i] != 0"},
    {"contract f(n)\n"
     "  input x[n] : float, t[n] : float\n"
     "  output y[n] : like x\n"
     "  y[i] = x[t[i]]\n",
     "a.contract:4:12: expected an integer index, found t[i], a number; declare the input as index(n) or "
     "int"},
    {F "  y[i] = max(x[j] for j, j)\n",
     "a.contract:4:26: the index 'j' is bound already; choose another name"},
    {F "  y[i] = x[i]\n"
       "  form a\n"
       "  t[i] = x[i]\n"
       "  y[i] = t[i]\n"
       "  form b\n"
       "  y[i] = t[i]\n",
     "a.contract:9:10: 't' is defined in another form only; form 'b' cannot read it"},
    {F "  y[i] = x[i]\n"
       "  form a\n",
     "a.contract:5:3: form 'a' is empty; it states equations or 'round' that differ from the contract's"},
    {F "  y[i] = x[i]\n"
       "  form a\n"
       "  accumulate f32\n",
     "a.contract:6:3: 'accumulate' belongs above the forms; a form holds equations and 'round' only"},
    {"contract f = softmax\n",
     "a.contract:1:14: expected 'adjoint of', found 'softmax'; a contract of its own has its dimensions in ( "
     ") "
     "after its name"},
    {"contract f = adjoint of softmax\n"
     "  accumulate f32\n",
     "a.contract:2:3: 'f' is derived from 'softmax' and states nothing else"},
    {"contract f = adjoint of sofmax\n",
     "a.contract:1:14: 'adjoint of sofmax' names no contract above this one or in the library; did you "
     "mean softmax or max?"},
    {"contract f = adjoint of softmax wrt y\n",
     "a.contract:1:14: no adjoint of 'softmax' can be derived: 'y' is no input of 'softmax'; did you mean "
     "x?"},
    {"contract f = adjoint of relu\n",
     "a.contract:1:14: no adjoint of 'relu' can be derived: 'max' in line 6 of 'relu' has no derivative "
     "where "
     "its arguments tie; write 'a if a > b else b', or state 'stop'"},
    {"contract f = adjoint of max\n",
     "a.contract:1:14: no adjoint of 'max' can be derived: 'max' in line 6 of 'max' has no derivative where "
     "terms tie; state 'stop' for its equation if the outputs do not depend on it"},
    {F "  S[-1]  = 0\n"
       "  S[i]   = S[i-1] + x[i]\n"
       "  y[i]   = S[i]\n"
       "contract g = adjoint of f\n",
     "a.contract:7:14: no adjoint of 'f' can be derived: 'S' is a recursion"},
    {"contract f_backward(rows, cols)\n"
     "  input dy[rows, cols] : float\n"
     "  output dx[rows, cols] : like dy\n"
     "  adjoint of softmax\n"
     "  dx[r, c] = dy[r, c]\n",
     "a.contract:4:3: 'adjoint of softmax' needs the forward's input 'x'; declare it"},
    {"contract f_backward(rows, cols)\n"
     "  input x[rows, cols], dz[rows, cols] : float\n"
     "  output dx[rows, cols] : like x\n"
     "  adjoint of softmax\n"
     "  dx[r, c] = dz[r, c]\n",
     "a.contract:4:3: 'adjoint of softmax' needs an input 'dy', the gradient of its output 'y'"},
    {"contract f_backward(rows, cols)\n"
     "  input x[rows, cols], dy[rows, cols] : float\n"
     "  output g[rows, cols] : like x\n"
     "  adjoint of softmax\n"
     "  g[r, c] = dy[r, c]\n",
     "a.contract:4:3: the output 'g' of an 'adjoint of softmax' is 'd' and the name of a forward input"},
    {"contract f_backward(rows, cols)\n"
     "  input x[rows, cols], dy[rows, cols] : float\n"
     "  output dx[rows, cols] : like x\n"
     "  adjoint of sofmax\n"
     "  dx[r, c] = dy[r, c]\n",
     "a.contract:4:3: 'adjoint of sofmax' names no contract above this one or in the library; did you mean "
     "softmax or max?"},
    {"contract f(n)\n"
     "  \"a summary\n",
     "a.contract:2:3: this string has no end; close it with '\"' on the same line"},
    {F "  y[i] = x[i] & 1\n", "a.contract:4:15: unexpected character '&'"},
    {F "  y[i] = 0.12345678901234567890\n",
     "a.contract:4:10: 0.12345678901234567890 has more than 18 significant digits"},
    {"contract f(n)\n"
     "  input sum[n] : float\n",
     "a.contract:2:9: 'sum' is a word of the language; choose another name"},
    {"contract f(n)\n"
     "  input x[n] : float\n"
     "  output y[n] : index(n)\n"
     "  y[i] = argmax(x[j] for j if j < i)\n",
     "a.contract:4:10: 'argmax' runs over one index from 0, without a guard"},
    {"contract f(n; k = 1.5)\n"
     "  input x[n] : float\n"
     "  output y[n] : like x\n"
     "  y[i] = x[i // k]\n",
     "a.contract:1:19: 'k' is used as an integer; its default must be one"},
    {"contract f(n; k = n)\n"
     "  input x[n] : float\n"
     "  output y[n] : like x\n"
     "  y[i] = k * x[i]\n",
     "a.contract:1:19: the default of 'k' must be a number"},
    {F "  y[i] = y[i]\n",
     "a.contract:4:10: the recursion of 'y' does not descend: y[i] depends on 'y' again; one index of every "
     "such read must be smaller, or in all of them larger, by a constant, as in y[i-1], with a base case "
     "such "
     "as y[-1] = 0"},
    {F "  y[i] = x\n", "a.contract:4:10: 'x' has 1 index, here 0; nothing is broadcast"},
    {F "  y[i] = n[i] * x[i]\n", "a.contract:4:10: 'n' is a single number; it has no indices"},
    {F "  z[i] = x[i]\n"
       "  y[i] = z[i - 1 else 0]\n",
     "a.contract:5:10: 'else' answers an index out of range of an input; 'z' is an equation"},
    {F "  y[i] = count(x[i] for i)\n",
     "a.contract:4:25: the index 'i' is bound already; choose another name"},
    {F "  profile gpu accuracy exp 1 ulp\n"
       "  y[i] = exp(x[i])\n",
     "a.contract:4:11: expected 'cpu', found 'gpu'; 'profile cpu' stands before a clause that only PyTorch's "
     "CPU needs"},
    {F "  y[i] = exp\n", "a.contract:4:10: 'exp' is a function; give its arguments in ( )"},
};

TEST(ContractErrors, SayWhatIsWrongAndWhere) {
  for (const Wrong& wrong : kWrong) {
    const auto parsed = parse_contracts(wrong.text, "a.contract");
    ASSERT_FALSE(parsed) << wrong.text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::usage);
    EXPECT_EQ(parsed.error().message, wrong.message) << wrong.text;
  }
}

TEST(ContractErrors, CutTextsAndLongChainsEndInAnErrorOrAContract) {
  const Contract contract = *load_contract("cross_entropy");
  const std::string text(contract.source());
  for (std::size_t n = 0; n <= text.size(); ++n) parse_contracts(text.substr(0, n), "cut");
  const std::string nested = std::string(5000, '(') + "1" + std::string(5000, ')');
  EXPECT_FALSE(parse_contracts("contract f(n)\n input x[n] : float\n output y[n] : like x\n y[i] = " + nested,
                               "deep"));
  std::string chain = "x[i]";
  for (int i = 0; i < 20000; ++i) chain += " + x[i]";
  EXPECT_FALSE(
      parse_contracts("contract f(n)\n input x[n] : float\n output y[n] : like x\n y[i] = " + chain, "long"));
}

TEST(ContractErrors, UnknownLibraryNamesListTheNearest) {
  const auto contract = load_contract("sofmax");
  ASSERT_FALSE(contract);
  EXPECT_NE(contract.error().message.find("softmax"), std::string::npos) << contract.error().message;
  EXPECT_FALSE(load_contract("no/such/file.contract"));
}

TEST(ContractErrors, WhereNamesDimensionsAndAttributesOnly) {
  const Contract contract = *load_contract("layer_norm");
  const auto message = [&](const char* text) {
    const auto where = Where::parse(contract, text);
    return where ? std::string() : where.error().message;
  };
  EXPECT_EQ(message("cols % 4 == 0, cols <= 4096, eps > 0"), "");
  EXPECT_EQ(message(""), "");
  EXPECT_EQ(message("colz == 4").substr(0, 35), "--where:1:1: unknown name 'colz'; d");
  EXPECT_EQ(message("cols"),
            "--where:1:1: expected a condition over dimensions and attributes, found cols, an integer; write "
            "cols != 0");
  EXPECT_EQ(message("cols == 4 rows == 2"),
            "--where:1:11: expected ',' or the end of the condition, found 'rows'");
  EXPECT_EQ(message("cols / 2 == 1"), "");
}

}  // namespace
}  // namespace assay
