#include "cli/export/tables/table_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace traced {
namespace {

using ::testing::ElementsAre;

constexpr ColumnInfo kNumbers = {"n", ColumnKind::kNumber, ""};
constexpr ColumnInfo kTexts = {"t", ColumnKind::kText, ""};
constexpr ColumnInfo kFlags = {"f", ColumnKind::kFlag, ""};

template <typename T>
std::vector<T> numbersIn(const std::string& data, std::size_t from,
                         std::size_t count) {
  std::vector<T> numbers(count);
  std::memcpy(numbers.data(), data.data() + from, count * sizeof(T));
  return numbers;
}

TEST(TableColumnTest, ValidityBitsPrecedeNumbers) {
  TableColumn column(kNumbers);
  for (const std::int64_t number : {7, -1}) column.add(number);
  column.add({});
  column.add(countCell(~std::uint64_t{0}));
  for (int i = 0; i < 5; ++i) column.add(countCell(9));
  column.add(numberCell(std::nullopt));
  std::string data = "12345678";
  const Json packed = column.pack(data);
  EXPECT_EQ(packed, Json({{"valid", 8}, {"values", 80}}));
  EXPECT_EQ(static_cast<unsigned char>(data[8]), 0b11110011);
  EXPECT_EQ(static_cast<unsigned char>(data[9]), 0b00000001);
  EXPECT_THAT(numbersIn<std::int64_t>(data, 16, 10),
              ElementsAre(7, -1, 0, 0, 9, 9, 9, 9, 9, 0));
  EXPECT_EQ(data.size(), 96);
  EXPECT_EQ(column.cell(1), CellValue(std::int64_t{-1}));
  EXPECT_EQ(column.cell(2), CellValue());
}

TEST(TableColumnTest, NoValidityBitsForACompleteColumn) {
  TableColumn column(kNumbers);
  column.add(countCell(5));
  std::string data;
  EXPECT_EQ(column.pack(data), Json({{"valid", 0}, {"values", 8}}));
  EXPECT_THAT(numbersIn<std::int64_t>(data, 0, 1), ElementsAre(5));
}

TEST(TableColumnTest, TextsAreTheirNumbers) {
  TableColumn column(kTexts);
  for (const char* text : {"a", "b", "a", ""}) column.add(textCell(text));
  std::string data;
  const Json packed = column.pack(data);
  EXPECT_EQ(packed["texts"], Json({"a", "b"}));
  EXPECT_EQ(data[0], 0b0111);
  EXPECT_THAT(numbersIn<std::int32_t>(data, 8, 4), ElementsAre(0, 1, 0, 0));
  // A text keeps its number.
  column.clear();
  column.add(textCell("b"));
  data.clear();
  EXPECT_EQ(column.pack(data)["texts"], Json({"a", "b"}));
  EXPECT_THAT(numbersIn<std::int32_t>(data, 0, 1), ElementsAre(1));
}

TEST(TableColumnTest, FlagsAreBits) {
  TableColumn column(kFlags);
  for (const bool flag : {true, false, true}) column.add(flag);
  column.add({});
  std::string data;
  column.pack(data);
  EXPECT_EQ(data[0], 0b0111);
  EXPECT_EQ(data[8], 0b0101);
}

}  // namespace
}  // namespace traced
