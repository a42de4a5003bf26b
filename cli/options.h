#pragma once

// Command lines, over Boost.Program_options: it splits and documents, the values are checked here, so that
// every message can say what would be right.

#include <boost/program_options.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "core/error.h"
#include "gates/gate.h"

namespace assay::cli {

// The words of one command line.
class Options {
 public:
  explicit Options(boost::program_options::variables_map values) : values_(std::move(values)) {}

  const std::vector<std::string>& arguments() const;  // those without a flag
  bool has(const char* flag) const;                   // a switch that is on, or a flag that was given
  std::string text(const char* flag) const;           // "" where it was not given

 private:
  boost::program_options::variables_map values_;
};

// A switch, and a flag with a value named `what` in the help.
boost::program_options::value_semantic* on_off();
boost::program_options::value_semantic* value(const char* what);

Expected<Options> parse(const Invocation& invocation,
                        const boost::program_options::options_description& flags);

// True where --help was asked for; prints it.
bool print_help(const Options& options, const Invocation& invocation, std::string_view usage,
                const boost::program_options::options_description& flags, std::string_view examples);

// Values of flags; `flag` is for the message.
Expected<std::int64_t> parse_integer(std::string_view flag, std::string_view text, std::int64_t low,
                                     std::int64_t high);
Expected<std::uint64_t> parse_seed(std::string_view text);
Expected<std::chrono::milliseconds> parse_duration(std::string_view flag, std::string_view text);
Expected<std::vector<const Gate*>> parse_gates(std::string_view text);  // "CMP-01,EXC-01"

// --executor, --gpu-arch and --sanitizer, of the subcommands that run kernels.
struct Machine {
  Executor executor = Executor::cpu;
  std::string gpu_arch, sanitizer;
};
void add_machine(boost::program_options::options_description& flags);
Expected<Machine> parse_machine(const Options& options);

// Before long work: whether a report can be written to `path`, which must be none of the inputs; whether
// cases can be saved in a folder.
Expected<void> check_report(std::string_view flag, const std::string& path,
                            const std::vector<std::filesystem::path>& inputs);
Expected<void> check_folder(std::string_view flag, const std::string& folder);

// "-" and /dev/stdout; what is for people goes to stderr then.
bool is_standard_output(std::string_view path);
Expected<void> write_report(const std::string& path, std::string_view text);

// Prints the message and gives the exit code of the error's kind.
int fail(std::string_view command, const Error& error);

}  // namespace assay::cli
