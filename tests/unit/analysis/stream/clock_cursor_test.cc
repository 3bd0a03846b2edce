#include "analysis/stream/clock_cursor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/test_seed.h"

namespace traced {
namespace {

void addKnot(v1::ClockModel& clock, std::int64_t at_ns,
             std::int64_t offset_ns) {
  v1::ClockKnot& knot = *clock.add_knot();
  knot.set_monotonic_ns(at_ns);
  knot.set_offset_ns(offset_ns);
  knot.set_below_ns(40);
  knot.set_above_ns(60);
}

TEST(ClockCursorTest, EarlierQueriesDoNotChangeAnAnswer) {
  const std::uint64_t seed = testing::testSeed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> step(1, 100'000);
  std::uniform_int_distribution<std::int64_t> offset(-1'000'000, 1'000'000);
  v1::ClockModel clock;
  clock.set_source(v1::CLOCK_SOURCE_COLLECTIVES);
  clock.set_rate_ppb(1'500);
  clock.set_max_drift_ppb(50'000);
  std::int64_t at_ns = 1'000'000;
  for (int i = 0; i < 50; ++i) {
    addKnot(clock, at_ns += step(random), offset(random));
    clock.mutable_knot(i)->set_starts_segment(step(random) % 10 == 0);
  }
  std::uniform_int_distribution<std::int64_t> any(900'000, at_ns + 100'000);
  const ClockCursor cursor(clock);
  for (int i = 0; i < 5000; ++i) {
    // Includes the knots themselves, and instants before the first and after
    // the last knot.
    const std::int64_t ns =
        i % 3 == 0 ? clock.knot(i % 50).monotonic_ns() : any(random);
    EXPECT_EQ(cursor.commonNs(ns), commonNs(clock, ns)) << ns;
    const auto certified = cursor.certifiedNs(ns);
    const auto expected = certifiedNs(clock, ns);
    ASSERT_EQ(certified.has_value(), expected.has_value()) << ns;
    if (!certified) continue;
    EXPECT_EQ(certified->low_ns, expected->low_ns) << ns;
    EXPECT_EQ(certified->high_ns, expected->high_ns) << ns;
  }
}

TEST(ClockCursorTest, OffsetsBetweenKnotsAreRoundedAwayFromZero) {
  v1::ClockModel clock;
  addKnot(clock, 1000, 0);
  addKnot(clock, 2000, 101);
  addKnot(clock, 3000, -100);
  const ClockCursor cursor(clock);
  for (std::int64_t ns = 1000; ns <= 3000; ++ns) {
    const double exact = ns <= 2000
                             ? static_cast<double>(ns - 1000) / 1000.0 * 101.0
                             : static_cast<double>(ns - 2000) / 1000.0 * -201.0;
    const std::int64_t from = ns <= 2000 ? 0 : 101;
    EXPECT_EQ(cursor.commonNs(ns), ns + from + std::llround(exact)) << ns;
  }
}

}  // namespace
}  // namespace traced
