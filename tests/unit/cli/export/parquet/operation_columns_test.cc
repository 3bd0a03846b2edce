#include "cli/export/parquet/operation_columns.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace traced {
namespace {

TEST(OperationColumnsTest, EachIsTold) {
  for (const TableColumnSpec& column : operationTable().columns) {
    const bool told =
        exportColumn(column.name) != nullptr || ownTableColumn(column.name);
    EXPECT_TRUE(told) << column.name;
  }
}

TEST(OperationColumnsTest, NothingOfAnExportOfRowsIsForgotten) {
  // These are times after the issue there, or in the table "waits".
  std::set<std::string> names = {"return_ns",   "start_ns",      "end_ns",
                                 "engine_ns",   "wait_begin_ns", "wait_ns",
                                 "wait_end_ns", "stall_ns",      "release_ns"};
  for (const TableColumnSpec& column : operationTable().columns) {
    const ExportColumn* from = exportColumn(column.name);
    if (from) names.insert(from->name);
  }
  for (const ExportColumn& column : exportColumns()) {
    EXPECT_EQ(names.count(column.name), 1) << column.name;
  }
}

TEST(OperationColumnsTest, ValuesBecomeNumbers) {
  TableColumn column({"t", ColumnKind::kText});
  EXPECT_EQ(tableValue({}, column), kNoValue);
  EXPECT_EQ(tableValue(true, column), 1);
  EXPECT_EQ(tableValue(std::uint64_t{7}, column), 7);
  EXPECT_EQ(tableValue(~std::uint64_t{0}, column), kNoValue);
  EXPECT_EQ(tableValue(std::int64_t{-7}, column), -7);
  EXPECT_EQ(tableValue(std::string("a"), column), 0);
  EXPECT_EQ(tableValue(std::string("b"), column), 1);
  EXPECT_EQ(tableValue(std::string("a"), column), 0);
  using Kind = ExportNumber::Kind;
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  EXPECT_EQ(tableNumber({}), kNoValue);
  EXPECT_EQ(tableNumber({Kind::kCount, kMost}), kNoValue);
  EXPECT_EQ(tableNumber({Kind::kInstant, kMost}), -1);
  EXPECT_EQ(tableNumber({Kind::kId, kMost}), -1);
}

}  // namespace
}  // namespace traced
