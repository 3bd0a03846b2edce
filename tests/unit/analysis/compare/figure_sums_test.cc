#include "analysis/compare/figure_sums.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

constexpr int kKeys = 4;

// Without steps a run is one stretch.
class FigureSumsTest : public ::testing::Test {
 protected:
  FigureSumsTest() { stretches_.add(StreamTable()); }

  static RunKey keyOf(int number) {
    return {"all_reduce", "dp", "float32", std::to_string(number)};
  }
  // Of one that is called so often at each of these lines.
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

// Lines come in any order, so several kinds of calls are asked for.
TEST_F(FigureSumsTest, ItsLineIsTheOneThatCallsItMostOften) {
  std::map<std::string, int> sites;
  for (int i = 10; i < 30; ++i) sites["train.py:" + std::to_string(i)] = i;
  for (int number = 0; number < kKeys; ++number) {
    add(number, sites);
    EXPECT_EQ(siteOf(number), "train.py:29");
  }
}

TEST_F(FigureSumsTest, OfLinesThatCallItAsOftenItIsTheFirstByName) {
  std::map<std::string, int> sites;
  for (int i = 10; i < 30; ++i) sites["train.py:" + std::to_string(i)] = 2;
  for (int number = 0; number < kKeys; ++number) {
    add(number, sites);
    EXPECT_EQ(siteOf(number), "train.py:10");
  }
  add(kKeys, {});
  EXPECT_EQ(siteOf(kKeys), "");
}

}  // namespace
}  // namespace traced
