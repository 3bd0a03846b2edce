#include "cli/export/operation_columns.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace traced {
namespace {

std::string digitsOf(ExportNumber::Kind kind, std::uint64_t value) {
  char digits[20];
  return "=" + std::string(digits, writeDigits(digits, {kind, value}));
}

TEST(OperationColumnsTest, NumbersAreWrittenInFull) {
  using Kind = ExportNumber::Kind;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  constexpr auto kMin =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(digitsOf(Kind::kAbsent, 7), "=");
  EXPECT_EQ(digitsOf(Kind::kCount, 0), "=0");
  EXPECT_EQ(digitsOf(Kind::kCount, kMax), "=18446744073709551615");
  EXPECT_EQ(digitsOf(Kind::kInstant, kMax), "=-1");
  EXPECT_EQ(digitsOf(Kind::kInstant, kMin), "=-9223372036854775808");
  EXPECT_EQ(digitsOf(Kind::kId, 0x1aB), "=00000000000001ab");
  EXPECT_EQ(digitsOf(Kind::kId, kMax), "=ffffffffffffffff");
}

TEST(OperationColumnsTest, EachHasAValueOrANumber) {
  std::set<std::string> names;
  for (const ExportColumn& column : operationColumns()) {
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
    const bool is_number = column.source == FieldSource::kOperation;
    EXPECT_EQ(column.number != nullptr, is_number) << column.name;
    EXPECT_EQ(column.value != nullptr, !is_number) << column.name;
  }
  for (const ColumnInfo& column : otherColumns()) {
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
  }
  EXPECT_EQ(operationColumns()[operationColumns().size() - 3].in,
            ColumnIn::kParquet);
  EXPECT_EQ(exportColumns().size(), operationColumns().size() - 3);
}

}  // namespace
}  // namespace traced
