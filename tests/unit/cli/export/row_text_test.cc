#include "cli/export/row_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace traced {
namespace {

TEST(RowTextTest, PiecesOfAnyLengthFollowEachOther) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  RowText text;
  std::string expected;
  for (int i = 0; i < 2000; ++i) {
    const std::string piece(random() % 100, static_cast<char>('a' + i % 26));
    RowText made;
    made.append(piece);
    switch (random() % 4) {
      case 0:
        text.append(piece);
        expected += piece;
        break;
      case 1:
        text.append(made);
        expected += piece;
        break;
      case 2:
        text.append('x');
        expected += 'x';
        break;
      default:
        std::fill_n(text.end(), RowText::kRoom, '-');
        text.endAt(text.end() + random() % (RowText::kRoom + 1));
        expected.resize(text.size(), '-');
    }
    ASSERT_EQ(text.view(), expected);
  }
  text.replaceLast('!');
  EXPECT_EQ(text.view().back(), '!');
  text.clear();
  text.append('y');
  EXPECT_EQ(text.view(), "y");
}

}  // namespace
}  // namespace traced
