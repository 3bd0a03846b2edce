// Tests that docs/reference/columns.md has the columns that `tracectl help
// columns` prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/common/help.h"
#include "doc_table.h"

namespace traced::testing {
namespace {

// Returns the names of the columns of `tracectl report`, without the unit.
std::set<std::string> columnsOfHelp() {
  std::set<std::string> columns;
  bool in_report = false;
  for (absl::string_view line : absl::StrSplit(columnsHelp(), '\n')) {
    if (!absl::StartsWith(line, " ")) {
      in_report = line == "Columns of tracectl report:";
      continue;
    }
    // Deeper indentation continues the text of the line above.
    if (!in_report || !absl::ConsumePrefix(&line, "  ") ||
        absl::StartsWith(line, " ")) {
      continue;
    }
    const absl::string_view name =
        absl::StripAsciiWhitespace(line.substr(0, line.find("  ")));
    columns.emplace(absl::StripSuffix(name, " ms"));
  }
  return columns;
}

TEST(ColumnsPageTest, DescribesTheColumnsThatHelpPrints) {
  std::set<std::string> described;
  for (const DocRow& row :
       tableOf("reference/columns.md", "column of report | meaning")) {
    for (const std::string& name : quotedIn(row[0])) described.insert(name);
  }
  EXPECT_THAT(described, ::testing::Not(::testing::IsEmpty()));
  EXPECT_EQ(described, columnsOfHelp());
}

}  // namespace
}  // namespace traced::testing
