// The report for programs; docs/usage.md documents its fields.

#include <sys/resource.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/report.h"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

// JSON has no NaN and no infinities: they are strings.
ordered_json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

ordered_json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : ordered_json(nullptr);
}

ordered_json to_json(const Evidence& e) {
  // Where the true value is no finite one there is no interval around it.
  const bool interval = !e.truth || std::isfinite(*e.truth);
  return {{"kind", e.kind},
          {"output", e.output},
          {"index", e.index},
          {"got", optional_number(e.got)},
          {"truth", optional_number(e.truth)},
          {"low", interval ? optional_number(e.low) : ordered_json(nullptr)},
          {"high", interval ? optional_number(e.high) : ordered_json(nullptr)},
          {"excess", optional_number(e.excess)},
          {"bad_elements", e.bad_elements},
          {"location", e.location},
          {"detail", e.detail},
          {"text", describe(e)}};
}

ordered_json to_json(const Place& place) {
  return {{"distance", place.distance}, {"from", place.from_end ? "end" : "start"}};
}

ordered_json to_json(const Case& c, const Subject& subject) {
  const Signature& signature = subject.contract.signature();
  ordered_json dims = ordered_json::object(), attributes = ordered_json::object();
  for (std::size_t i = 0; i < signature.dims.size(); ++i) dims[signature.dims[i]] = c.instance.dims[i];
  for (std::size_t i = 0; i < signature.attributes.size(); ++i)
    attributes[signature.attributes[i].name] = number(c.instance.attributes[i]);
  ordered_json inputs = ordered_json::array(), plants = ordered_json::array();
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    inputs.push_back({{"name", signature.inputs[i].name},
                      {"fill", name(c.inputs[i].fill)},
                      {"scale", c.inputs[i].scale},
                      {"order", name(c.inputs[i].order)},
                      {"offset", c.inputs[i].offset}});
  for (const Plant& plant : c.plants)
    plants.push_back({{"input", signature.inputs[plant.input].name},
                      {"value", name(plant.value)},
                      {"row", to_json(plant.row)},
                      {"column", to_json(plant.column)}});
  return {{"text", describe(c, subject)},
          {"dtype", name(c.instance.dtype)},
          {"dims", dims},
          {"attributes", attributes},
          {"inputs", inputs},
          {"output_offsets", c.output_offsets},
          {"plants", plants},
          {"seed", c.seed}};
}

ordered_json to_json(const Report& report, const GateReport& gate) {
  ordered_json evidence = ordered_json::array();
  for (const Finding& finding : report.check.findings)
    if (finding.gate == gate.gate) evidence.push_back(to_json(finding.verdict.evidence));
  return {{"id", gate.gate->id},
          {"title", gate.gate->title},
          {"tolerance_free", gate.gate->tolerance_free},
          {"verdict", verdict_of(report, gate)},
          {"cases", gate.cases},
          {"passed", gate.passed},
          {"failed", gate.findings},
          {"undecidable", gate.undecidable},
          {"not_applicable", gate.not_applicable},
          {"reason", reason_of(report, gate)},
          {"seconds", gate.seconds},
          {"evidence", evidence}};
}

ordered_json to_json(const Report& report, const Finding& finding) {
  const Subject& subject = report.target.subject;
  const Saved& saved = report.saved_as(finding);
  return {{"signature", finding.signature.text},
          {"gate", finding.gate->id},
          {"outcome", name(finding.verdict.outcome)},
          {"evidence", to_json(finding.verdict.evidence)},
          {"case", to_json(finding.shrunk, subject)},
          {"original", to_json(finding.original, subject)},
          {"hits", finding.hits},
          {"reproduced", finding.reproduced},
          {"shrinking",
           {{"steps", finding.shrinking.steps},
            {"runs", finding.shrinking.runs},
            {"stopped_by", finding.shrinking.stopped_by}}},
          {"seconds", finding.seconds},
          {"saved", saved.path.empty() ? ordered_json(nullptr) : ordered_json(saved.path)},
          {"replay", replay_line(report, finding)}};
}

ordered_json to_json(const std::optional<Certificate>& certificate) {
  if (!certificate) return nullptr;
  ordered_json imposters = ordered_json::array();
  for (const Tried& tried : certificate->imposters)
    imposters.push_back(
        {{"fault", tried.fault},
         {"fate", name(tried.fate)},
         {"gate", tried.gate != nullptr ? ordered_json(tried.gate->id) : ordered_json(nullptr)},
         {"cases", tried.cases},
         {"on", tried.on}});
  return {{"text", certificate_sentence(*certificate)},
          {"cases", certificate->cases},
          {"rejected", certificate->count(Fate::rejected)},
          {"survived", certificate->count(Fate::survived)},
          {"equal", certificate->count(Fate::equal)},
          {"absent", certificate->count(Fate::absent)},
          {"untried", certificate->count(Fate::untried)},
          {"seconds", certificate->seconds},
          {"imposters", imposters}};
}

std::int64_t peak_kib() {
  struct rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

std::string json_report(const Report& report) {
  const Target& target = report.target;
  const CheckReport& check = report.check;
  const Signature& signature = target.subject.contract.signature();
  ordered_json entries = ordered_json::array(), dtypes = ordered_json::array();
  for (const Binding& binding : target.kernel.bindings) entries.push_back(to_string(binding, signature));
  for (DType dtype : target.subject.dtypes) dtypes.push_back(name(dtype));
  ordered_json gates = ordered_json::array(), findings = ordered_json::array();
  for (const GateReport& gate : check.gates) gates.push_back(to_json(report, gate));
  for (const Finding& finding : check.findings) findings.push_back(to_json(report, finding));
  const double share = check.elements > 0
                           ? static_cast<double>(check.elements_by_mpfr) / static_cast<double>(check.elements)
                           : 0.0;
  const ordered_json json = {{"assay", ASSAY_VERSION},
                             {"kernel", target.asked.kernel.string()},
                             {"contract", signature.name},
                             {"entries", entries},
                             {"dtypes", dtypes},
                             {"where", target.subject.where.text()},
                             {"relaxed", names(target.subject.allow)},
                             {"executor", target.asked.executor == Executor::cuda ? "cuda" : "cpu"},
                             {"device", target.kernel.device},
                             {"seed", check.seed},
                             {"exit_code", exit_code(check)},
                             {"verdict", verdict_sentence(report)},
                             {"interrupted", check.interrupted},
                             {"infrastructure", check.infrastructure},
                             {"seconds", {{"build", report.build_seconds}, {"check", check.seconds}}},
                             {"peak_kib", peak_kib()},
                             {"elements",
                              {{"judged", check.elements},
                               {"by_mpfr", check.elements_by_mpfr},
                               {"share_by_mpfr", share},
                               {"useless", check.elements_useless}}},
                             {"suspect",
                              {{"cases", check.suspect},
                               {"first", check.suspicion},
                               {"strain", check.strain.root_mean_square()},
                               {"elements", check.strain.elements}}},
                             {"certificate", to_json(report.certificate)},
                             {"gates", gates},
                             {"findings", findings}};
  // A kernel's own output may hold bytes that are no UTF-8.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace assay::cli
