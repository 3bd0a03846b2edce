// Tests that the tables of docs/reference/tables.md have the columns that
// tracectl export writes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
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

// The page's content for a table: its rows, preceded by the names of columns
// that an earlier table describes.
struct Described {
  std::vector<DocRow> rows;
  std::vector<std::string> above;
};

Described describedOf(const TableSpec& table, std::set<std::string>& known) {
  Described described;
  const auto add = [&](const ColumnInfo& column, const char* only_in) {
    if (known.insert(column.name).second) {
      described.rows.push_back(rowOf(column, only_in));
    } else {
      described.above.push_back(absl::StrCat("`", column.name, "`"));
    }
  };
  if (&table == &operationTable().spec) {
    for (const ExportColumn& column : operationColumns()) {
      add(column, column.in == ColumnIn::kRows      ? ", only in rows"
                  : column.in == ColumnIn::kParquet ? ", only in Parquet"
                                                    : "");
    }
  } else {
    for (const ColumnInfo* column : table.columns) add(*column, "");
  }
  return described;
}

TEST(TablesPageTest, DescribesEachColumnOnceLikeTheRegistry) {
  const std::string page =
      absl::StrReplaceAll(textOfPage("reference/tables.md"), {{"\n", " "}});
  std::set<std::string> known;
  for (const TableSpec* table : allTables()) {
    const Described described = describedOf(*table, known);
    EXPECT_EQ(tableBehind("reference/tables.md", table->name), described.rows)
        << table->name;
    const std::string above =
        absl::StrCat("Described above: ", absl::StrJoin(described.above, ", "),
                     ".  | column |");
    if (described.above.empty()) continue;
    EXPECT_THAT(page, ::testing::HasSubstr(above)) << table->name;
  }
}

}  // namespace
}  // namespace traced::testing
