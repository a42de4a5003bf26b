#include "core/reproducer.h"

#include <gtest/gtest.h>

#include "core/text.h"
#include "tests/core/sample.h"

namespace assay {
namespace {

Reproducer sample(std::uint64_t seed) {
  Reproducer r;
  r.kernel = "kernels/softmax.cu";
  r.bind = seed % 2 ? "solve(x, y, rows*cols)" : "";
  r.gate = "CMP-01";
  r.where = seed % 3 ? "cols % 4 == 0, cols <= 4096" : "";
  r.found = "value at y[0, 1]: got 1 = 1";
  r.test = random_case(seed);
  return r;
}

TEST(Reproducer, SurvivesItsText) {
  const Signature signature = sample_signature();
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Reproducer r = sample(seed);
    const std::string text = print(r, signature);
    EXPECT_EQ(contract_named_in(text, "a.case").value(), "sample");
    const Expected<Reproducer> back = parse_reproducer(text, "a.case", signature);
    ASSERT_TRUE(back) << back.error().message << "\n" << text;
    EXPECT_EQ(*back, r) << text;
  }
}

TEST(Reproducer, KeepsOneLineALine) {
  Reproducer r = sample(1);
  r.found = "two\nlines";
  const Expected<Reproducer> back =
      parse_reproducer(print(r, sample_signature()), "a.case", sample_signature());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->found, "two lines");
}

constexpr std::string_view kGood = R"(assay case 1
# a comment
kernel    = k.cu
contract  = sample
gate      = EXC-01
dtype     = f16
dims      = rows=2 cols=33
input x   = fill normal, scale -3, order ascending, offset 1
input w   = fill grid
input t   = fill normal
output y  = offset 0
output loss = offset 2
plant x   = nan, row 0 from start, column 3 from end
seed      = 42
)";

TEST(Reproducer, ReadsWhatPeopleWrite) {
  const Expected<Reproducer> r = parse_reproducer(kGood, "a.case", sample_signature());
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->test.instance, (Instance{DType::f16, {2, 33}, {1e-5, -100}}));
  EXPECT_EQ(r->test.inputs[0], (InputRecipe{Fill::normal, -3, Order::ascending, 1}));
  EXPECT_EQ(r->test.plants, (std::vector<Plant>{{0, {false, 0}, {true, 3}, Special::nan}}));
}

TEST(Reproducer, DamageIsNamedByLineAndField) {
  struct Damage {
    std::string from, to, message;
  };
  const std::vector<Damage> table = {
      {"assay case 1", "PK", "a.case:1: not a case file: the first line is 'PK', expected 'assay case 1'"},
      {"dtype     = f16", "dtype = fp16", "a.case:6: dtype: 'fp16' is none of f64, f32, f16, bf16"},
      {"rows=2", "rows=two", "a.case:7: dims: rows: 'two' is no extent (an integer from 0 to 2^40 - 1)"},
      {"rows=2 ", "", "a.case:7: dims: 'rows' is missing"},
      {"rows=2", "row=2", "a.case:7: dims: contract sample has no 'row'; did you mean rows?"},
      {"fill normal, scale", "fill norml, scale",
       "a.case:8: input x: fill: unknown 'norml'; did you mean normal?"},
      {"scale -3", "scale 99", "a.case:8: input x: scale: '99' is no integer from -60 to 60"},
      {"input w ", "input v ", "a.case:9: contract sample has no input 'v'"},
      {"nan, row", "NaN, row", "a.case:13: plant x: unknown value 'NaN'; did you mean nan"},
      {"3 from end", "3 from middle",
       "a.case:13: plant x: expected 'column N from start' or 'column N from end'"},
      {"seed      = 42", "seed = -1", "a.case:14: seed: '-1' is no integer"},
      {"seed      = 42", "", "the line 'seed = ...' is missing"},
      {"seed      = 42", "sed = 42", "a.case:14: unknown field 'sed'; did you mean seed?"},
      {"gate      = EXC-01", "gate =", "a.case:5: gate: is empty"},
      {"gate      = EXC-01", "gate", "a.case:5: expected 'key = value', found 'gate'"},
      {"# a comment", "seed = 1", "a.case:14: 'seed' is given twice"},
  };
  for (const Damage& damage : table) {
    std::string text(kGood);
    text.replace(text.find(damage.from), damage.from.size(), damage.to);
    const Expected<Reproducer> r = parse_reproducer(text, "a.case", sample_signature());
    ASSERT_FALSE(r) << damage.to;
    EXPECT_NE(r.error().message.find(damage.message), std::string::npos) << r.error().message;
  }
}

TEST(Text, SuggestsWhatIsNear) {
  const std::vector<std::string> names = {"softmax", "log_softmax", "sum", "gelu", "layer_norm"};
  EXPECT_EQ(suggestion("softmx", names), "; did you mean softmax?");
  EXPECT_EQ(nearest("layernorm", names), (std::vector<std::string>{"layer_norm"}));
  EXPECT_EQ(suggestion("zzzzzzz", {"a"}), "; known: a");
}

}  // namespace
}  // namespace assay
