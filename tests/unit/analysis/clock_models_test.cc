#include "analysis/clock_models.h"

#include <gtest/gtest.h>

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

TEST(ClockModelsTest, OneClockHasNoOffsetWhateverTheWallClocksSay) {
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

TEST(ClockModelsTest, AMergedFilesModelsAreUsedWhenTheyAreComplete) {
  const v1::Header a = header(1, "a", 0, 0);
  const v1::Header b = header(2, "b", 0, 0);
  std::vector<v1::ClockModel> known(2);
  known[0].set_stream_id(2);
  known[0].set_offset_ns(77);
  known[1].set_stream_id(1);
  EXPECT_EQ(modelClocks({&a, &b}, known)[1].offset_ns(), 77);
  known.pop_back();
  EXPECT_EQ(modelClocks({&a, &b}, known)[1].offset_ns(), 0);
}

}  // namespace
}  // namespace traced
