#include "cli/fuzz_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/fuzz_place.h"
#include "core/file.h"
#include "core/reproducer.h"
#include "core/text.h"
#include "fuzz/corpus.h"
#include "properties/saved_case.h"

namespace assay::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::ordered_json;

// A race may hide; a fault that was repaired stays away.
constexpr int kReplays = 3;

std::string contract_name(const std::string& contract) {
  return contract.ends_with(".contract") ? fs::path(contract).stem().string() : contract;
}

std::string fingerprint(const std::string& kernel, const std::string& contract,
                        const std::string& signature) {
  return fmt::format("{}/{}/{}", fs::path(kernel).stem().string(), contract_name(contract), signature);
}

// "key = value" of a case file, wherever the contract may be.
std::string field(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    const auto equals = line.find('=');
    if (equals != std::string::npos && trim(std::string_view(line).substr(0, equals)) == key)
      return std::string(trim(std::string_view(line).substr(equals + 1)));
  }
  return "";
}

// The fingerprint of a known finding's file; an error where it is none.
Expected<std::string> known_in(const fs::path& file) {
  const Expected<std::string> text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  std::string kernel, contract, signature;
  if (file.extension() == ".json") {
    const ordered_json json = ordered_json::parse(*text, nullptr, false);
    if (json.is_object()) {
      kernel = json.value("kernel", "");
      contract = json.value("contract", "");
      signature = json.value("signature", "");
    }
  } else {
    kernel = field(*text, "kernel");
    contract = field(*text, "contract");
    signature = field(*text, "signature");
  }
  if (kernel.empty() || contract.empty() || signature.empty())
    return usage_error("--baseline: {}: is no finding: its kernel, contract and signature are needed",
                       file.string());
  return fingerprint(kernel, contract, signature);
}

std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (char letter : text) {
    if (letter == '%' || letter == '\r' || letter == '\n' || (property && (letter == ':' || letter == ',')))
      result += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    else
      result += letter;
  }
  return result;
}

std::string error_line(const SourcePlace& place, std::string_view title, std::string_view message) {
  return fmt::format("::error file={},line={},title={}::{}\n", escaped(place.file, true), place.line,
                     escaped(title, true), escaped(message, false));
}

ordered_json to_json(const Replayed& replayed) {
  return {{"file", replayed.file.string()},
          {"kernel", replayed.target.asked.kernel.string()},
          {"gate", replayed.gate->id},
          {"outcome", name(replayed.verdict.outcome)},
          {"text", describe(replayed.verdict.evidence)}};
}

}  // namespace

std::string fingerprint(const Target& target, const std::string& signature) {
  return fingerprint(target.asked.kernel.string(), target.asked.contract, signature);
}

Expected<Baseline> Baseline::read(const fs::path& folder) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure))
    return usage_error("--baseline: {}: no such folder; an empty one says that nothing is known",
                       folder.string());
  Baseline baseline;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() != ".json" && entry.path().extension() != ".case") continue;
    Expected<std::string> known = known_in(entry.path());
    if (!known) return tl::unexpected(known.error());
    baseline.known_.insert(std::move(*known));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "regressions", failure))
    if (entry.path().extension() == ".case") baseline.regressions_.push_back(entry.path());
  std::sort(baseline.regressions_.begin(), baseline.regressions_.end());
  return baseline;
}

Expected<std::vector<Replayed>> replay_regressions(const std::vector<fs::path>& files, const Target& target,
                                                   const std::function<void(const Replayed&)>& on_replayed) {
  std::vector<Replayed> result;
  for (const fs::path& file : files) {
    const Expected<std::string> text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    if (!fuzz::belongs_to(*text, target)) continue;
    Expected<fuzz::RawReport> test = fuzz::read_report(file, target);
    if (!test) return tl::unexpected(test.error());
    Replayed replayed{file, target, test->gate, std::move(test->test), {}};
    for (int i = 0; i < kReplays; ++i) {
      replayed.verdict = judge_once(replayed.test, *replayed.gate, target.subject, runners(target.kernel));
      if (replayed.verdict.outcome != Outcome::pass) break;
    }
    if (on_replayed) on_replayed(replayed);
    result.push_back(std::move(replayed));
  }
  return result;
}

bool FuzzReport::is_new(const Target& target, const fuzz::Record& record) const {
  return record.state != fuzz::State::fixed && record.state != fuzz::State::fresh &&
         !baseline.knows(fingerprint(target, record.signature));
}

int exit_code(const FuzzReport& report) {
  bool undecided = report.campaign.failed;
  for (const Replayed& replayed : report.regressions) {
    if (is_finding(replayed.verdict.outcome)) return kFindings;
    undecided |= replayed.verdict.outcome == Outcome::undecidable;
  }
  for (const auto& [target, records] : report.campaign.findings)
    for (const fuzz::Record& record : records)
      if (report.is_new(target, record)) return kFindings;
  if (undecided) return kInfrastructure;
  return report.campaign.ended_by == "interrupted" ? kInterrupted : kClean;
}

std::string fuzz_json(const FuzzReport& report) {
  ordered_json findings = ordered_json::array(), regressions = ordered_json::array();
  for (const auto& [target, records] : report.campaign.findings)
    for (const fuzz::Record& record : records) {
      ordered_json finding = ordered_json::parse(fuzz::to_json(record, target));
      finding["fingerprint"] = fingerprint(target, record.signature);
      finding["new"] = report.is_new(target, record);
      findings.push_back(std::move(finding));
    }
  for (const Replayed& replayed : report.regressions) regressions.push_back(to_json(replayed));
  const ordered_json json = {{"version", 1},
                             {"state", report.state.string()},
                             {"exit_code", exit_code(report)},
                             {"ended_by", report.campaign.ended_by},
                             {"regressions", regressions},
                             {"findings", findings},
                             {"statistics", ordered_json::parse(fuzz::to_json(report.campaign.statistics))}};
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string github_lines(const FuzzReport& report) {
  std::string lines;
  for (const Replayed& replayed : report.regressions)
    if (is_finding(replayed.verdict.outcome))
      lines += error_line(place_of(replayed.target, replayed.test, replayed.verdict.evidence),
                          fmt::format("{} {} fails again", replayed.gate->id, replayed.gate->title),
                          fmt::format("{}\n{}", describe(replayed.verdict.evidence), replayed.file.string()));
  for (const auto& [target, records] : report.campaign.findings)
    for (const fuzz::Record& record : records)
      if (report.is_new(target, record))
        lines += error_line(place_of(target, record.shrunk, record.verdict.evidence),
                            fmt::format("{} {}", record.gate, find_gate(record.gate)->title),
                            finding_text(target, record));
  return lines;
}

bool on_github() {
  const char* value = std::getenv("GITHUB_ACTIONS");
  return value != nullptr && *value != '\0';
}

// --- what the reports of a finding share

SourcePlace place_of(const Target& target, const Case& test, const Evidence& evidence) {
  const fs::path here = fs::current_path();
  SourcePlace place{path_seen_from(here, target.asked.kernel).generic_string(), 1};
  for (const Binding& binding : target.kernel.bindings)
    if (std::find(binding.dtypes.begin(), binding.dtypes.end(), test.instance.dtype) != binding.dtypes.end())
      place.line = std::max(binding.entry.line, 1);
  const auto colon = evidence.location.rfind(':');
  if (colon == std::string::npos) return place;
  const int line = std::atoi(evidence.location.c_str() + colon + 1);
  if (line < 1) return place;
  const fs::path file = evidence.location.substr(0, colon);
  if (file.filename() != target.asked.kernel.filename())
    place.file = path_seen_from(here, file).generic_string();
  place.line = line;
  return place;
}

std::string finding_text(const Target& target, const fuzz::Record& record) {
  std::string text = fmt::format("{}\n{}", describe(record.verdict.evidence),
                                 describe(record.shrunk, target.subject.contract.signature()));
  if (const std::string why = to_string(record.explanation); !why.empty()) text += "\n" + why;
  if (record.state == fuzz::State::flaky)
    text += fmt::format("\nflaky: {} of 5 runs in fresh processes", record.reproduced);
  return text;
}

}  // namespace assay::cli
