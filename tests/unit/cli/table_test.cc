#include "cli/table.h"

#include <gtest/gtest.h>

namespace traced {
namespace {

TEST(TableTest, LinesUpItsColumns) {
  Table table;
  table.addColumn("name", Table::Align::kLeft);
  table.addColumn("time ms\np50");
  table.addRow({"köln", "1"});
  table.addRow({"b", "12345678"});
  EXPECT_EQ(table.text(),
            "        time ms\n"
            " name       p50\n"
            " köln         1\n"
            " b     12345678\n");
}

TEST(TableTest, AnUpperLineSpansTheColumnsBelowIt) {
  Table table;
  table.addColumn("name", Table::Align::kLeft);
  table.addColumn("time ms\np50");
  table.addColumn("\np99");
  table.addColumn("a long heading\nx");
  table.addColumn("\ny");
  table.addRow({"b", "12", "1234", "1", "2"});
  EXPECT_EQ(table.text(),
            "        time ms   a long heading\n"
            " name  p50   p99            x  y\n"
            " b      12  1234            1  2\n");
}

TEST(TableTest, OneLineOfHeadingsIsEnoughWhenThereIsNoMore) {
  Table table;
  table.addColumn("a");
  EXPECT_EQ(table.text(), " a\n");
}

}  // namespace
}  // namespace traced
