#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/diagnosis/job_state/timing.h"

namespace traced {
namespace {

Timing timingOf(std::uint64_t seq, std::uint32_t rank) {
  Timing timing;
  timing.seq = seq;
  timing.rank = rank;
  return timing;
}

using Named = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

Named namesOf(const Timings& timings) {
  Named names;
  for (const Timing& timing : timings) {
    names.emplace_back(timing.seq, timing.rank);
  }
  return names;
}

TEST(TimingsTest, AreInTheOrderOfTheirCollectives) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t stride = 1 + random() % 5;
    // Some values are so far apart that they are not counted.
    const std::uint64_t range = random() % 4 == 0 ? 1'000'000'000 : 50;
    Timings timings;
    for (std::uint32_t i = random() % 200; i > 0; --i) {
      timings.push_back(timingOf((1 + random() % range) * stride, i));
    }
    Named expected = namesOf(timings);
    std::stable_sort(
        expected.begin(), expected.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    EXPECT_EQ(namesOf(bySeq(timings)), expected);
  }
}

TEST(TimingsTest, NumbersMayBeAnything) {
  const std::uint64_t most = ~std::uint64_t{0};
  const Timings timings = {timingOf(most, 1), timingOf(0, 2), timingOf(most, 3),
                           timingOf(1, 4)};
  const Named expected = {{0, 2}, {1, 4}, {most, 1}, {most, 3}};
  EXPECT_EQ(namesOf(bySeq(timings)), expected);
  EXPECT_TRUE(bySeq({}).empty());
}

}  // namespace
}  // namespace traced
