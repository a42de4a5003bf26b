#include "properties/hints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "gates/execute.h"
#include "properties/generate.h"
#include "properties/target.h"
#include "tests/gates/fake.h"

namespace assay {
namespace {

using fake::subject;
using Extents = std::vector<std::int64_t>;

TEST(SizeHints, AreTheIntegersOfTheCode) {
  EXPECT_EQ(size_hints("if (cols == 768) f<5120u>(0x80, 1, 2'048);"), (Extents{128, 768, 2048, 5120}));
  EXPECT_EQ(size_hints("a << 12; b = 1 << 12; c = 48 * 1024; 1e5f; 3.5; 70001; x512;"),
            (Extents{12, 48, 1024, 4096, 49152}));
  EXPECT_EQ(size_hints("// 77\n/* 78 */ \"79\" '\\0';\n#define TILE 80\n"), (Extents{80}));
  EXPECT_TRUE(size_hints("").empty());
  EXPECT_EQ(size_hints("99999999999999999999 * 4 << 70000"), (Extents{4, 70000}));
}

Binding binding_of(std::vector<std::string> expressions) {
  Binding binding;
  for (std::string& text : expressions) binding.arguments.push_back({Argument::Kind::expression, 0, text});
  return binding;
}

TEST(PassedAttributes, AreThoseThatEveryBindingNames) {
  const Signature signature = load_contract("group_norm")->signature();  // groups, eps
  const auto passed = [&](std::vector<Binding> bindings) { return passed_attributes(signature, bindings); };
  EXPECT_EQ(passed({binding_of({"n", "ch / groups", "eps"})}), (std::vector<bool>{true, true}));
  EXPECT_EQ(passed({binding_of({"n", "my_eps", "groups2"})}), (std::vector<bool>{false, false}));
  EXPECT_EQ(passed({binding_of({"eps"}), binding_of({"2*eps", "groups"})}), (std::vector<bool>{false, true}));
  EXPECT_EQ(passed({}), (std::vector<bool>{false, false}));
}

// What n cases of a gate look like.
std::vector<Case> drawn(const Subject& s, std::string_view gate, std::uint64_t n) {
  std::vector<Case> result;
  for (std::uint64_t i = 0; i < n; ++i) result.push_back(draw_case(s, *find_gate(gate), 1, i));
  return result;
}

TEST(DrawCase, AttributesVaryWhereTheKernelIsGivenThem) {
  for (const auto& [contract, fallback] : std::map<std::string, double>{
           {"layer_norm", 1e-5}, {"cross_entropy", -100}, {"leaky_relu", 0.01}, {"sdpa", 0}}) {
    Subject s = subject(contract);
    for (const Case& c : drawn(s, "CMP-01", 200)) EXPECT_EQ(c.instance.attributes[0], fallback) << contract;
    s.passed_attributes = {true};
    std::map<double, int> seen;
    for (const Case& c : drawn(s, "CMP-01", 800)) ++seen[c.instance.attributes[0]];
    EXPECT_GE(seen.size(), contract == "sdpa" ? 2u : 4u) << contract;
    EXPECT_GE(seen[fallback], 800 * 2 / 3) << contract;
    EXPECT_LE(seen[fallback], 800 * 5 / 6) << contract;
    s.passed_attributes = {false};
    for (const Case& c : drawn(s, "CMP-01", 200)) EXPECT_EQ(c.instance.attributes[0], fallback) << contract;
  }
}

// Ends of the domain, 0, 1 and -1 where it has them, and what is far out; never what it has not.
TEST(DrawCase, AttributesReachTheEndsOfTheirDomains) {
  struct Wanted {
    const char* contract;
    std::vector<double> some, none;
  };
  for (const Wanted& w :
       {Wanted{"elu", {0, -1, 0.5, 1e30, 1e-30}, {}}, Wanted{"layer_norm", {0, 1, 1e-30, 1e30}, {-1}},
        Wanted{"huber_loss", {0.25, 1e-30}, {0, -1}}, Wanted{"hardtanh", {0, 1, -2}, {1.5}},
        Wanted{"var", {0}, {0.5, 2, -1}}}) {
    Subject s = subject(w.contract);
    s.passed_attributes.assign(s.contract.signature().attributes.size(), true);
    std::map<double, int> seen;
    for (const Case& c : drawn(s, "CMP-01", 1600)) ++seen[c.instance.attributes[0]];
    for (const double value : w.some) EXPECT_GE(seen[value], 1) << w.contract << " " << value;
    for (const double value : w.none)
      EXPECT_EQ(seen.count(value) ? seen[value] : 0, 0) << w.contract << " " << value;
  }
}

TEST(DrawCase, AnIgnoreValueMayBeOneOfTheIndices) {
  Subject s = subject("cross_entropy");
  s.passed_attributes = {true};
  int inside = 0;
  for (const Case& c : drawn(s, "CMP-03", 400)) {
    ASSERT_TRUE(in_domain(c, s));
    inside += c.instance.attributes[0] >= 0 && c.instance.attributes[0] < c.instance.dims[1];
  }
  EXPECT_GE(inside, 20);
}

TEST(DrawCase, HintsReachTheNumbersOfTheSource) {
  Subject s = subject("softmax");
  s.hints = {32, 256, 768, 4096, 65535};
  for (const char* gate : {"CMP-01", "CMP-03", "EXC-01", "EXC-02", "ORD-01"}) {
    std::map<std::int64_t, int> cols;
    std::int64_t past = 0, far = 0;
    for (const Case& c : drawn(s, gate, 4000)) {
      const std::int64_t n = c.instance.dims[1];
      ++cols[n];
      past += n > 4096;
      far += n > 65535;
      ASSERT_TRUE(in_domain(c, s));
    }
    EXPECT_GE(cols[768], 10) << gate;
    EXPECT_GE(past, 50) << gate;
    EXPECT_GE(far, 1) << gate;
    if (find_gate(gate)->draw(s).sizes == Sizes::friendly) continue;  // no neighbours
    EXPECT_GE(cols[767], 1) << gate;
    EXPECT_GE(cols[4097], 1) << gate;
  }
}

TEST(DrawCase, LongRowsNeedNoHint) {
  const Subject s = subject("softmax");
  for (const char* gate : {"CMP-01", "CMP-03", "EXC-01", "EXC-02"}) {
    int rows = 0, odd = 0, past_12k = 0;
    for (const Case& c : drawn(s, gate, 4800)) {
      const Dims& dims = c.instance.dims;
      if (dims[1] <= 1025 || dims[0] > 2) continue;
      ++rows;
      odd += dims[1] % 8 != 0;
      past_12k += dims[1] > 12000;
    }
    EXPECT_GE(rows, 100) << gate;
    EXPECT_LE(rows, 300) << gate;
    EXPECT_GE(past_12k, 3) << gate;
    EXPECT_EQ(odd > 0, gate != std::string("CMP-01")) << gate;
  }
}

TEST(DrawCase, AllExtentsAreLargeTogetherNowAndThen) {
  const Subject s = subject("matmul");
  int large = 0, cubes = 0;
  for (const Case& c : drawn(s, "CMP-01", 4000)) {
    large += std::all_of(c.instance.dims.begin(), c.instance.dims.end(), [](auto n) { return n >= 64; });
    cubes += c.instance.dims == Dims{128, 128, 128};
  }
  EXPECT_GE(large, 20);
  EXPECT_LE(large, 120);
  EXPECT_GE(cubes, 4);
}

TEST(DrawCase, MostCasesStaySmallWithHints) {
  Subject s = subject("softmax");
  s.hints = {32, 256, 4096};
  std::vector<std::int64_t> sizes;
  for (const Case& c : drawn(s, "CMP-03", 801)) sizes.push_back(elements(*shapes_of(s.contract, c.instance)));
  std::sort(sizes.begin(), sizes.end());
  EXPECT_LE(sizes[400], 800);
  EXPECT_LE(sizes[640], 4096);
}

TEST(Plan, TellsWhatTheSourceNamesAndTheKernelIsGiven) {
  const auto path = std::filesystem::path(testing::TempDir()) / "assay_hints.cu";
  std::ofstream(path) << "extern \"C\" void solve(const float* x, const float* w, const float* b, float* y,\n"
                         "                      int rows, int cols, float eps) { if (cols > 768) return; }\n";
  for (const auto& [bind, passed] : {std::pair{"solve(x, w, b, y, rows, cols, eps)", true},
                                     std::pair{"solve(x, w, b, y, rows, cols, 1)", false}}) {
    TargetOptions options;
    options.kernel = path;
    options.contract = "layer_norm";
    options.bind = bind;
    const auto found = plan(options);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->subject.passed_attributes, std::vector<bool>{passed});
    EXPECT_EQ(found->subject.hints, (Extents{768}));
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace assay
