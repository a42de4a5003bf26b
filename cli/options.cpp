#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "cli/print.h"
#include "core/file.h"
#include "core/text.h"

namespace assay::cli {
namespace po = boost::program_options;
namespace {

constexpr const char* kArguments = "arguments";

std::vector<std::string> names_of(const po::options_description& flags) {
  std::vector<std::string> names;
  for (const auto& option : flags.options()) names.push_back("--" + option->long_name());
  return names;
}

}  // namespace

const std::vector<std::string>& Options::arguments() const {
  static const std::vector<std::string> none;
  return values_.count(kArguments) != 0 ? values_[kArguments].as<std::vector<std::string>>() : none;
}

bool Options::has(const char* flag) const {
  if (values_.count(flag) == 0) return false;
  const bool* on = boost::any_cast<bool>(&values_[flag].value());
  return on == nullptr || *on;
}

std::string Options::text(const char* flag) const {
  return values_.count(flag) != 0 ? values_[flag].as<std::string>() : "";
}

po::value_semantic* on_off() {
  return po::bool_switch();
}

po::value_semantic* value(const char* what) {
  return po::value<std::string>()->value_name(what);
}

Expected<Options> parse(const Invocation& invocation, const po::options_description& flags) {
  po::options_description all;
  all.add(flags);
  all.add_options()(kArguments, po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add(kArguments, -1);
  // Boost reports by exception; this is the boundary where they become values.
  try {
    using namespace po::command_line_style;
    po::variables_map values;
    po::store(po::command_line_parser(invocation.arguments)
                  .options(all)
                  .positional(positional)
                  .style(unix_style & ~allow_guessing)
                  .run(),
              values);
    po::notify(values);
    for (const auto& [flag, given] : values)
      if (const auto* text = boost::any_cast<std::string>(&given.value()); text && trim(*text).empty())
        return usage_error("--{}: is empty; give it a value or leave it out", flag);
    return Options(std::move(values));
  } catch (const po::unknown_option& error) {
    return usage_error("unknown flag '{}'{}", error.get_option_name(),
                       suggestion(error.get_option_name(), names_of(flags)));
  } catch (const po::multiple_occurrences& error) {
    return usage_error("'{}' is given twice", error.get_option_name());
  } catch (const po::invalid_command_line_syntax& error) {
    return usage_error("'{}' needs a value", error.get_option_name());
  } catch (const po::error& error) {
    return usage_error("{}", error.what());
  }
}

bool print_help(const Options& options, const Invocation& invocation, std::string_view usage,
                const po::options_description& flags, std::string_view examples) {
  if (!options.has("help")) return false;
  std::ostringstream table;
  table << flags;
  print("Usage: {} {}\n\n{}\nExamples:\n", invocation.program, usage, table.str());
  for (const std::string& line : split(examples, '\n'))
    if (!line.empty()) print("  {} {}\n", invocation.program, line);
  print("\n{}", kExitCodes);
  return true;
}

Expected<std::int64_t> parse_integer(std::string_view flag, std::string_view text, std::int64_t low,
                                     std::int64_t high) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || number < low || number > high)
    return usage_error("{}: '{}' is no integer from {} to {}", flag, text, low, high);
  return number;
}

Expected<std::uint64_t> parse_seed(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size())
    return usage_error("--seed: '{}' is no integer from 0 to 2^64 - 1", text);
  return number;
}

Expected<std::chrono::milliseconds> parse_duration(std::string_view flag, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const std::int64_t scale = unit == "ms"  ? 1
                             : unit == "s" ? 1000
                             : unit == "m" ? 60000
                             : unit == "h" ? 3600000
                                           : 0;
  if (failure != std::errc() || scale == 0 || number < 1 || number > 1000000)
    return usage_error("{}: '{}' is no duration such as 500ms, 30s, 5m or 2h", flag, text);
  return std::chrono::milliseconds(number * scale);
}

Expected<std::vector<const Gate*>> parse_gates(std::string_view text) {
  std::vector<std::string> ids;
  for (const Gate* gate : all_gates()) ids.emplace_back(gate->id);
  std::vector<const Gate*> gates;
  for (const std::string& part : split(text, ',')) {
    std::string id(trim(part));
    for (char& letter : id) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    const Gate* gate = find_gate(id);
    if (gate == nullptr) return usage_error("--gates: unknown gate '{}'{}", trim(part), suggestion(id, ids));
    if (std::find(gates.begin(), gates.end(), gate) == gates.end()) gates.push_back(gate);
  }
  return gates;
}

void add_machine(po::options_description& flags) {
  flags.add_options()("executor", value("WHERE"), "run the kernel on 'cpu' (the default) or 'cuda', a GPU")(
      "gpu-arch", value("ARCH"), "compile for sm_90, say, instead of the GPU that is there (native)")(
      "sanitizer", value("TOOL"),
      "on a GPU, RES-01 and RES-02 also run under compute-sanitizer: memcheck, racecheck or synccheck");
}

Expected<Machine> parse_machine(const Options& options) {
  Machine machine;
  const std::string where = options.text("executor");
  machine.gpu_arch = options.text("gpu-arch");
  machine.sanitizer = options.text("sanitizer");
  const std::vector<std::string> tools = {"memcheck", "racecheck", "synccheck"};
  if (options.has("sanitizer") && std::find(tools.begin(), tools.end(), machine.sanitizer) == tools.end())
    return usage_error("--sanitizer: '{}' is none of {}", machine.sanitizer, join(tools, ", "));
  if (where == "cuda") {
    machine.executor = Executor::cuda;
  } else if (options.has("executor") && where != "cpu") {
    return usage_error("--executor: '{}' is none of cpu, cuda", where);
  } else if (options.has("gpu-arch") || options.has("sanitizer")) {
    return usage_error("--{} is for --executor cuda", options.has("gpu-arch") ? "gpu-arch" : "sanitizer");
  }
  return machine;
}

Expected<void> check_report(std::string_view flag, const std::string& path,
                            const std::vector<std::filesystem::path>& inputs) {
  namespace fs = std::filesystem;
  if (is_standard_output(path)) return {};
  for (const fs::path& input : inputs) {
    std::error_code ignored;
    if (fs::equivalent(path, input, ignored))
      return usage_error("{}: {} is an input; the report would replace it", flag, path);
  }
  static constexpr std::array kSources = {".cu", ".cuh", ".h", ".hpp", ".contract", ".case"};
  const std::string extension = fs::path(path).extension().string();
  if (std::find(kSources.begin(), kSources.end(), extension) != kSources.end())
    return usage_error("{}: {}: a name that ends in {} is none of a report", flag, path, extension);
  if (const auto writable = check_writable(path); !writable)
    return usage_error("{}: {}", flag, writable.error().message);
  return {};
}

Expected<void> check_folder(std::string_view flag, const std::string& folder) {
  if (const auto writable = check_writable(std::filesystem::path(folder) / "a.case"); !writable)
    return usage_error("{}: cases cannot be saved there: {}", flag, writable.error().message);
  return {};
}

bool is_standard_output(std::string_view path) {
  return path == "-" || path == "/dev/stdout";
}

Expected<void> write_report(const std::string& path, std::string_view text) {
  if (!is_standard_output(path)) return write_file(path, text);
  write(stdout, text);
  return {};
}

int fail(std::string_view command, const Error& error) {
  print_error("assay {}: {}\n", command, error.message);
  return error.kind == ErrorKind::usage ? kUsage : kInfrastructure;
}

}  // namespace assay::cli
