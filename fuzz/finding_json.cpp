// NAME.json: the record of a finding. Cases stand in it as the text of their files, so there is one codec.

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/reproducer.h"
#include "fuzz/finding.h"
#include "properties/saved_case.h"

namespace assay::fuzz {
namespace {

using nlohmann::ordered_json;

constexpr int kVersion = 1;

// JSON has no NaN and no infinities: they are strings.
ordered_json number(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (std::isnan(*value)) return "nan";
  if (std::isinf(*value)) return *value > 0 ? "inf" : "-inf";
  return *value;
}

std::optional<double> number(const ordered_json& json) {
  if (json.is_null()) return std::nullopt;
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return text == "-inf" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

// What a tool printed may be no UTF-8.
std::string plain(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) >= 0x80) letter = '?';
  return text;
}

ordered_json to_json(const Evidence& e) {
  return {{"kind", e.kind},
          {"output", e.output},
          {"index", e.index},
          {"got", number(e.got)},
          {"truth", number(e.truth)},
          {"low", number(e.low)},
          {"high", number(e.high)},
          {"excess", number(e.excess)},
          {"bad_elements", e.bad_elements},
          {"location", plain(e.location)},
          {"detail", plain(e.detail)},
          {"text", plain(describe(e))}};
}

Evidence evidence_of(const ordered_json& json) {
  Evidence e;
  e.kind = json.at("kind");
  e.output = json.at("output");
  e.index = json.at("index").get<std::vector<std::int64_t>>();
  e.got = number(json.at("got"));
  e.truth = number(json.at("truth"));
  e.low = number(json.at("low"));
  e.high = number(json.at("high"));
  e.excess = number(json.at("excess"));
  e.bad_elements = json.at("bad_elements");
  e.location = json.at("location");
  e.detail = json.at("detail");
  return e;
}

std::optional<Outcome> parse_outcome(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Outcome::undecidable); ++i)
    if (name(static_cast<Outcome>(i)) == text) return static_cast<Outcome>(i);
  return std::nullopt;
}

// Paths in it are absolute or as typed: the record is read by whoever has the target.
std::string text_of(const Record& record, const Target& target, const Case& test) {
  Reproducer r;
  r.kernel = target.asked.kernel.string();
  r.gate = record.gate;
  r.signature = record.signature;
  r.test = test;
  return print(r, target.subject.contract.signature());
}

// Throws what nlohmann::json throws, and Error.
Record record_of(const ordered_json& json, std::string_view file, const Target& target) {
  const auto check = [&](bool holds, const std::string& what) {
    if (!holds) throw Error{ErrorKind::usage, fmt::format("{}: {}", file, what)};
  };
  check(json.at("version") == kVersion,
        fmt::format("version {} of the record of a finding; this program reads {}", json.at("version").dump(),
                    kVersion));
  const auto case_of = [&](const char* key) {
    Expected<Reproducer> r =
        parse_reproducer(json.at(key).get<std::string>(), fmt::format("{}: {}", file, key),
                         target.subject.contract.signature());
    if (!r) throw r.error();
    r->test.contract = target.subject.contract.signature().name;
    return std::move(r->test);
  };
  Record record;
  record.name = json.at("name");
  const auto state = parse_state(json.at("state").get<std::string>());
  check(state.has_value(), fmt::format("state: unknown {}", json.at("state").dump()));
  record.state = *state;
  record.signature = json.at("signature");
  record.gate = json.at("gate");
  check(find_gate(record.gate) != nullptr, fmt::format("gate: unknown gate '{}'", record.gate));
  const auto outcome = parse_outcome(json.at("outcome").get<std::string>());
  check(outcome.has_value(), fmt::format("outcome: unknown {}", json.at("outcome").dump()));
  record.verdict = Verdict{*outcome, evidence_of(json.at("evidence"))};
  record.shrunk = case_of("case");
  record.original = case_of("original");
  record.reproduced = json.at("reproduced");
  const ordered_json& shrinking = json.at("shrinking");
  record.shrinking =
      Shrunk{record.shrunk, shrinking.at("steps"), shrinking.at("runs"), shrinking.at("stopped_by")};
  const ordered_json& explanation = json.at("explanation");
  record.explanation =
      Explanation{explanation.at("must_hold").get<std::vector<std::string>>(),
                  explanation.at("do_not_matter").get<std::vector<std::string>>(), explanation.at("runs")};
  record.hits = json.at("hits");
  record.kernel_hash = json.at("kernel_hash");
  record.first_seen = json.at("first_seen");
  record.last_seen = json.at("last_seen");
  record.executions = json.at("executions");
  record.seconds = json.at("seconds");
  return record;
}

}  // namespace

std::string to_json(const Record& record, const Target& target) {
  const Signature& signature = target.subject.contract.signature();
  const ordered_json json = {{"version", kVersion},
                             {"name", record.name},
                             {"state", name(record.state)},
                             {"signature", record.signature},
                             {"kernel", target.asked.kernel.string()},
                             {"contract", target.asked.contract},
                             {"gate", record.gate},
                             {"outcome", name(record.verdict.outcome)},
                             {"evidence", to_json(record.verdict.evidence)},
                             {"text", describe(record.shrunk, signature)},
                             {"case", text_of(record, target, record.shrunk)},
                             {"original", text_of(record, target, record.original)},
                             {"reproduced", record.reproduced},
                             {"shrinking",
                              {{"steps", record.shrinking.steps},
                               {"runs", record.shrinking.runs},
                               {"stopped_by", record.shrinking.stopped_by}}},
                             {"explanation",
                              {{"must_hold", record.explanation.must_hold},
                               {"do_not_matter", record.explanation.do_not_matter},
                               {"runs", record.explanation.runs},
                               {"text", to_string(record.explanation)}}},
                             {"hits", record.hits},
                             {"kernel_hash", record.kernel_hash},
                             {"first_seen", record.first_seen},
                             {"last_seen", record.last_seen},
                             {"executions", record.executions},
                             {"seconds", record.seconds}};
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Expected<Record> parse_record(std::string_view text, std::string_view file, const Target& target) {
  try {
    return record_of(ordered_json::parse(text), file, target);
  } catch (const Error& error) {
    return tl::unexpected(error);
  } catch (const ordered_json::exception& failure) {
    return usage_error("{}: not the record of a finding: {}", file, failure.what());
  }
}

}  // namespace assay::fuzz
