#pragma once

// What a function at a boundary answers when it cannot do what it was asked.
//
// A message says what is wrong, where, and what would be right; it is shown to the user as it stands.

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace assay {

enum class ErrorKind {
  usage,           // the user's input is wrong: exit code 2
  infrastructure,  // the machine, the compiler or Assay itself failed: exit code 3
};

struct Error {
  ErrorKind kind = ErrorKind::usage;
  std::string message;
};

template <class T>
using Expected = tl::expected<T, Error>;

template <class... Args>
tl::unexpected<Error> usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected(Error{ErrorKind::usage, fmt::format(text, std::forward<Args>(args)...)});
}

template <class... Args>
tl::unexpected<Error> infrastructure_error(fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected(Error{ErrorKind::infrastructure, fmt::format(text, std::forward<Args>(args)...)});
}

}  // namespace assay
