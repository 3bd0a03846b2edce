#include "analysis/compare/figure_sums.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "analysis/compare/compare_limits.h"
#include "support/test_seed.h"

namespace traced {
namespace {

constexpr int kKeys = 4;

// A run without steps is one interval.
class FigureSumsTest : public ::testing::Test {
 protected:
  FigureSumsTest() { stretches_.add({{0, 1000}}); }

  static RunKey keyOf(int number) {
    return {"all_reduce", "dp", "float32", std::to_string(number)};
  }
  // Adds an operation with these numbers of calls per line.
  void add(int number, const std::map<std::string, int>& sites) {
    const std::uint32_t key = *sums_.keyOf(keyOf(number));
    sums_.add(key, 0, 64, {});
    for (const auto& [site, calls] : sites) {
      for (int i = 0; i < calls; ++i) sums_.addSite(key, site);
    }
  }
  std::string siteOf(int number) const {
    RunFigures figures;
    sums_.finish(stretches_, figures);
    return figures.keys.at(keyOf(number)).site;
  }

  Stretches stretches_{StepRange()};
  FigureSums sums_;
};

// Lines arrive in any order, so the test queries several kinds of calls.
TEST_F(FigureSumsTest, ItsLineIsTheOneThatCallsItMostOften) {
  std::map<std::string, int> sites;
  for (int i = 10; i < 30; ++i) sites["train.py:" + std::to_string(i)] = i;
  for (int number = 0; number < kKeys; ++number) {
    add(number, sites);
    EXPECT_EQ(siteOf(number), "train.py:29");
  }
}

TEST_F(FigureSumsTest, TheFirstLineByNameWinsATie) {
  std::map<std::string, int> sites;
  for (int i = 10; i < 30; ++i) sites["train.py:" + std::to_string(i)] = 2;
  for (int number = 0; number < kKeys; ++number) {
    add(number, sites);
    EXPECT_EQ(siteOf(number), "train.py:10");
  }
  add(kKeys, {});
  EXPECT_EQ(siteOf(kKeys), "");
}

// Uses whole nanoseconds and four steps, so that sums do not depend on their
// order.
void addRandom(std::mt19937& random, FigureSums& sums) {
  const auto upTo = [&random](std::uint32_t most) { return random() % most; };
  const auto key =
      *sums.keyOf({"all_reduce", "dp", "float32", std::to_string(upTo(7))});
  OperationTimes times;
  for (std::optional<double>& part : times.parts) {
    if (upTo(3) > 0) part = upTo(1000);
  }
  times.ahead = upTo(1000);
  times.under_way = upTo(1000);
  times.uncertain = upTo(1000);
  sums.add(key, upTo(4), 1 + upTo(64), times);
  sums.addCaused(key, upTo(3), upTo(1000));
  sums.addComputed(key, upTo(3), upTo(1000));
  sums.addSite(key, "train.py:" + std::to_string(upTo(4)));
}

TEST(FigureSums, SeveralThreadsGiveTheSameSums) {
  const std::uint64_t seed = testing::testSeed();
  SCOPED_TRACE(::testing::Message() << "TEST_SEED=" << seed);
  Stretches stretches(StepRange(0, 3));
  for (std::uint64_t i = 0; i < 4; ++i) stretches.add({{i, 1000}});
  std::mt19937 random(seed), again(seed);
  FigureSums one, together;
  std::array<FigureSums, 4> several;
  for (int i = 0; i < 200; ++i) {
    addRandom(random, one);
    addRandom(again, several[i % several.size()]);
  }
  for (const FigureSums& sums : several) together.add(sums);
  RunFigures expected, merged;
  one.finish(stretches, expected);
  together.finish(stretches, merged);
  EXPECT_EQ(merged.total, expected.total);
  EXPECT_EQ(merged.caused_ns, expected.caused_ns);
  ASSERT_EQ(merged.keys.size(), expected.keys.size());
  for (const auto& [key, figures] : expected.keys) {
    const KeyFigures& of_reported = merged.keys.at(key);
    EXPECT_EQ(of_reported.values, figures.values);
    EXPECT_EQ(of_reported.ahead_ns, figures.ahead_ns);
    EXPECT_EQ(of_reported.uncertain_ns, figures.uncertain_ns);
    EXPECT_EQ(of_reported.caused_ns, figures.caused_ns);
    EXPECT_EQ(of_reported.computed_ns, figures.computed_ns);
    EXPECT_EQ(of_reported.site, figures.site);
  }
}

TEST(FigureSums, OperationsOfTooManyKindsAreCounted) {
  FigureSums sums, others;
  for (std::size_t i = 0; i < kMaxKeys; ++i) {
    ASSERT_TRUE(sums.keyOf({"send", "", "", std::to_string(i)}));
  }
  EXPECT_FALSE(sums.keyOf({"send", "", "", "one more"}));
  sums.leaveOut();
  for (int i = 0; i < 3; ++i) {
    others.add(*others.keyOf({"send", "", "", "one more"}), 0, 64, {});
  }
  others.add(*others.keyOf({"send", "", "", "0"}), 0, 64, {});
  sums.add(others);
  EXPECT_EQ(sums.leftOut(), 4u);
}

}  // namespace
}  // namespace traced
