// The report for code scanning: SARIF 2.1.0, one rule a gate, one result a finding.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/fuzz_place.h"
#include "cli/fuzz_report.h"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

// A relative reference or a file: URI.
std::string uri(const std::string& path) {
  std::string result = path.starts_with('/') ? "file://" : "";
  for (char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte > 0x20 && byte < 0x7f &&
        std::string_view("\"%<>\\^`{|}#?").find(letter) == std::string_view::npos)
      result += letter;
    else
      result += fmt::format("%{:02X}", byte);
  }
  return result;
}

ordered_json rules() {
  ordered_json rules = ordered_json::array();
  for (const Gate* gate : all_gates())
    rules.push_back({{"id", gate->id},
                     {"name", gate->title},
                     {"shortDescription", {{"text", fmt::format("{} {}", gate->id, gate->title)}}},
                     {"fullDescription", {{"text", gate->law}}},
                     {"defaultConfiguration", {{"level", "error"}}}});
  return rules;
}

int rule_index(std::string_view gate) {
  int index = 0;
  for (const Gate* known : all_gates()) {
    if (known->id == gate) return index;
    ++index;
  }
  return -1;
}

ordered_json result(std::string_view gate, const SourcePlace& place, const std::string& text,
                    const std::string& fingerprint, bool is_new) {
  return {{"ruleId", gate},
          {"ruleIndex", rule_index(gate)},
          {"level", is_new ? "error" : "note"},
          {"message", {{"text", text}}},
          {"locations",
           {{{"physicalLocation",
              {{"artifactLocation", {{"uri", uri(place.file)}}}, {"region", {{"startLine", place.line}}}}}}}},
          {"partialFingerprints", {{"assaySignature/v1", fingerprint}}},
          {"baselineState", is_new ? "new" : "unchanged"}};
}

}  // namespace

std::string fuzz_sarif(const FuzzReport& report) {
  ordered_json results = ordered_json::array();
  for (const Replayed& replayed : report.regressions)
    if (is_finding(replayed.verdict.outcome)) {
      const std::string signature = signature_of(replayed.test, *replayed.gate, replayed.verdict,
                                                 replayed.target.subject.contract.signature())
                                        .text;
      results.push_back(result(
          replayed.gate->id, place_of(replayed.target, replayed.test, replayed.verdict.evidence),
          fmt::format("fails again: {}\n{}", describe(replayed.verdict.evidence), replayed.file.string()),
          fingerprint(replayed.target, signature), true));
    }
  for (const auto& [target, records] : report.campaign.findings)
    for (const fuzz::Record& record : records) {
      if (record.state == fuzz::State::fixed || record.state == fuzz::State::fresh) continue;
      ordered_json one = result(record.gate, place_of(target, record.shrunk, record.verdict.evidence),
                                finding_text(target, record), fingerprint(target, record.signature),
                                report.is_new(target, record));
      one["properties"] = {{"state", name(record.state)}, {"hits", record.hits}, {"name", record.name}};
      results.push_back(std::move(one));
    }
  const ordered_json sarif = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       {{{"tool", {{"driver", {{"name", "assay"}, {"version", ASSAY_VERSION}, {"rules", rules()}}}}},
         {"columnKind", "utf16CodeUnits"},
         {"invocations", {{{"executionSuccessful", !report.campaign.failed}}}},
         {"results", results}}}}};
  return sarif.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace assay::cli
