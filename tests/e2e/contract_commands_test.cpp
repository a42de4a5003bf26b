// explain, equal and fmt: what works on contracts alone.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"

namespace assay::e2e {
namespace {

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

constexpr const char* kUntidy =
    "contract f(n,m)\n"
    "input x[n, m] : float   # data\n"
    "output y[n, m] : like x\n"
    "where m >= 1\n"
    "y[r, c] = exp(x[r, c])/sum(exp(x[r, j]) for j)\n";

TEST(ContractCommands, ExplainSaysWhichGatesApply) {
  const Folder folder;
  const Result softmax = assay({"explain", "softmax"}, folder.path());
  EXPECT_EQ(softmax.code, 0) << softmax.err;
  EXPECT_TRUE(has(softmax.out, "e[r, c] = exp(x[r, c] - m[r])")) << softmax.out;
  EXPECT_TRUE(has(softmax.out, "does not apply: the contract is not the adjoint of another one"));
  const Result unknown = assay({"explain", "sofmax"}, folder.path());
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err, "did you mean softmax")) << unknown.err;
}

TEST(ContractCommands, EqualNamesTheElementThatDiffers) {
  const Folder folder;
  folder.write("f.contract", kUntidy);
  const Result ordinary =
      assay({"equal", "softmax", "f.contract", "--gates", "CMP-01", "--cases", "50"}, folder.path());
  EXPECT_EQ(ordinary.code, 0) << ordinary.out << ordinary.err;
  EXPECT_TRUE(has(ordinary.out, "softmax and f agree in ")) << ordinary.out;
  // exp(inf) / exp(inf) is no number, nor is inf - inf; but a finite value in such a row is 0 in one of them.
  const Result special = assay({"equal", "softmax", "f.contract", "--gates", "EXC-01"}, folder.path());
  EXPECT_EQ(special.code, 1) << special.out << special.err;
  EXPECT_TRUE(has(special.out, "first   nan")) << special.out;
  EXPECT_TRUE(has(special.out, "second  0")) << special.out;
}

TEST(ContractCommands, FmtWritesInPlaceAndChecks) {
  const Folder folder;
  folder.write("f.contract", kUntidy);
  EXPECT_EQ(assay({"fmt", "--check", "f.contract"}, folder.path()).code, 1);
  EXPECT_EQ(content(folder / "f.contract"), kUntidy);
  EXPECT_EQ(assay({"fmt", "f.contract"}, folder.path()).code, 0);
  EXPECT_TRUE(has(content(folder / "f.contract"), "contract f(n, m)\n  input  x[n, m] : float # data\n"))
      << content(folder / "f.contract");
  const Result again = assay({"fmt", "--check", "f.contract"}, folder.path());
  EXPECT_EQ(again.code, 0) << again.out;
}

TEST(ContractCommands, TheCertificateIsInBothReports) {
  const Folder folder;
  const Result result = assay_running({"check", control("positive/softmax_three_pass.cu"), "--contract",
                                       "softmax", "--certificate", "--cases", "200", "--json", "r.json"},
                                      folder.path());
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(has(result.out, "worth      the cases it passed (")) << result.out;
  const auto json = nlohmann::json::parse(content(folder / "r.json"));
  const auto& certificate = json["certificate"];
  EXPECT_TRUE(has(result.out, certificate["text"].get<std::string>())) << certificate["text"];
  EXPECT_GT(certificate["rejected"], 15);
  EXPECT_EQ(certificate["untried"], 0);
  for (const auto& imposter : certificate["imposters"]) {
    EXPECT_TRUE(imposter["fate"] != "rejected" || imposter["gate"].is_string()) << imposter;
    const bool named = has(result.out, "survivor: " + imposter["fault"].get<std::string>());
    EXPECT_EQ(named, imposter["fate"] == "survived") << imposter;
  }
}

}  // namespace
}  // namespace assay::e2e
