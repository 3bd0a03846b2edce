#include "recorder/metrics/metrics.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace traced {
namespace {

std::set<std::string> namesOf(const RankFigures& figures) {
  std::set<std::string> names;
  for (const Metric& metric : metricsOf(figures, figures.polled_ns)) {
    names.insert(metric.name);
  }
  return names;
}

RankFigures busyRank() {
  RankFigures figures;
  figures.polled_ns = 5'000'000'000;
  figures.operations = 3;
  figures.bytes = 96;
  figures.own_call_ns = 1'500'000'000;
  figures.last_issue_ns = 4'500'000'000;
  figures.in_flight = 1;
  figures.oldest = {
      {9, "all_reduce", "0", "a \"group\"\xff", 4, 32, -1, 3'000'000'000}};
  figures.step = 12;
  figures.step_began_ns = 4'000'000'000;
  figures.step_ns = 250'000'000;
  return figures;
}

TEST(MetricsTest, UnknownValuesAreAbsent) {
  const std::set<std::string> names = namesOf(RankFigures());
  EXPECT_TRUE(names.contains("traced_rank_operations_total"));
  for (const char* name :
       {"traced_rank_seconds_since_operation", "traced_rank_step",
        "traced_rank_seconds_since_step", "traced_rank_step_seconds"}) {
    EXPECT_FALSE(names.contains(name)) << name;
    EXPECT_TRUE(namesOf(busyRank()).contains(name)) << name;
  }
}

TEST(MetricsTest, TimesAreThoseOfTheReading) {
  const auto json =
      nlohmann::json::parse(metricsJson(busyRank(), 7'000'000'000));
  EXPECT_EQ(json.at("traced_rank_operations_total"), 3);
  EXPECT_EQ(json.at("traced_rank_own_call_seconds_total"), 1.5);
  EXPECT_EQ(json.at("traced_rank_seconds_since_operation"), 0.5);
  EXPECT_EQ(json.at("traced_rank_oldest_in_flight_seconds"), 2.0);
  EXPECT_EQ(json.at("traced_rank_step"), 12);
  EXPECT_EQ(json.at("traced_rank_seconds_since_step"), 1.0);
  EXPECT_EQ(json.at("traced_rank_step_seconds"), 0.25);
  EXPECT_EQ(json.at("traced_rank_metrics_age_seconds"), 2.0);
}

TEST(MetricsTest, OperationsInFlightAreJsonWhateverTheirGroupIsCalled) {
  const auto json =
      nlohmann::json::parse(inFlightJson(busyRank(), 5'000'000'000));
  EXPECT_EQ(json.at("in_flight"), 1);
  const auto& op = json.at("oldest").at(0);
  EXPECT_EQ(op.at("op"), "all_reduce");
  EXPECT_EQ(op.at("group_desc"), "a \"group\"\xef\xbf\xbd");
  EXPECT_EQ(op.at("seq"), 4);
  EXPECT_EQ(op.at("seconds"), 2.0);
  EXPECT_FALSE(op.contains("peer_global"));
}

}  // namespace
}  // namespace traced
