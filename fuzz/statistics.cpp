// What a campaign's numbers say, as JSON and as one sentence.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fuzz/campaign.h"

namespace assay::fuzz {

std::string to_json(const Statistics& s) {
  auto families = nlohmann::ordered_json::object(), findings = nlohmann::ordered_json::object(),
       mutators = nlohmann::ordered_json::array();
  for (int f = 0; f < kFamilies; ++f)
    families[std::string(name(static_cast<Family>(f)))] = s.by_family[static_cast<std::size_t>(f)];
  for (const auto& [state, n] : s.findings) findings[std::string(name(state))] = n;
  for (const Statistics::Yield& y : s.mutators)
    mutators.push_back({{"name", y.mutator}, {"tried", y.tried}, {"yielded", y.yielded}});
  const auto since = [](double seconds) {
    return seconds < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(seconds);
  };
  return nlohmann::ordered_json{{"seconds", s.seconds},
                                {"total_seconds", s.total_seconds},
                                {"executions", s.executions},
                                {"executions_per_second", s.executions_per_second},
                                {"runs_of_the_kernel", s.runs},
                                {"outside_of_the_domain", s.outside},
                                {"worker_deaths", s.restarts},
                                {"corpus", s.corpus},
                                {"features", s.features},
                                {"features_by_family", families},
                                {"seconds_since_new_feature", since(s.since_feature)},
                                {"seconds_since_new_finding", since(s.since_finding)},
                                {"findings", findings},
                                {"reports_waiting", s.waiting},
                                {"stability", s.stability},
                                {"kernel_share", s.kernel_share},
                                {"oracle_share", s.oracle_share},
                                {"mpfr_share", s.mpfr_share},
                                {"undecidable_elements", s.undecidable},
                                {"mutators", mutators},
                                {"advice", s.advice}}
      .dump(1);
}

std::string advise(const Statistics& s) {
  constexpr double kQuiet = 600;  // seconds
  if (s.seconds > 15 && s.executions_per_second < 1)
    return "hardly any execution in the last ten seconds: the kernel hangs, or the machine is busy";
  if (s.executions > 1000 && 2 * s.outside > s.executions)
    return "most cases are outside of the domain: a wider --where would help";
  if (s.stability < 0.9)
    return "the same case takes other ways when it is run again: the kernel depends on more than its inputs";
  if (s.since_feature < 0 || s.since_feature < kQuiet / 10)
    return "healthy: new behaviour is still being found";
  if (s.since_feature < kQuiet) return "healthy: new behaviour gets rare";
  return fmt::format("nothing new for {:.0f} minutes: it may be stopped", s.since_feature / 60);
}

}  // namespace assay::fuzz
