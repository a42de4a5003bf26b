#pragma once

// The language's own words, for the parser, the checker and the printer.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/program.h"

namespace assay::lang {

std::optional<Reduction> parse_reduction(std::string_view word);
std::string_view name(Reduction reduction);
std::optional<Function> parse_function(std::string_view word);  // those of one argument that round
std::string_view name(Function function);
std::string_view name(Comparison comparison);  // "<"
std::optional<DType> parse_float_dtype(std::string_view word);

// max, min, fmax, fmin, clamp, isnan, isinf and the functions of one argument, with their argument counts.
struct Callable {
  std::string_view name;
  std::size_t least;
  std::size_t most;
};
const std::vector<Callable>& callables();
std::vector<std::string> callable_names();   // with the reductions
std::vector<std::string> statement_words();  // what a statement may begin with
bool is_reserved(std::string_view word);     // cannot be declared

}  // namespace assay::lang
