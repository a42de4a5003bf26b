#include "fuzz/standalone.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/text.h"
#include "fuzz/call.h"
#include "fuzz/standalone_program.h"
#include "gates/execute.h"
#include "kernels/libexec.h"
#include "properties/saved_case.h"

namespace assay::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMostInline = 256 << 10;  // bytes of contents that are written out
constexpr std::int64_t kMostBytes = 256 << 20;   // of a tensor
constexpr std::size_t kMostExceptions = 4096;    // elements that differ from the most frequent one
constexpr std::size_t kMostElements = 4096;      // judged elements: those that are wrong, then others
constexpr std::int64_t kMostIndices = 4096;      // values that an index may have

// What the program looks at, by the kind of the evidence.
struct Way {
  std::string_view check;       // an enumerator of the program's Check
  std::string_view tool;        // of compute-sanitizer, on a GPU; "-": a GPU need not show it
  std::string_view build = "";  // on the CPU: the one in which it shows, checked or race
};

Way way_of(std::string_view kind, Outcome outcome) {
  if (outcome == Outcome::hung) return {"hang", ""};
  if (kind == "unwritten") return {"unwritten", ""};
  if (kind == "overrun") return {"overrun", ""};
  if (kind == "input changed") return {"changed", ""};
  if (kind == "nondeterminism") return {"same_bits", "-"};
  if (kind == "refused") return {"refused", ""};
  if (kind == "out of bounds" || kind == "use after free" || kind == "misaligned")
    return {"diagnosed", "memcheck", "checked"};
  if (kind == "undefined behaviour") return {"diagnosed", "-", "checked"};
  if (kind == "race" || kind == "uninitialised read") return {"diagnosed", "-", "race"};
  if (kind == "barrier in divergent code" || kind == "invalid warp mask" || kind == "deadlock")
    return {"diagnosed", "synccheck"};
  if (kind == "wrong stream") return {"diagnosed", "-"};
  if (kind == "leak" || kind == "launch error" || kind == "limit exceeded") return {"diagnosed", ""};
  if (outcome == Outcome::crashed) return {"crash", "memcheck"};
  return {"elements", ""};
}

// Text inside of a string literal.
std::string escaped(std::string_view text) {
  std::string result;
  for (char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result +=
        static_cast<unsigned char>(letter) < 0x20 || static_cast<unsigned char>(letter) > 0x7e ? ' ' : letter;
  }
  return result;
}

std::string literal(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "HUGE_VAL" : "-HUGE_VAL";
  return fmt::format("{:a}", value);
}

std::string_view word_of(DType dtype) {
  switch (size_of(dtype)) {
    case 8:
      return "std::uint64_t";
    case 4:
      return "std::uint32_t";
    case 2:
      return "std::uint16_t";
    default:
      return "std::uint8_t";
  }
}

std::string word(DType dtype, std::uint64_t bits) {
  return fmt::format("0x{:0{}x}", bits, 2 * size_of(dtype));
}

// One program on its way.
class Program {
 public:
  Program(const Record& record, const Target& target, const fs::path& beside)
      : record_(record),
        target_(target),
        beside_(beside),
        signature_(target.subject.contract.signature()),
        gate_(*find_gate(record.gate)),
        way_(way_of(record.verdict.evidence.kind, record.verdict.outcome)) {}

  Expected<std::string> write(const RunnerFactory& runners) {
    if (auto problem = prepare()) return usage_error("{}", *problem);
    Expected<std::string> accepted = accepted_table(runners);
    if (!accepted) return accepted;
    Expected<std::string> tables = tensors_table();
    if (!tables) return tables;
    return header() + std::string(kProgramHead) + *tables + *accepted + settings() +
           std::string(kProgramBody) + the_call();
  }

 private:
  // Why there can be no program.
  std::optional<std::string> prepare() {
    const Case& c = record_.shrunk;
    if (record_.verdict.evidence.kind == "adjoint")
      return "an adjoint is judged by a sum over all outputs; 'replay' shows it";
    if (record_.verdict.evidence.detail.find("in a fresh process") != std::string::npos &&
        record_.verdict.outcome != Outcome::flaky)
      return "the fault needs a fresh process after other input; 'replay' shows it";
    const Expected<Shapes> shapes = shapes_of(target_.subject.contract, c.instance);
    if (!shapes) return shapes.error().message;
    for (const auto* specs : {&shapes->inputs, &shapes->outputs})
      for (const TensorSpec& spec : *specs) {
        double bytes = static_cast<double>(size_of(spec.dtype));
        for (std::int64_t n : spec.shape) bytes *= static_cast<double>(n);
        if (bytes > static_cast<double>(kMostBytes))
          return fmt::format(
              "the case is too large for a program: a tensor has {:.0f} MiB, at most {} MiB are "
              "written out",
              bytes / 0x1p20, kMostBytes >> 20);
      }
    Expected<Call> call = call_of(c, *shapes, target_);
    if (!call) return call.error().message;
    call_ = std::move(*call);
    realised_.emplace(realise(c, target_.subject));
    return std::nullopt;
  }

  // --- what is accepted

  // The program judges elements even where it looks for another fault: they tell the reader what is true.
  // Only where the elements are the fault must one of them be wrong.
  Expected<std::string> accepted_table(const RunnerFactory& runners) {
    std::vector<Tensor> outputs;
    if (way_.check == "elements") {
      auto runner = runners();
      if (!runner) return tl::unexpected(runner.error());
      RunResult result = (*runner)->run(launch_of(record_.shrunk, *realised_), Build::fast);
      outputs = std::move(result.outputs);
      if (outputs.empty())
        return usage_error("the kernel does not answer the case any more: {}", result.detail);
    } else {
      for (const TensorSpec& spec : realised_->shapes.outputs) outputs.emplace_back(spec.dtype, spec.shape);
    }
    Allowances allow = target_.subject.allow;
    allow.ties = !strict();
    Judge judge(target_.subject.contract, record_.shrunk.instance, realised_->inputs, allow);
    std::vector<std::pair<std::size_t, std::int64_t>> wrong, others;
    for (std::size_t output = 0; output < outputs.size(); ++output)
      for (std::int64_t i = 0; i < outputs[output].size() && others.size() < kMostElements; ++i) {
        const bool refused =
            way_.check == "elements" && is_wrong(judge.element(output, i, outputs[output].bits(i)));
        (refused ? wrong : others).emplace_back(output, i);
      }
    if (way_.check == "elements" && wrong.empty())
      return usage_error(
          "every element is accepted: what is wrong shows between several calls; 'replay' shows it");
    wrong.resize(std::min(wrong.size(), kMostElements));
    const std::size_t room = kMostElements - wrong.size();
    wrong.insert(wrong.end(), others.begin(),
                 others.begin() + static_cast<std::ptrdiff_t>(std::min(others.size(), room)));
    std::sort(wrong.begin(), wrong.end());

    std::string rows;
    std::size_t count = 0;
    for (const auto& [output, i] : wrong)
      for (const std::string& row : accepted_rows(judge, output, i)) rows += row, ++count;
    if (count == 0) rows = "    {0, 0, 0, 0, 0, 0},\n";
    return fmt::format(
        "// Output, element, accepted classes of values, true value, least and greatest accepted finite "
        "value.\n"
        "const Accepted accepted[] = {{\n{}}};\nconst std::size_t accepted_count = {};\n\n",
        rows, count);
  }

  // Zero signs and ties are a gate's own question.
  bool strict() const { return gate_.id == "EXC-02"; }

  bool is_wrong(const ElementReport& report) const {
    return report.ruling == Ruling::refused && (strict() || report.reason != Reason::zero_sign);
  }

  std::vector<std::string> accepted_rows(Judge& judge, std::size_t output, std::int64_t i) const {
    const TensorSpec& spec = realised_->shapes.outputs[output];
    const auto row = [&](unsigned classes, const ElementReport& r, double low, double high) {
      return fmt::format("    {{{}, {}, {}, {}, {}, {}}},\n", output, i, classes, literal(r.truth),
                         literal(low), literal(high));
    };
    constexpr unsigned kNan = 1, kPosInf = 2, kNegInf = 4, kFinite = 8, kPosZero = 16, kNegZero = 32;
    if (!is_float(spec.dtype)) {
      const ElementReport r = judge.element(output, i, encode_integer(spec.dtype, 0));
      if (r.ruling == Ruling::undecidable || r.high - r.low > static_cast<double>(kMostIndices)) return {};
      std::vector<std::string> rows;
      for (auto k = static_cast<std::int64_t>(r.low); k <= static_cast<std::int64_t>(r.high); ++k)
        if (const ElementReport at = judge.element(output, i, encode_integer(spec.dtype, k));
            at.ruling == Ruling::accepted)
          rows.push_back(row(kFinite | kPosZero, at, static_cast<double>(k), static_cast<double>(k)));
      return rows;
    }
    const auto allows_zero = [&](double zero) {
      return !strict() || judge.element(output, i, encode(spec.dtype, zero)).reason != Reason::zero_sign;
    };
    const ElementReport r = judge.element(output, i, encode(spec.dtype, 1.0));
    if (r.ruling == Ruling::undecidable) return {};
    const unsigned classes = (r.nan_allowed ? kNan : 0) | (r.pos_inf_allowed ? kPosInf : 0) |
                             (r.neg_inf_allowed ? kNegInf : 0) | (r.finite_allowed ? kFinite : 0) |
                             (allows_zero(0.0) ? kPosZero : 0) | (allows_zero(-0.0) ? kNegZero : 0);
    return {row(classes, r, r.low, r.high)};
  }

  // --- tensors

  Expected<std::string> contents(const Tensor& tensor, const std::string& name) const {
    const DType dtype = tensor.dtype();
    std::string text;
    if (static_cast<std::int64_t>(tensor.size_bytes()) <= kMostInline) {
      for (std::int64_t i = 0; i < tensor.size(); ++i)
        text += (i % 8 == 0 ? "\n    " : " ") + word(dtype, tensor.bits(i)) + ",";
      return fmt::format("const {} {}_bits[] = {{{}}};\n", word_of(dtype), name,
                         tensor.size() == 0 ? "0" : text + "\n");
    }
    // Large ones: one element over and over, and those that differ.
    std::map<std::uint64_t, std::int64_t> counts;
    for (std::int64_t i = 0; i < tensor.size() && counts.size() <= kMostExceptions; ++i)
      ++counts[tensor.bits(i)];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::int64_t exceptions = tensor.size() - most->second;
    if (counts.size() > kMostExceptions || exceptions > static_cast<std::int64_t>(kMostExceptions))
      return usage_error(
          "the case is too large for a program: {} has {} KiB of contents, at most {} KiB are written out",
          name, tensor.size_bytes() >> 10, kMostInline >> 10);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
      if (tensor.bits(i) != most->first)
        text += fmt::format("\n    {{{}, {}}},", i, word(dtype, tensor.bits(i)));
    return fmt::format(
        "const auto {}_all = filled<{}>({}, {}, {{{}}});\nconst void* const {}_bits = {}_all.data();\n", name,
        word_of(dtype), tensor.size(), word(dtype, most->first), text, name, name);
  }

  Expected<std::string> tensors_table() const {
    std::string text, rows;
    for (std::size_t k = 0; k < call_.types.size(); ++k) {
      const bool is_input = k < signature_.inputs.size();
      const std::size_t i = is_input ? k : k - signature_.inputs.size();
      const TensorSignature& tensor = is_input ? signature_.inputs[i] : signature_.outputs[i];
      const TensorSpec& spec = is_input ? realised_->shapes.inputs[i] : realised_->shapes.outputs[i];
      if (is_input) {
        const Expected<std::string> bits =
            contents(as_taken(realised_->inputs[i], call_.types[k]), tensor.name);
        if (!bits) return bits;
        text += *bits;
      }
      rows += fmt::format("    {{\"{}\", {}, {{{}}}, {}, {}}},\n", tensor.name,
                          name(call_.types[k]) == "bool" ? "boolean" : name(call_.types[k]),
                          fmt::join(spec.shape, ", "), realised_->offsets[k] % 256,
                          is_input ? tensor.name + "_bits" : "nullptr");
    }
    return fmt::format(
        "// {}\n{}\n// Name, type, shape, bytes of the address beyond a 256-byte boundary, contents.\n"
        "const std::vector<Tensor> tensors = {{\n{}}};\nconst std::size_t input_count = {};\n\n",
        describe(record_.shrunk, signature_), text, rows, signature_.inputs.size());
  }

  // --- the rest

  std::string settings() const {
    const std::string about =
        fmt::format("{} {}: {}", gate_.id, gate_.title, describe(record_.verdict.evidence));
    return fmt::format(
        "const Check check = {};\nconst char* const kind = \"{}\";\nconst char* const tool = \"{}\";\n"
        "const char* const build = \"{}\";\nconst bool has_stream = {};\n"
        "const unsigned unit = {};  // bytes of the least alignment\n"
        "const char* const about =\n    \"{}\";\n",
        way_.check, escaped(record_.verdict.evidence.kind), way_.tool, way_.build, call_.has_stream,
        target_.subject.contract.alignment(), escaped(about));
  }

  std::string argument(std::size_t i, std::size_t& scalar) const {
    const Argument& a = call_.binding->arguments[i];
    const Parameter& p = call_.binding->entry.parameters[i];
    switch (a.kind) {
      case Argument::Kind::input:
        return fmt::format("({})tensors[{}]", p.type, a.tensor);
      case Argument::Kind::output:
        return fmt::format("({})tensors[{}]", p.type, signature_.inputs.size() + a.tensor);
      case Argument::Kind::stream:
        return fmt::format("({})stream", p.type);
      case Argument::Kind::null:
        return fmt::format("({})nullptr", p.type);
      case Argument::Kind::expression:
        break;
    }
    const Number& number = call_.scalars[scalar++];
    return fmt::format(
        "repro::scalar<{}>({})", p.type,
        p.dtype && is_float(*p.dtype) ? literal(number.real) : fmt::format("{}LL", number.integer));
  }

  std::string the_call() const {
    std::vector<std::string> values;
    std::size_t scalar = 0;
    for (std::size_t i = 0; i < call_.binding->arguments.size(); ++i) values.push_back(argument(i, scalar));
    const std::string_view type = call_.binding->entry.return_type;
    const std::string call = fmt::format("{}({})", call_.binding->entry.name, join(values, ", "));
    const std::string body = type == "void"   ? call + ";\n  return 0;"
                             : type == "bool" ? "return !" + call + ";"
                                              : "return (int)" + call + ";";
    // A kernel's file may bring a program of its own.
    return fmt::format(
        "\n#define main kernels_own_main\n#include \"{}\"\n#undef main\n\n"
        "int repro::call(void* const* tensors, void* stream) {{\n  (void)tensors, (void)stream;\n  {}\n}}\n",
        path_seen_from(beside_, target_.asked.kernel).string(), body);
  }

  std::string header() const {
    const std::string file = record_.name + ".cu";
    const Expected<fs::path> compiler = cpu_compiler();
    const std::string explanation = to_string(record_.explanation);
    std::string text =
        fmt::format("// {}\n//\n// on a GPU:  nvcc -arch=native -o repro {} && ./repro\n", file, file);
    if (way_.tool == "-")
      text += "//            a GPU need not show this fault\n";
    else if (!way_.tool.empty())
      text += fmt::format("//            compute-sanitizer --tool {} --error-exitcode 1 ./repro sanitized\n",
                          way_.tool);
    text += fmt::format("// on a CPU:  {}{} -o repro {} && ./repro\n//\n",
                        compiler ? compiler->string() : "assay-c++",
                        way_.build.empty() ? "" : fmt::format(" --{}", way_.build), file);
    text += fmt::format(
        "// Exits 1 while the fault is there, 0 when it is gone, 2 where it cannot tell.\n//\n"
        "// kernel    {}\n// contract  {}\n// gate      {} {}: {}\n// found     {}\n",
        target_.asked.kernel.string(), signature_.name, gate_.id, gate_.title, gate_.law,
        line(describe(record_.verdict.evidence)));
    if (!explanation.empty()) text += fmt::format("// why       {}\n", line(explanation));
    return text;
  }

  static std::string line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text.ends_with('\\')) text += '.';
    return text;
  }

  const Record& record_;
  const Target& target_;
  const fs::path& beside_;
  const Signature& signature_;
  const Gate& gate_;
  const Way way_;
  Call call_;
  std::optional<Realised> realised_;
};

}  // namespace

Expected<std::string> standalone(const Record& record, const Target& target, const RunnerFactory& runners,
                                 const fs::path& beside) {
  return Program(record, target, beside).write(runners);
}

}  // namespace assay::fuzz
