// Tests figures in the JSON of OTLP. tests/integration/test_otlp.py checks
// whole messages against the published schema.

#include "cli/serve/otlp/otlp_message.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace traced {
namespace {

using nlohmann::json;

json messageOf(const MetricFamilies& metrics) {
  return json::parse(otlpMessage(metrics, "node7", 2'000));
}

json onlyMetric(const MetricFamilies& metrics) {
  return messageOf(
      metrics)["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0];
}

TEST(OtlpMessageTest, ACounterIsACumulativeSum) {
  MetricFamilies metrics;
  metrics.begin({"run42", 1'000});
  metrics.counter("traced_bytes", "Bytes", {{"op", "send"}}, 3);
  EXPECT_EQ(onlyMetric(metrics), json::parse(R"({
    "name": "traced_bytes", "description": "Bytes", "unit": "By",
    "sum": {"aggregationTemporality": 2, "isMonotonic": true, "dataPoints": [{
      "attributes": [{"key": "op", "value": {"stringValue": "send"}}],
      "startTimeUnixNano": "1000", "timeUnixNano": "2000", "asDouble": 3.0}]}
  })"));
}

TEST(OtlpMessageTest, AGaugeHasNoStartTime) {
  MetricFamilies metrics;
  metrics.begin({"run42", 1'000});
  metrics.gauge("traced_rank_step", "Step", {}, 7);
  EXPECT_EQ(onlyMetric(metrics)["gauge"], json::parse(R"({"dataPoints": [{
    "attributes": [], "timeUnixNano": "2000", "asDouble": 7.0}]})"));
}

TEST(OtlpMessageTest, BucketsOfAHistogramAreCountedByThemselves) {
  TimeBuckets buckets;
  for (const std::uint64_t ns : {900, 1001, 1002}) buckets.add(ns);
  buckets.add(100'000'000'000);
  MetricFamilies metrics;
  metrics.begin({"run42", 1'000});
  metrics.histogram("t_seconds", "", {}, buckets);
  const json metric = onlyMetric(metrics);
  EXPECT_EQ(metric["unit"], "s");
  const json& point = metric["histogram"]["dataPoints"][0];
  EXPECT_EQ(point["count"], "4");
  EXPECT_EQ(point["bucketCounts"].size(), TimeBuckets::kBounds + 1);
  EXPECT_EQ(point["bucketCounts"][0], "1");
  EXPECT_EQ(point["bucketCounts"][1], "2");
  EXPECT_EQ(point["bucketCounts"][TimeBuckets::kBounds], "1");
  EXPECT_EQ(point["explicitBounds"].size(), TimeBuckets::kBounds);
  EXPECT_EQ(point["explicitBounds"][0], 1e-6);
  EXPECT_NEAR(point["sum"].get<double>(), 100.000002903, 1e-9);
}

TEST(OtlpMessageTest, EachJobIsAServiceOfThisHost) {
  MetricFamilies metrics;
  metrics.begin({"run42", 1'000});
  metrics.gauge("a", "", {{"job", "run42"}}, 1);
  metrics.begin({"", 1'000});
  metrics.gauge("b", "", {}, 2);
  const json resources = messageOf(metrics)["resourceMetrics"];
  ASSERT_EQ(resources.size(), 2);
  EXPECT_EQ(resources[0]["resource"], json::parse(R"({"attributes": [
    {"key": "service.name", "value": {"stringValue": "run42"}},
    {"key": "service.instance.id", "value": {"stringValue": "node7"}},
    {"key": "host.name", "value": {"stringValue": "node7"}}]})"));
  EXPECT_EQ(resources[1]["resource"]["attributes"][0]["value"]["stringValue"],
            "tracectl");
  EXPECT_EQ(resources[1]["scopeMetrics"][0]["metrics"].size(), 1);
}

TEST(OtlpMessageTest, GroupNamesMayBeInvalidUtf8) {
  MetricFamilies metrics;
  metrics.begin({"run42", 1'000});
  metrics.gauge("a", "", {{"group", "x\xff\"\n"}}, 1);
  const json point = onlyMetric(metrics)["gauge"]["dataPoints"][0];
  EXPECT_EQ(point["attributes"][0]["value"]["stringValue"],
            "x\xEF\xBF\xBD\"\n");
}

}  // namespace
}  // namespace traced
