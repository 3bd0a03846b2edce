#include "analysis/stream/clock_models.h"

#include <gtest/gtest.h>

#include <utility>

namespace traced {
namespace {

v1::Header header(std::uint64_t stream, const std::string& boot_id,
                  std::int64_t monotonic_ns, std::int64_t realtime_ns) {
  v1::Header header;
  header.set_stream_id(stream);
  header.set_boot_id(boot_id);
  header.mutable_started()->set_monotonic_ns(monotonic_ns);
  header.mutable_started()->set_realtime_ns(realtime_ns);
  return header;
}

TEST(ClockModelsTest, OneClockHasNoOffsetDespiteWallClocks) {
  const v1::Header a = header(1, "boot", 100, 10'000);
  const v1::Header b = header(2, "boot", 200, 10'150);
  const auto models = modelClocks({&a, &b});
  EXPECT_EQ(models[1].offset_ns(), 0);
  EXPECT_EQ(models[1].source(), v1::CLOCK_SOURCE_SAME_CLOCK);
}

TEST(ClockModelsTest, AnotherHostIsPlacedByItsWallClockOnce) {
  const v1::Header a = header(1, "boot-a", 100, 10'000);
  const v1::Header b = header(2, "boot-b", 5'000, 10'000);
  const v1::Header c = header(3, "boot-b", 6'000, 11'007);
  const auto models = modelClocks({&a, &b, &c});
  EXPECT_EQ(models[1].source(), v1::CLOCK_SOURCE_WALL_CLOCK);
  EXPECT_EQ(models[1].offset_ns(), -4'900);
  EXPECT_EQ(models[2].offset_ns(), -4'900);
  EXPECT_EQ(commonNs(models[1], 5'000), 100);
}

TEST(ClockModelsTest, WithoutABootIdNothingIsTheSameClock) {
  const v1::Header a = header(1, "", 100, 10'000);
  const v1::Header b = header(2, "", 100, 10'050);
  const auto models = modelClocks({&a, &b});
  EXPECT_EQ(models[0].source(), v1::CLOCK_SOURCE_SAME_CLOCK);
  EXPECT_EQ(models[1].source(), v1::CLOCK_SOURCE_WALL_CLOCK);
  EXPECT_EQ(models[1].offset_ns(), 50);
}

MergedClocks merged(const std::vector<std::uint64_t>& streams,
                    std::int64_t offset_ns) {
  MergedClocks clocks;
  for (const std::uint64_t stream : streams) {
    v1::ClockModel& model = clocks.models.emplace_back();
    model.set_stream_id(stream);
    model.set_offset_ns(offset_ns);
  }
  return clocks;
}

TEST(ClockModelsTest, AMergedFilesModelsAreUsedWhenTheyAreComplete) {
  const v1::Header a = header(1, "a", 0, 0);
  const v1::Header b = header(2, "b", 0, 0);
  const auto known = knownClocks({&a, &b}, {merged({2, 1, 3}, 77)});
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[1].stream_id(), 2u);
  EXPECT_EQ(known[1].offset_ns(), 77);
  EXPECT_TRUE(knownClocks({&a, &b}, {merged({2}, 77)}).empty());
}

TEST(ClockModelsTest, ModelsOfSeveralMergesAreNeverTakenTogether) {
  const v1::Header a = header(1, "a", 0, 0);
  const v1::Header b = header(2, "b", 0, 0);
  EXPECT_TRUE(knownClocks({&a, &b}, {merged({1}, 5), merged({2}, 77)}).empty());
  const auto known = knownClocks(
      {&a, &b}, {merged({1}, 5), merged({1, 2}, 66), merged({2, 1}, 77)});
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[0].offset_ns(), 66);
  EXPECT_EQ(known[1].offset_ns(), 66);
}

v1::ClockModel withKnots() {
  v1::ClockModel model;
  model.set_source(v1::CLOCK_SOURCE_COLLECTIVES);
  model.set_rate_ppb(1'000'000);
  model.set_max_drift_ppb(500'000'000);  // half a nanosecond per nanosecond
  for (const auto& [at_ns, offset_ns] :
       {std::pair{1000, 100}, {1040, 140}, {2000, 900}}) {
    v1::ClockKnot& knot = *model.add_knot();
    knot.set_monotonic_ns(at_ns);
    knot.set_offset_ns(offset_ns);
    knot.set_below_ns(10);
    knot.set_above_ns(20);
  }
  model.mutable_knot(2)->set_starts_segment(true);
  return model;
}

TEST(ClockModelsTest, TheOffsetIsLinearBetweenKnotsAndExtrapolated) {
  const v1::ClockModel model = withKnots();
  EXPECT_EQ(commonNs(model, 1000), 1100);
  EXPECT_EQ(commonNs(model, 1010), 1120);
  EXPECT_EQ(commonNs(model, 3000), 3000 + 900 + 1);
}

TEST(ClockModelsTest, BothNeighboursBoundWhatIsCertified) {
  const v1::ClockModel model = withKnots();
  const auto at = [&](std::int64_t ns) {
    const auto certified = certifiedNs(model, ns);
    EXPECT_TRUE(certified);
    return std::pair(certified->low_ns - ns, certified->high_ns - ns);
  };
  EXPECT_EQ(at(1000), std::pair(90L, 120L));
  EXPECT_EQ(at(1010), std::pair(115L, 125L));
  EXPECT_EQ(at(2010), std::pair(885L, 925L));
  EXPECT_FALSE(certifiedNs(model, 1500));  // the clock stepped somewhere here
}

TEST(ClockModelsTest, OnlyTheSameClockIsExactAndAWallClockIsNotCertified) {
  v1::ClockModel model;
  model.set_offset_ns(5);
  model.set_source(v1::CLOCK_SOURCE_SAME_CLOCK);
  EXPECT_EQ(certifiedNs(model, 7)->low_ns, 12);
  EXPECT_EQ(certifiedNs(model, 7)->high_ns, 12);
  model.set_source(v1::CLOCK_SOURCE_WALL_CLOCK);
  EXPECT_FALSE(certifiedNs(model, 7));
}

TEST(ClockModelsTest, KnotsOutOfOrderAreNotSound) {
  v1::ClockModel model = withKnots();
  EXPECT_TRUE(isSound(model));
  model.mutable_knot(1)->set_monotonic_ns(1000);
  EXPECT_FALSE(isSound(model));
}

}  // namespace
}  // namespace traced
