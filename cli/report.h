#pragma once

// What a check says, for people and for programs.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "properties/certificate.h"
#include "properties/check.h"
#include "properties/target.h"

namespace assay::cli {

struct Saved {
  std::string path;     // empty where it could not be written
  std::string problem;  // why not
};

struct Report {
  std::string program;  // as typed, for replay lines
  Target target;
  CheckReport check;
  std::map<std::string, Saved> saved;      // by signature
  std::optional<Certificate> certificate;  // where it was asked for
  double build_seconds = 0;

  const Saved& saved_as(const Finding& finding) const;
};

std::string counted(std::int64_t n, std::string_view thing);  // "1 case", "2 cases"

// The end of it all: findings before trouble, an interruption before both.
int exit_code(const CheckReport& report);
std::string verdict_sentence(const Report& report);
std::string certificate_sentence(const Certificate& certificate);
// A gate that applies and had no case; its outcome or "not reached"; its reason or why it was not reached.
bool not_reached(const Report& report, const GateReport& gate);
std::string_view verdict_of(const Report& report, const GateReport& gate);
std::string reason_of(const Report& report, const GateReport& gate);

std::string replay_line(const Report& report, const Finding& finding);

// "got", "1.5 at y[0, 3]"; then what is true, the interval, the tool's report.
std::vector<std::pair<std::string, std::string>> evidence_lines(const Evidence& evidence, DType dtype);

std::string text_report(const Report& report, bool color);
std::string json_report(const Report& report);
std::string junit_report(const Report& report);

}  // namespace assay::cli
