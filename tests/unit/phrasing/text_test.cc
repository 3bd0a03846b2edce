#include "phrasing/text.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(TextTest, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(printable("a\x1B[31mb\n\x7F"), "a?[31mb??");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "?31m");
  EXPECT_EQ(printable("\x9B"
                      "31m\xFF"),
            "?31m?");
  EXPECT_EQ(printable("köln"), "köln");
  EXPECT_EQ(printable("a\u202Eb\u2028c\uFEFFd\u061C\u2066e\u200Bf"),
            "a?b?c?d??e?f");
  EXPECT_EQ(printable("tag\U000E0041s"), "tag?s");
  EXPECT_EQ(printable("日本語 Ж é \U0001F680 \u200D"),
            "日本語 Ж é \U0001F680 \u200D");
}

TEST(TextTest, NumbersHaveTheNecessaryDigits) {
  EXPECT_EQ(groupedText(0), "0");
  EXPECT_EQ(groupedText(118204), "118 204");
  EXPECT_EQ(groupedText(1234567), "1 234 567");
  EXPECT_EQ(threeDigits(412), "412");
  EXPECT_EQ(threeDigits(19.84), "19.8");
  EXPECT_EQ(threeDigits(3.914), "3.91");
  EXPECT_EQ(threeDigits(0.41), "0.410");
  EXPECT_EQ(threeDigits(99.96), "100");
  EXPECT_EQ(threeDigits(0), "0.000");
  EXPECT_EQ(threeDigits(0.0004), "<0.001");
  EXPECT_EQ(millisecondsText(1'500'000), "1.50");
  EXPECT_EQ(percentText(0.1744), "17.4 %");
}

TEST(TextTest, UnitsAreChosenBySize) {
  EXPECT_EQ(bytesText(1000), "1000 B");
  EXPECT_EQ(bytesText(1024), "1.0 KiB");
  EXPECT_EQ(bytesText(std::uint64_t{238} << 30), "238 GiB");
  EXPECT_EQ(durationText(12'345'678'900), "12.346 s");
  EXPECT_EQ(durationText(761'000'000'000), "00:12:41");
  EXPECT_EQ(countOf(1, "rank"), "1 rank");
  EXPECT_EQ(countOf(2000, "rank"), "2 000 ranks");
}

}  // namespace
}  // namespace traced
