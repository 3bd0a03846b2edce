// Tests figures in OpenMetrics. tests/integration/test_serve.py checks whole
// responses with Prometheus' own parser.

#include <gtest/gtest.h>

#include "cli/serve/metric_families.h"

namespace traced {
namespace {

TEST(OpenMetricsTest, FamiliesAreTogetherWhateverTheOrder) {
  MetricFamilies metrics;
  metrics.begin({"one", 0});
  metrics.counter("b", "Bees", {{"rank", "0"}}, 1);
  metrics.gauge("a", "Apes", {}, 0.5);
  metrics.begin({"two", 0});
  metrics.counter("b", "Bees", {{"rank", "1"}}, 2);
  EXPECT_EQ(openMetricsText(metrics),
            "# TYPE a gauge\n# HELP a Apes\na 0.5\n"
            "# TYPE b counter\n# HELP b Bees\n"
            "b_total{rank=\"0\"} 1\nb_total{rank=\"1\"} 2\n# EOF\n");
}

TEST(OpenMetricsTest, BucketsAddUp) {
  TimeBuckets buckets;
  buckets.add(900);
  buckets.add(1001);
  MetricFamilies metrics;
  metrics.begin({});
  metrics.histogram("t_seconds", "", {{"op", "x"}}, buckets);
  const std::string text = openMetricsText(metrics);
  for (const char* line : {"t_seconds_bucket{op=\"x\",le=\"1e-06\"} 1\n",
                           "t_seconds_bucket{op=\"x\",le=\"4e-06\"} 2\n",
                           "t_seconds_bucket{op=\"x\",le=\"+Inf\"} 2\n",
                           "t_seconds_count{op=\"x\"} 2\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

TEST(OpenMetricsTest, EscapesGroupNames) {
  MetricFamilies metrics;
  metrics.begin({});
  metrics.gauge("a", "", {{"group", "x\"} 1\n\\ \x01\xff"}}, 1);
  const std::string text = openMetricsText(metrics);
  EXPECT_NE(text.find("a{group=\"x\\\"} 1\\n\\\\ ?"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace traced
