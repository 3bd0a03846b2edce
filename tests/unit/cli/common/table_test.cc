#include "cli/common/table.h"

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

TEST(TableTest, ANoteFollowsItsRowAndWidensNothing) {
  Table table;
  table.addColumn("a", Table::Align::kLeft);
  table.addColumn("b");
  table.addRow({"x", "1"});
  table.addNote("   a longer line\n");
  table.addRow({"y", "2"});
  EXPECT_EQ(table.text(),
            " a  b\n"
            " x  1\n"
            "   a longer line\n"
            " y  2\n");
  EXPECT_EQ(table.width(), 5u);
}

TEST(TableTest, OneLineOfHeadingsIsEnoughWhenThereIsNoMore) {
  Table table;
  table.addColumn("a");
  EXPECT_EQ(table.text(), " a\n");
}

Table figures() {
  Table table;
  table.addColumn("name", Table::Align::kLeft);
  table.addColumn("host ms\np50");
  table.addColumn("\np99");
  table.addColumn("wait ms\np50");
  table.addColumn("share");
  table.addRow({"/job/of/somebody/train.py:12 in köln", "1", "2", "3", "4"});
  return table;
}

TEST(TableTest, ColumnsGoWhereThereIsNoRoom) {
  Table table = figures();
  EXPECT_TRUE(table.fit(100, {"host ms", "wait ms"}).empty());
  EXPECT_EQ(table.width(), 63u);
  EXPECT_EQ(table.fit(60, {"host ms", "wait ms"}),
            std::vector<std::string>{"host ms"});
  EXPECT_EQ(table.text(),
            "                                       wait ms\n"
            " name                                      p50  share\n"
            " /job/of/somebody/train.py:12 in köln        3      4\n");
}

TEST(TableTest, TextsAreCutLast) {
  Table table = figures();
  EXPECT_EQ(table.fit(38, {"host ms", "wait ms", "no such"}),
            (std::vector<std::string>{"host ms", "wait ms"}));
  EXPECT_EQ(table.text(),
            " name                            share\n"
            " ...omebody/train.py:12 in köln      4\n");
  table.fit(1, {});
  EXPECT_EQ(table.width(), 24u + 8u) << "but not to nothing";
}

TEST(TableTest, AColumnChoosesHowItsTextsAreCut) {
  Table table;
  table.addColumn("path", Table::Align::kLeft, Table::Cut::kNothing);
  table.addColumn("error", Table::Align::kLeft, Table::Cut::kEnd);
  table.addRow({"/a/folder/of/somebody/with/a/name", "äöü did not end well ä"});
  table.addRow({"/b", "äöü does not fit in the space that there is"});
  table.fit(60, {});
  EXPECT_EQ(table.text(),
            " path                               error\n"
            " /a/folder/of/somebody/with/a/name  äöü did not end well ä\n"
            " /b                                 äöü does not fit in t...\n");
}

}  // namespace
}  // namespace traced
