#include <gtest/gtest.h>

#include "phrasing/text.h"

namespace traced {
namespace {

TEST(WrapTest, IndentsContinuationLines) {
  EXPECT_EQ(wrapped("  - ", "one two  three four", 12),
            "  - one two\n    three\n    four\n");
}

TEST(WrapTest, ALineIsFilledToItsLastColumn) {
  EXPECT_EQ(wrapped("", "abcd ef", 7), "abcd ef\n");
  EXPECT_EQ(wrapped("", "abcd ef", 6), "abcd\nef\n");
}

TEST(WrapTest, PutsATooLongWordOnALineOfItsOwn) {
  EXPECT_EQ(wrapped("- ", "a verylongword b", 6), "- a\n  verylongword\n  b\n");
  EXPECT_EQ(wrapped("- ", "verylongword", 6), "- verylongword\n");
}

TEST(WrapTest, CharactersAreCountedAndNotBytes) {
  EXPECT_EQ(wrapped("", "köln köln", 9), "köln köln\n");
}

TEST(WrapTest, LinesThatFitStayAsTheyAre) {
  EXPECT_EQ(wrappedLines("a  b\n\n  c d\n", 5), "a  b\n\n  c d\n");
  EXPECT_EQ(wrappedLines(" ab cd\n", 5), " ab\n cd\n");
  EXPECT_EQ(wrappedLines("", 5), "");
}

TEST(WrapTest, EmptyTextStaysEmpty) { EXPECT_EQ(wrapped("- ", ""), "- \n"); }

}  // namespace
}  // namespace traced
