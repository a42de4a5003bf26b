#pragma once

// What the program prints. A full disk, a closed or broken pipe never end it: the first failure is kept, and
// `finish` turns it into an exit code.

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace assay::cli {

void write(std::FILE* stream, std::string_view text);

template <class... Args>
void print(fmt::format_string<Args...> text, Args&&... args) {
  write(stdout, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void print_error(fmt::format_string<Args...> text, Args&&... args) {
  write(stderr, fmt::format(text, std::forward<Args>(args)...));
}

// Before anything else: streams that the caller closed are opened, so that no file of the program takes their
// place, and a reader that goes away (`| head`) is an error of the write, no signal.
void prepare_streams();

void flush();  // standard output, before others write to it

// `code`, or kInfrastructure where standard output could not be written; a reader that went away has seen
// what it wanted.
int finish(int code);

}  // namespace assay::cli
