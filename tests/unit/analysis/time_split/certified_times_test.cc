#include "analysis/time_split/certified_times.h"

#include <gtest/gtest.h>

#include <vector>

namespace traced {
namespace {

constexpr CertifiedTime kExact{50, 50, 50};
constexpr CertifiedTime kWithin{100, 80, 140};

CertifiedTimes timesOf(const std::vector<CertifiedTime>& all) {
  CertifiedTimes times;
  for (const CertifiedTime& time : all) times.add(time);
  return times;
}

// Independent of which half has inexact times.
TEST(CertifiedTimesTest, AddingTwoEqualsOneOfBoth) {
  const std::vector<std::vector<CertifiedTime>> halves = {
      {}, {kExact}, {kWithin}, {kExact, kExact, kWithin}};
  for (const auto& first : halves) {
    for (const auto& second : halves) {
      std::vector<CertifiedTime> both = first;
      both.insert(both.end(), second.begin(), second.end());
      CertifiedTimes sum = timesOf(first);
      sum.add(timesOf(second));
      const CertifiedTimes expected = timesOf(both);
      EXPECT_EQ(sum.count(), expected.count());
      EXPECT_EQ(sum.totalNs(), expected.totalNs());
      for (const auto of :
           {&CertifiedTimes::p50, &CertifiedTimes::p99, &CertifiedTimes::max}) {
        EXPECT_EQ((sum.*of)().ns, (expected.*of)().ns);
        EXPECT_EQ((sum.*of)().low_ns, (expected.*of)().low_ns);
        EXPECT_EQ((sum.*of)().high_ns, (expected.*of)().high_ns);
      }
    }
  }
}

TEST(CertifiedTimesTest, EachBoundHasItsOwnMaximum) {
  const CertifiedTime most =
      timesOf({kExact, kWithin, CertifiedTime{120, 60, 130}}).max();
  EXPECT_EQ(most.ns, 120);
  EXPECT_EQ(most.low_ns, 80);
  EXPECT_EQ(most.high_ns, 140);
}

}  // namespace
}  // namespace traced
