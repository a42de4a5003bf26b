// assay-c++: builds a .cu file that is a program of its own for the CPU.
//
//   assay-c++ [--checked | --race] -o PROGRAM FILE.cu [FLAGS OF CLANG...]
//
// What nvcc is for a GPU: the file and what it includes are rewritten, compiled by clang++-19 and linked with
// the runtime; ASSAY_PROGRAM is defined. --checked adds AddressSanitizer and UndefinedBehaviorSanitizer, and
// defines ASSAY_PROGRAM_CHECKED; --race looks at each access to memory, and defines ASSAY_PROGRAM_RACE. Needs
// nothing of Assay but its headers and the runtime's archives.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/text.h"
#include "kernels/cpu/flags.h"
#include "kernels/cpu/tree.h"
#include "kernels/libexec.h"

namespace {

namespace fs = std::filesystem;
using assay::Expected;

constexpr const char* kUsage =
    "assay-c++ [--checked | --race] -o PROGRAM FILE.cu [FLAGS OF CLANG...]\n"
    "Builds a CUDA program for the CPU. --checked: with AddressSanitizer and UndefinedBehaviorSanitizer.\n"
    "--race: races, and reads of memory that nobody has written, are reported.\n";

struct Asked {
  assay::Build build = assay::Build::fast;
  fs::path source, program = "a.out";
  std::vector<std::string> others;
};

Expected<Asked> parse(const std::vector<std::string>& arguments) {
  Asked asked;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--checked") {
      asked.build = assay::Build::checked;
    } else if (argument == "--race") {
      asked.build = assay::Build::race;
    } else if (argument == "-o") {
      if (++i == arguments.size()) return assay::usage_error("-o needs the name of the program");
      asked.program = arguments[i];
    } else if (argument.ends_with(".cu")) {
      if (!asked.source.empty())
        return assay::usage_error("one .cu file is a program, two are given: {} and {}",
                                  asked.source.string(), argument);
      asked.source = argument;
    } else {
      asked.others.push_back(argument);
    }
  }
  if (asked.source.empty()) return assay::usage_error("no .cu file is given\n{}", kUsage);
  return asked;
}

// What makes a plug-in of a source is no business of a program.
void add_flags(std::vector<std::string>& command, assay::Build build) {
  const auto add = [&](const auto& flags) {
    for (const std::string_view flag : flags)
      if (flag != "-shared" && !flag.starts_with("-Wl,")) command.emplace_back(flag);
  };
  add(assay::cpu::plugin_flags);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) add(assay::cpu::machine_flags);
#endif
  if (build == assay::Build::checked)
    add(assay::cpu::checked_flags);
  else if (build == assay::Build::race)
    add(assay::cpu::race_flags);
  else
    add(assay::cpu::fast_flags);
}

Expected<int> run(const std::vector<std::string>& command) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    std::perror(arguments[0]);
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0) return assay::infrastructure_error("cannot start clang");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

Expected<int> build(const Asked& asked, const fs::path& scratch) {
  const auto text = assay::read_file(asked.source);
  if (!text) return tl::unexpected(text.error());
  const auto include = assay::include_folder();
  if (!include) return tl::unexpected(include.error());
  const auto archive = assay::runtime_archive(asked.build);
  if (!archive) return tl::unexpected(archive.error());

  std::error_code error;
  const fs::path absolute = fs::canonical(asked.source, error);
  const auto tree = assay::cpu::rewrite_tree(absolute, asked.source, *text);
  if (!tree) return tl::unexpected(tree.error());
  for (const auto& [path, content] : assay::cpu::overlay(*tree, scratch))
    if (auto written = assay::write_file(path, content); !written) return tl::unexpected(written.error());

  std::vector<std::string> command = {std::string(assay::cpu::compiler)};
  add_flags(command, asked.build);
  command.insert(command.end(),
                 {"-DASSAY_PROGRAM", "-I" + include->string(), "-include", std::string(assay::cpu::prelude),
                  "-ivfsoverlay", (scratch / "overlay.json").string()});
  if (asked.build == assay::Build::checked) command.emplace_back("-DASSAY_PROGRAM_CHECKED");
  if (asked.build == assay::Build::race) command.emplace_back("-DASSAY_PROGRAM_RACE");
  command.insert(command.end(), asked.others.begin(), asked.others.end());
  command.insert(command.end(),
                 {absolute.string(), "-x", "none", "-rdynamic", "-Wl,--whole-archive", archive->string(),
                  "-Wl,--no-whole-archive", "-ldl", "-lpthread", "-o", asked.program.string()});
  return run(command);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  const auto asked = parse(arguments);
  std::string scratch = (fs::temp_directory_path() / "assay-c++-XXXXXX").string();
  Expected<int> code = tl::unexpected(assay::Error{});
  if (!asked)
    code = tl::unexpected(asked.error());
  else if (::mkdtemp(scratch.data()) == nullptr)
    code = assay::infrastructure_error("cannot make a folder in {}", fs::temp_directory_path().string());
  else
    code = build(*asked, scratch);
  std::error_code ignored;
  if (asked) fs::remove_all(scratch, ignored);
  if (code) return *code;
  std::fprintf(stderr, "assay-c++: %s\n", code.error().message.c_str());
  return code.error().kind == assay::ErrorKind::usage ? 2 : 3;
}
