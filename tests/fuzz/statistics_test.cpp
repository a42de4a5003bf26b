#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fuzz/campaign.h"

namespace assay::fuzz {
namespace {

Statistics healthy() {
  Statistics s;
  s.seconds = s.total_seconds = 100;
  s.executions = 100'000;
  s.executions_per_second = 1000;
  s.since_feature = 5;
  return s;
}

bool says(const Statistics& s, std::string_view words) {
  return advise(s).find(words) != std::string::npos;
}

TEST(Statistics, one_sentence_says_whether_to_go_on) {
  Statistics s = healthy();
  EXPECT_TRUE(says(s, "still being found"));
  s.since_feature = 300;
  EXPECT_TRUE(says(s, "gets rare"));
  s.since_feature = 1200;
  EXPECT_TRUE(says(s, "nothing new for 20 minutes"));
  s.stability = 0.5;
  EXPECT_TRUE(says(s, "more than its inputs"));
  s.outside = 90'000;
  EXPECT_TRUE(says(s, "outside of the domain"));
  s.executions_per_second = 0;
  EXPECT_TRUE(says(s, "hardly any execution"));
}

TEST(Statistics, are_json) {
  Statistics s = healthy();
  s.findings = {{State::confirmed, 2}};
  s.mutators = {{"a \"b\"", 3, 1}};
  const auto json = nlohmann::json::parse(to_json(s));
  EXPECT_EQ(json["executions"], 100'000);
  EXPECT_EQ(json["findings"]["confirmed"], 2);
  EXPECT_EQ(json["mutators"][0]["yielded"], 1);
  EXPECT_TRUE(json["seconds_since_new_finding"].is_null()) << "none yet";
  EXPECT_EQ(json["features_by_family"].size(), static_cast<std::size_t>(kFamilies));
}

}  // namespace
}  // namespace assay::fuzz
