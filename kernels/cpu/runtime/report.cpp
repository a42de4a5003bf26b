#include <cstdio>
#include <cstdlib>

#include "state.h"

namespace assay::cpu {

// There before any constructor and after every destructor of the program.
constinit Call call [[clang::no_destroy]];

namespace {

constexpr std::size_t kMostFindings = 64;

void add(std::vector<Finding>& list, const char* kind, std::string text, std::string location) {
  if (list.size() >= kMostFindings) return;
  for (const Finding& finding : list)
    if (finding.kind == kind && finding.location == location) return;
  list.push_back({kind, std::move(text), std::move(location)});
}

void print_and_abort(const CallReport& report) {
  for (const Finding& finding : report.findings)
    std::fprintf(stderr, "%s: %s: %s\n", finding.location.c_str(), finding.kind.c_str(),
                 finding.text.c_str());
  std::abort();
}

FatalHandler handler = print_and_abort;

}  // namespace

void on_fatal(FatalHandler fatal_handler) {
  handler = fatal_handler ? fatal_handler : print_and_abort;
}

void add_finding(const char* kind, std::string text, std::string location) {
  add(call.report.findings, kind, std::move(text), std::move(location));
}
void add_note(const char* kind, std::string text, std::string location) {
  add(call.report.notes, kind, std::move(text), std::move(location));
}
void fatal(const char* kind, std::string text, std::string location) {
  add_finding(kind, std::move(text), std::move(location));
  handler(call.report);
  std::abort();
}

std::string location(const char* file, int line) {
  return file ? std::string(file) + ":" + std::to_string(line) : std::string();
}

}  // namespace assay::cpu
