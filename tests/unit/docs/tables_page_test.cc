// The tables of docs/tables.md have the columns that tracectl export writes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/export/tables/operation_files.h"
#include "cli/export/tables/tables.h"
#include "doc_table.h"

namespace traced::testing {
namespace {

DocRow rowOf(const ColumnInfo& column, const char* only_in) {
  return {absl::StrCat("`", column.name, "`"),
          absl::StrCat(nameOf(column.kind), only_in), column.meaning,
          column.absent};
}

std::vector<DocRow> rowsOf(const TableSpec& table) {
  std::vector<DocRow> rows;
  if (&table != &operationTable().spec) {
    for (const ColumnInfo* column : table.columns) {
      rows.push_back(rowOf(*column, ""));
    }
    return rows;
  }
  for (const ExportColumn& column : operationColumns()) {
    const char* only_in = column.in == ColumnIn::kRows ? ", only in rows"
                          : column.in == ColumnIn::kParquet
                              ? ", only in Parquet"
                              : "";
    rows.push_back(rowOf(column, only_in));
  }
  return rows;
}

TEST(TablesPageTest, DescribesEachColumnAsTheRegistryDoes) {
  for (const TableSpec* table : allTables()) {
    EXPECT_EQ(tableBehind("tables.md", table->name), rowsOf(*table))
        << table->name;
  }
}

}  // namespace
}  // namespace traced::testing
