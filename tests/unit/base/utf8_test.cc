#include "base/utf8.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(ToValidUtf8Test, LeavesValidTextAlone) {
  for (const char* text :
       {"", "plain", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(toValidUtf8(text), text);
  }
}

TEST(ToValidUtf8Test, ReplacesEachBadByte) {
  EXPECT_EQ(toValidUtf8("a\xFFz"), "a?z");
  EXPECT_EQ(toValidUtf8("\xE2\x82"), "??") << "cut in the middle";
  EXPECT_EQ(toValidUtf8("\xC0\xAF"), "??") << "overlong";
  EXPECT_EQ(toValidUtf8("\xED\xA0\x80"), "???") << "surrogate";
  EXPECT_EQ(toValidUtf8("\xF4\x90\x80\x80"), "????") << "beyond U+10FFFF";
}

TEST(FirstCharacterTest, HasItsCodeAndItsBytes) {
  const auto is = [](const char* text, char32_t code, std::size_t bytes) {
    const Utf8Character first = firstCharacter(text);
    return first.code == code && first.bytes == bytes;
  };
  EXPECT_TRUE(is("ab", 'a', 1));
  EXPECT_TRUE(is("\xC3\xA9z", 0xE9, 2));
  EXPECT_TRUE(is("\xE2\x80\xAEz", 0x202E, 3));
  EXPECT_TRUE(is("\xF0\x9F\x98\x80z", 0x1F600, 4));
}

}  // namespace
}  // namespace traced
