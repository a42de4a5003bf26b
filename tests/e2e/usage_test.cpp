// Every message about a bad input says what is wrong, where, and what would be right.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "tests/e2e/program.h"

namespace assay::e2e {
namespace {

using Words = std::vector<std::string>;

struct Bad {
  std::string name;
  Words arguments;
  Words says;  // all of it, on stderr
};

void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.name;
}

class BadUsage : public testing::TestWithParam<Bad> {};

TEST_P(BadUsage, IsExplained) {
  const Folder folder;
  folder.write("mine.contract", "contract mine(x) ->");
  folder.write("empty.cu", "// nothing here\n");
  folder.write("broken.cu",
               "extern \"C\" void solve(const float* x, float* y, long n) {\n  for (long i = 0; i < n; ++i) "
               "y[i] = xx[i];\n}\n");
  folder.write("softmax.cu", "");
  folder.write("damaged.case", "assay case 1\ncontract = softmax\nseed = many\n");
  folder.write("empty.case", "");
  folder.write("kind/a.cu", "// control: positve\n// contract: relu\n");
  folder.write("headless/a.cu",
               "\x7f"
               "ELF\x02\x01 // control: positive\n");
  folder.write("gate/a.cu", "// control: negative\n// contract: relu\n// gate: CMP-1\n// fault: x\n");
  folder.write("gateless/a.cu", "// control: negative\n// contract: relu\n// fault: x\n");
  folder.write("field/a.cu", "// control: positive\n// contrat\x01: relu\n");
  const auto case_of = [](const std::string& dims, const std::string& where) {
    return "assay case 1\nkernel = " + control("positive/softmax_three_pass.cu") +
           "\ncontract = softmax\nwhere = " + where + "\ngate = CMP-01\ndtype = f32\ndims = " + dims +
           "\ninput x = fill normal, scale 0, order drawn, offset 0\noutput y = offset 0\nseed = 3\n";
  };
  folder.write("large.case", case_of("rows=3000000000 cols=2", ""));
  folder.write("outside.case", case_of("rows=2 cols=5", "rows > 1, cols % 4 == 0"));
  const Result result = assay(GetParam().arguments, folder.path());
  EXPECT_EQ(result.code, 2) << result.out << result.err;
  for (const std::string& words : GetParam().says)
    EXPECT_NE(result.err.find(words), std::string::npos) << "'" << words << "' is not in: " << result.err;
}

const std::string right = control("positive/softmax_three_pass.cu");

INSTANTIATE_TEST_SUITE_P(
    All, BadUsage,
    testing::Values(
        Bad{"NoCommand", {}, {"check, fuzz, replay, shrink, prune, coverage, list, controls"}},
        Bad{"UnknownCommand", {"chek"}, {"chek", "check"}},
        Bad{"KernelAsCommand", {"softmax.cu"}, {"check softmax.cu --contract NAME"}},
        Bad{"NoKernel", {"check", "--contract", "softmax"}, {"KERNEL.cu"}},
        Bad{"TwoKernels", {"check", "a.cu", "b.cu", "--contract", "softmax"}, {"a.cu", "b.cu"}},
        Bad{"NoSuchKernel",
            {"check", "softmx.cu", "--contract", "softmax"},
            {"softmx.cu", "no such file", "softmax.cu"}},
        Bad{"NoSuchFolder", {"check", "nowhere/k.cu", "--contract", "softmax"}, {"no such folder nowhere"}},
        Bad{"FolderAsKernel", {"check", ".", "--contract", "softmax"}, {"is a folder", ".cu"}},
        Bad{"ContractAsKernel",
            {"check", "mine.contract", "--contract", "softmax"},
            {"is a contract", "--contract"}},
        Bad{"CaseAsKernel", {"check", "damaged.case", "--contract", "softmax"}, {"saved case", "replay"}},
        Bad{"NoContract", {"check", right}, {"--contract", "softmax", "layer_norm"}},
        Bad{"UnknownContract", {"check", right, "--contract", "sofmax"}, {"sofmax", "softmax"}},
        Bad{"KernelAsContract",
            {"check", right, "--contract", "softmax.cu"},
            {"softmax.cu", "CUDA source", ".contract"}},
        Bad{"NoSuchContractFile", {"check", right, "--contract", "none.contract"}, {"none.contract"}},
        Bad{"BrokenContract", {"check", right, "--contract", "mine.contract"}, {"mine.contract:1:"}},
        Bad{"UnknownFlag", {"check", right, "--contract", "softmax", "--case", "5"}, {"--case", "--cases"}},
        Bad{"FlagWithoutValue", {"check", right, "--contract"}, {"--contract", "value"}},
        Bad{"FlagTwice",
            {"check", right, "--contract", "softmax", "--seed", "1", "--seed", "2"},
            {"--seed", "twice"}},
        Bad{"CasesNoNumber",
            {"check", right, "--contract", "softmax", "--cases", "many"},
            {"--cases", "many", "integer"}},
        Bad{"CasesZero", {"check", right, "--contract", "softmax", "--cases", "0"}, {"--cases", "from 1"}},
        Bad{"NoDuration", {"check", right, "--contract", "softmax", "--for", "30"}, {"--for", "30s"}},
        Bad{"CasesAndTime",
            {"check", right, "--contract", "softmax", "--for", "3s", "--cases", "3"},
            {"--cases", "--for", "exclude"}},
        Bad{"SeedNegative", {"check", right, "--contract", "softmax", "--seed=-1"}, {"--seed", "-1"}},
        Bad{"UnknownGate",
            {"check", right, "--contract", "softmax", "--gates", "CMP-01,EXC-03"},
            {"EXC-03", "EXC-02"}},
        Bad{"UnknownAllowance",
            {"check", right, "--contract", "softmax", "--allow", "tf23"},
            {"tf23", "tf32"}},
        Bad{"UnknownDtype",
            {"check", right, "--contract", "softmax", "--dtype", "f8"},
            {"--dtype", "f8", "f16"}},
        Bad{"UnknownExecutor",
            {"check", right, "--contract", "softmax", "--executor", "gpu"},
            {"--executor", "gpu", "cuda"}},
        Bad{"BadWhere",
            {"check", right, "--contract", "softmax", "--where", "columns % 4 == 0"},
            {"columns", "cols"}},
        Bad{"BindUnknownEntry",
            {"check", right, "--contract", "softmax", "--bind", "solv(x, y, rows, cols)"},
            {"solv", "softmax_three_pass.cu"}},
        Bad{"BindTooFew", {"check", right, "--contract", "softmax", "--bind", "solve(x)"}, {"solve"}},
        Bad{"BindUnknownName",
            {"check", right, "--contract", "softmax", "--bind", "solve(x, z, rows, cols)"},
            {"z"}},
        Bad{"BindDividesByZero",
            {"check", right, "--contract", "softmax", "--bind", "solve(x, y, rows//(2-2), cols)"},
            {"division by zero", "rows//(2-2)"}},
        Bad{"ControlOfNoKind",
            {"controls", "--dir", "kind"},
            {"kind/a.cu:1:", "control: 'positve' is none of positive, negative"}},
        Bad{"ControlWithoutAHead",
            {"controls", "--dir", "headless"},
            {"headless/a.cu", "the line '// control: positive' or '// control: negative' is missing"}},
        Bad{"ControlOfUnknownGate",
            {"controls", "--dir", "gate"},
            {"gate/a.cu:3:", "gate: unknown gate 'CMP-1'", "CMP-01"}},
        Bad{"ControlWithoutAGate", {"controls", "--dir", "gateless"}, {"gateless/a.cu", "'// gate: ID'"}},
        Bad{"ControlOfUnknownField",
            {"controls", "--dir", "field"},
            {"field/a.cu:2:", "unknown field 'contrat?'", "contract"}},
        Bad{"FolderAsContract", {"check", right, "--contract", "."}, {"--contract", "is a folder"}},
        Bad{"NoEntryPoint", {"check", "empty.cu", "--contract", "relu"}, {"empty.cu", "entry"}},
        Bad{"JsonIsFolder", {"check", right, "--contract", "softmax", "--json", "."}, {"--json", "folder"}},
        Bad{"JsonIsKernel",
            {"check", "broken.cu", "--contract", "relu", "--json", "broken.cu"},
            {"--json", "broken.cu is an input"}},
        Bad{"JunitIsContract",
            {"check", right, "--contract", "mine.contract", "--junit", "./mine.contract"},
            {"--junit", "is an input"}},
        Bad{"BothReportsInOneFile",
            {"check", right, "--contract", "softmax", "--json", "r", "--junit", "r"},
            {"--json and --junit", "both"}},
        Bad{"OutCannotBeMade",
            {"check", right, "--contract", "softmax", "--out", "/proc/x"},
            {"--out", "/proc is not writable"}},
        Bad{"EmptyWhere", {"check", right, "--contract", "softmax", "--where", " "}, {"--where", "empty"}},
        Bad{"EmptyDomain",
            {"check", right, "--contract", "softmax", "--where", "cols < 1, rows > 0"},
            {"domain is empty", "cols < 1, rows > 0"}},
        Bad{"ReplayTooLarge", {"replay", "large.case"}, {"large.case", "dims", "MiB"}},
        Bad{"ReplayOutsideTheDomain",
            {"replay", "outside.case"},
            {"outside.case", "dims", "cols % 4 == 0 does not hold"}},
        Bad{"OutIsFile",
            {"check", right, "--contract", "softmax", "--out", "empty.cu"},
            {"--out", "empty.cu"}},
        Bad{"ReplayNothing", {"replay"}, {"FILE.case"}},
        Bad{"ReplayNoSuchFile", {"replay", "none.case"}, {"none.case", "No such file"}},
        Bad{"ReplayKernel", {"replay", "softmax.cu"}, {"softmax.cu"}},
        Bad{"ReplayDamaged", {"replay", "damaged.case"}, {"damaged.case:3", "seed", "many"}},
        Bad{"ReplayEmpty", {"replay", "empty.case"}, {"empty.case:1", "empty"}},
        Bad{"ShrinkDamaged", {"shrink", "damaged.case"}, {"damaged.case:3", "seed"}},
        Bad{"ListNothing", {"list"}, {"contracts, gates or controls"}},
        Bad{"ListUnknown", {"list", "gate"}, {"gate", "gates"}},
        Bad{"UnknownControl", {"controls", "softmax_nomax"}, {"softmax_nomax", "softmax_no_max"}},
        Bad{"ControlsNowhere", {"controls", "--dir", "nowhere"}, {"nowhere"}}),
    [](const testing::TestParamInfo<Bad>& info) { return info.param.name; });

TEST(Binding, ADivisionByZeroOnACaseIsTheUsersMistake) {
  const Folder folder;
  const Result result =
      assay_running({"check", right, "--contract", "softmax", "--bind",
                     "solve(x, y, rows, cols // (cols - 1) * (cols - 1) + cols % (cols - 1))"},
                    folder.path());
  EXPECT_EQ(result.code, 2) << result.out << result.err;
  EXPECT_NE(
      result.out.find("--bind: `cols // (cols - 1) * (cols - 1) + cols % (cols - 1)`: division by zero at"),
      std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("--where"), std::string::npos) << result.out;
}

TEST(Cuda, WithoutAGpuEveryCommandSaysSo) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);  // where there is one, it is hidden
  const Folder folder;
  folder.write("a.case", "assay case 1\nkernel = " + right +
                             "\ncontract = softmax\ngate = CMP-01\ndtype = f32\ndims = rows=1 cols=2\n"
                             "input x = fill normal, scale 0, order drawn, offset 0\noutput y = offset 0\n"
                             "seed = 3\n");
  for (const Words& words : {Words{"check", right, "--contract", "softmax"}, Words{"replay", "a.case"},
                             Words{"shrink", "a.case"}}) {
    Words with_cuda = words;
    with_cuda.insert(with_cuda.end(), {"--executor", "cuda"});
    const Result result = assay_running(with_cuda, folder.path());
    EXPECT_EQ(result.code, 3) << words[0] << result.out << result.err;
    EXPECT_NE(result.err.find("assay " + words[0] + ": "), std::string::npos) << result.err;
    const bool says =
        result.err.find("GPU") != std::string::npos || result.err.find("CUDA") != std::string::npos;
    EXPECT_TRUE(says) << result.err;
  }
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST(Json, HoldsNanAndInfinitiesAsStrings) {
  const Folder folder;
  const Result result = assay_running({"check", control("negative/max_fmaxf.cu"), "--contract", "max",
                                       "--gates", "EXC-01", "--cases", "40", "--json", "-"},
                                      folder.path());
  EXPECT_EQ(result.code, 1) << result.err;
  const nlohmann::json report = nlohmann::json::parse(result.out);
  const nlohmann::json& evidence = report["findings"][0]["evidence"];
  EXPECT_EQ(evidence["got"], "-inf") << evidence;
  EXPECT_EQ(evidence["truth"], "nan") << evidence;
  EXPECT_EQ(evidence["high"], nullptr) << evidence;
}

TEST(Compiler, ItsOwnLinesAreAtTheUsersFile) {
  const Folder folder;
  folder.write("broken.cu",
               "extern \"C\" void solve(const float* x, float* y, long n) {\n"
               "  for (long i = 0; i < n; ++i) y[i] = xx[i];\n"
               "}\n");
  const Result result = assay_running({"check", "broken.cu", "--contract", "relu"}, folder.path());
  EXPECT_EQ(result.code, 2) << result.out << result.err;
  EXPECT_NE(result.err.find("broken.cu:2:"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("xx"), std::string::npos) << result.err;
}

TEST(Help, OfEachCommandIsEnough) {
  const Folder folder;
  for (const std::string command : {"check", "replay", "shrink", "list", "controls"}) {
    const Result result = assay({command, "--help"}, folder.path());
    EXPECT_EQ(result.code, 0) << result.err;
    for (const std::string& words :
         {"Usage: assay " + command, std::string("Examples:"), std::string("Exit codes:")})
      EXPECT_NE(result.out.find(words), std::string::npos) << "'" << words << "' is not in: " << result.out;
  }
  const Result all = assay({"--help"}, folder.path());
  EXPECT_EQ(all.code, 0);
  EXPECT_NE(all.out.find("controls"), std::string::npos);
}

TEST(List, NamesWhatThereIs) {
  const Folder folder;
  const Result contracts = assay({"list", "contracts"}, folder.path());
  EXPECT_EQ(contracts.code, 0) << contracts.err;
  for (const std::string name :
       {"relu", "gelu", "sigmoid", "add", "sum", "max", "argmax", "softmax", "log_softmax", "layer_norm",
        "rms_norm", "matmul", "cumsum", "transpose", "cross_entropy", "softmax_backward"})
    EXPECT_NE(("\n" + contracts.out).find("\n" + name + " "), std::string::npos) << name;
  const Result gates = assay({"list", "gates"}, folder.path());
  EXPECT_EQ(gates.code, 0) << gates.err;
  for (const std::string id : {"CMP-01", "CMP-02", "CMP-03", "ORD-01", "ORD-02", "ORD-03", "PRC-01", "PRC-02",
                               "EXC-01", "EXC-02", "RES-01", "RES-02"})
    EXPECT_NE(gates.out.find(id), std::string::npos) << id;
  const Result controls = assay({"list", "controls"}, folder.path());
  EXPECT_EQ(controls.code, 0) << controls.err;
  EXPECT_NE(controls.out.find("softmax_no_max"), std::string::npos) << controls.out;
}

}  // namespace
}  // namespace assay::e2e
