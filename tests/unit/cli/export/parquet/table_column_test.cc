#include "cli/export/parquet/table_column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace traced {
namespace {

using ::testing::ElementsAre;

template <typename T>
std::vector<T> numbersIn(const std::string& data, std::size_t from,
                         std::size_t count) {
  std::vector<T> numbers(count);
  std::memcpy(numbers.data(), data.data() + from, count * sizeof(T));
  return numbers;
}

TEST(TableColumnTest, NumbersAreBehindTheBitsOfWhatIsThere) {
  TableColumn column({"n"});
  for (const std::int64_t number : {7, -1}) column.add(number);
  column.add(kNoValue);
  column.addCount(~std::uint64_t{0});
  for (int i = 0; i < 5; ++i) column.addIf(std::uint64_t{9});
  column.addIf(std::nullopt);
  std::string data = "12345678";
  const Json told = column.takeRows(data);
  EXPECT_EQ(told, Json({{"valid", 8}, {"values", 80}}));
  EXPECT_EQ(static_cast<unsigned char>(data[8]), 0b11110011);
  EXPECT_EQ(static_cast<unsigned char>(data[9]), 0b00000001);
  EXPECT_THAT(numbersIn<std::int64_t>(data, 16, 10),
              ElementsAre(7, -1, 0, 0, 9, 9, 9, 9, 9, 0));
  EXPECT_EQ(data.size(), 96);
  EXPECT_EQ(column.rows(), 0);
}

TEST(TableColumnTest, WhereAllIsThereNoBitsAre) {
  TableColumn column({"n"});
  column.add(5);
  std::string data;
  EXPECT_EQ(column.takeRows(data), Json({{"valid", 0}, {"values", 8}}));
  EXPECT_THAT(numbersIn<std::int64_t>(data, 0, 1), ElementsAre(5));
}

TEST(TableColumnTest, TextsAreTheirNumbers) {
  TableColumn column({"t", ColumnKind::kText});
  for (const char* text : {"a", "b", "a", ""}) column.addText(text);
  std::string data;
  const Json told = column.takeRows(data);
  EXPECT_EQ(told["texts"], Json({"a", "b"}));
  EXPECT_EQ(data[0], 0b0111);
  EXPECT_THAT(numbersIn<std::int32_t>(data, 8, 4), ElementsAre(0, 1, 0, 0));
  // A text keeps its number.
  column.addText("b");
  data.clear();
  EXPECT_EQ(column.takeRows(data)["texts"], Json({"a", "b"}));
  EXPECT_THAT(numbersIn<std::int32_t>(data, 0, 1), ElementsAre(1));
}

TEST(TableColumnTest, FlagsAreBits) {
  TableColumn column({"f", ColumnKind::kFlag});
  for (const bool flag : {true, false, true}) column.addFlag(flag);
  column.add(kNoValue);
  std::string data;
  column.takeRows(data);
  EXPECT_EQ(data[0], 0b0111);
  EXPECT_EQ(data[8], 0b0101);
}

}  // namespace
}  // namespace traced
