#include "fuzz/coverage.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cstring>

#include "core/file.h"
#include "core/text.h"
#include "fuzz/call.h"
#include "fuzz/coverage_program.h"
#include "fuzz/menu.h"
#include "gates/execute.h"
#include "kernels/adapter.h"
#include "kernels/libexec.h"
#include "kernels/process.h"
#include "kernels/sandbox.h"

namespace assay::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostBytes = 128 << 20;  // of the calls that one process reads
constexpr std::chrono::minutes kCompilerDeadline{2}, kRunDeadline{10};

// A folder of our own, removed in the end.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "assay-coverage-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The calls, as the program reads them (fuzz/coverage_program.h): words of eight bytes, and contents.
class Calls {
 public:
  void add(const Call& call, const Realised& tensors) {
    word(call.entry);
    word(call.has_stream);
    word(call.types.size());
    for (std::size_t k = 0; k < call.types.size(); ++k) {
      const bool is_input = k < tensors.inputs.size();
      const std::int64_t n = count(is_input ? tensors.shapes.inputs[k].shape
                                            : tensors.shapes.outputs[k - tensors.inputs.size()].shape);
      word(static_cast<std::uint64_t>(n) * size_of(call.types[k]));
      word(tensors.offsets[k] % 256);
      word(is_input);
      if (!is_input) continue;
      const Tensor tensor = as_taken(tensors.inputs[k], call.types[k]);
      bytes_.append(reinterpret_cast<const char*>(tensor.data()), tensor.size_bytes());
      bytes_.append((8 - tensor.size_bytes() % 8) % 8, '\0');
    }
    word(call.scalars.size());
    for (const Number& scalar : call.scalars) {
      word(static_cast<std::uint64_t>(scalar.integer));
      word(std::bit_cast<std::uint64_t>(scalar.real));
    }
  }
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void word(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  std::string bytes_;
};

class Run {
 public:
  Run(const Target& target, const fs::path& scratch) : target_(target), scratch_(scratch) {}

  Expected<void> build() {
    std::error_code error;
    source_ = fs::canonical(target_.asked.kernel, error);
    if (error) return usage_error("{}: {}", target_.asked.kernel.string(), error.message());
    const auto compiler = cpu_compiler();
    if (!compiler) return tl::unexpected(compiler.error());
    const auto include = include_folder();
    if (!include) return tl::unexpected(include.error());
    const auto archive = runtime_archive(Build::fast);
    if (!archive) return tl::unexpected(archive.error());
    const std::string text =
        coverage_program(adapter(target_.kernel.bindings, target_.subject.contract.signature(), source_),
                         target_.kernel.bindings.size());
    if (auto written = write_file(scratch_ / "cover.cu", text); !written) return written;
    return run({compiler->string(), "-o", program().string(), (scratch_ / "cover.cu").string(),
                "-fprofile-instr-generate", "-fcoverage-mapping"},
               kCompilerDeadline,
               {compiler->parent_path(), include->parent_path(), archive->parent_path(),
                source_.parent_path()})
        .map([](const std::string&) {});
  }

  // How many of the calls ended early.
  Expected<std::int64_t> make(const std::string& calls) {
    const fs::path file = scratch_ / "calls";
    if (auto written = write_file(file, calls); !written) return tl::unexpected(written.error());
    const fs::path profiles = scratch_ / fmt::format("profiles{}", batches_++);
    std::error_code ignored;
    fs::create_directories(profiles, ignored);
    const auto output = run({program().string(), file.string(), profiles.string()}, kRunDeadline, {});
    if (!output) return tl::unexpected(output.error());
    for (const fs::directory_entry& entry : fs::directory_iterator(profiles, ignored))
      profiles_.push_back(entry.path());
    // The last line is the program's own; what is before it is the kernel's.
    const std::vector<std::string> lines = split(trim(*output), '\n');
    std::int64_t unfinished = 0;
    std::from_chars(lines.back().data(), lines.back().data() + lines.back().size(), unfinished);
    return unfinished;
  }

  // Hits by line, from the tools' own format: "DA:LINE,HITS" below "SF:FILE".
  Expected<std::vector<std::pair<int, std::uint64_t>>> lines() {
    const fs::path data = scratch_ / "all.profdata";
    std::vector<std::string> merge = {"llvm-profdata-19", "merge", "-sparse", "-o", data.string()};
    for (const fs::path& profile : profiles_) merge.push_back(profile.string());
    if (auto merged = run(merge, kCompilerDeadline, {}); !merged) return tl::unexpected(merged.error());
    const auto report =
        run({"llvm-cov-19", "export", "-format=lcov", program().string(), "-instr-profile=" + data.string()},
            kCompilerDeadline, {});
    if (!report) return tl::unexpected(report.error());
    std::vector<std::pair<int, std::uint64_t>> result;
    bool own = false;
    for (const std::string& line : split(*report, '\n')) {
      if (line.starts_with("SF:")) own = fs::path(line.substr(3)) == source_;
      int number = 0;
      std::uint64_t hits = 0;
      if (own && std::sscanf(line.c_str(), "DA:%d,%lu", &number, &hits) == 2)
        result.emplace_back(number, hits);
    }
    return result;
  }

 private:
  fs::path program() const { return scratch_ / "cover"; }

  Expected<std::string> run(std::vector<std::string> arguments, std::chrono::milliseconds deadline,
                            std::vector<fs::path> readable) const {
    const std::string name = fs::path(arguments.front()).filename().string();
    Command command;
    command.arguments = std::move(arguments);
    if (target_.asked.sandbox) {
      Sandbox sandbox;
      sandbox.hide_home = false;
      sandbox.dies_with_parent = true;
      sandbox.readable = std::move(readable);
      sandbox.writable = {scratch_};
      command.arguments = inside(sandbox, std::move(command.arguments));
    }
    command.limits = {
        {RLIMIT_AS, std::uint64_t{8} << 30}, {RLIMIT_FSIZE, std::uint64_t{1} << 30}, {RLIMIT_CORE, 0}};
    const auto finished = run_to_end(command, deadline);
    if (!finished) return tl::unexpected(finished.error());
    if (finished->timed_out) return infrastructure_error("coverage: {} did not end in time", name);
    if (finished->status != 0)
      return infrastructure_error("coverage: {} failed{}:\n{}", name,
                                  name.starts_with("llvm-") ? " (Debian package llvm-19 has it)" : "",
                                  finished->output);
    return finished->output;
  }

  const Target& target_;
  const fs::path& scratch_;
  fs::path source_;
  int batches_ = 0;
  std::vector<fs::path> profiles_;
};

}  // namespace

std::int64_t Coverage::with_code() const {
  return std::count_if(lines.begin(), lines.end(),
                       [](const CoveredLine& line) { return line.hits.has_value(); });
}

std::int64_t Coverage::reached() const {
  return std::count_if(lines.begin(), lines.end(),
                       [](const CoveredLine& line) { return line.hits.value_or(0) > 0; });
}

std::vector<int> Coverage::never() const {
  std::vector<int> result;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].hits == std::uint64_t{0}) result.push_back(static_cast<int>(i) + 1);
  return result;
}

Expected<Coverage> line_coverage(const Target& target, std::span<const Case> cases) {
  if (target.asked.executor != Executor::cpu)
    return usage_error("coverage is counted on the CPU; leave --executor cuda away");
  const Scratch scratch;
  if (scratch.path().empty())
    return infrastructure_error("cannot make a folder in {}", fs::temp_directory_path().string());
  const auto text = read_file(target.asked.kernel);
  if (!text) return tl::unexpected(text.error());
  Run run(target, scratch.path());
  if (auto built = run.build(); !built) return tl::unexpected(built.error());

  const Menu menu(target.subject);
  Coverage coverage;
  Calls calls;
  const auto flush = [&]() -> Expected<void> {
    const Expected<std::int64_t> unfinished = run.make(calls.bytes());
    if (!unfinished) return tl::unexpected(unfinished.error());
    coverage.unfinished += *unfinished;
    calls.clear();
    return {};
  };
  for (const Case& c : cases) {
    if (!menu.affordable(c)) {
      ++coverage.skipped;
      continue;
    }
    const Realised tensors = realise(c, target.subject);
    const Expected<Call> call = call_of(c, tensors.shapes, target);
    if (!call) {
      ++coverage.skipped;
      continue;
    }
    calls.add(*call, tensors);
    ++coverage.cases;
    if (calls.bytes().size() >= kMostBytes)
      if (auto done = flush(); !done) return tl::unexpected(done.error());
  }
  // Without a call, too: it says which lines have code.
  if (auto done = flush(); !done) return tl::unexpected(done.error());

  for (std::string& line : split(*text, '\n')) coverage.lines.push_back({std::move(line), {}});
  const auto lines = run.lines();
  if (!lines) return tl::unexpected(lines.error());
  for (const auto& [number, hits] : *lines)
    if (number >= 1 && static_cast<std::size_t>(number) <= coverage.lines.size()) {
      auto& line = coverage.lines[static_cast<std::size_t>(number) - 1].hits;
      line = std::max(line.value_or(0), hits);
    }
  return coverage;
}

}  // namespace assay::fuzz
