// Figures as OpenMetrics. Whole answers are held against Prometheus' own reader
// in tests/integration/test_serve.py.

#include "cli/serve/exposition.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(ExpositionTest, FamiliesAreTogetherWhateverTheOrder) {
  Exposition out;
  out.family("b", Exposition::Type::kCounter, "Bees");
  out.add({{"rank", "0"}}, 1);
  out.family("a", Exposition::Type::kGauge, "Apes");
  out.add({}, 0.5);
  out.family("b", Exposition::Type::kCounter, "Bees");
  out.add({{"rank", "1"}}, 2);
  EXPECT_EQ(out.text(),
            "# TYPE a gauge\n# HELP a Apes\na 0.5\n"
            "# TYPE b counter\n# HELP b Bees\n"
            "b_total{rank=\"0\"} 1\nb_total{rank=\"1\"} 2\n# EOF\n");
}

TEST(ExpositionTest, WhatAProgramCallsItsGroupsEndsNoLabel) {
  Exposition out;
  out.family("a", Exposition::Type::kGauge, "");
  out.add({{"group", "x\"} 1\n\\ \x01\xff"}}, 1);
  EXPECT_NE(out.text().find("a{group=\"x\\\"} 1\\n\\\\ ?"), std::string::npos)
      << out.text();
}

}  // namespace
}  // namespace traced
