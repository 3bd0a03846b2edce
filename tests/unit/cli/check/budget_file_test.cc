#include "cli/check/budget_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Budget parsed(const std::string& text) {
  auto budget = parseBudget(text, "b.toml");
  EXPECT_TRUE(budget) << budget.error().message;
  return budget ? *budget : Budget{};
}

std::string complaint(const std::string& text) {
  const auto budget = parseBudget(text, "b.toml");
  EXPECT_FALSE(budget) << text;
  return budget ? "" : budget.error().message;
}

TEST(BudgetFileTest, ARowHasTheValuesOfTheFile) {
  const Budget budget = parsed(
      "schema = 1\n"
      "steps = \"10-49\"\n"
      "tolerance_percent = 2.5\n"
      "[[budget]]\n"
      "group = \"d\\\"p\"\n"
      "op = \"all_reduce\"\n"
      "dtype = \"bfloat16\"\n"
      "count = 12\n"
      "bytes = 25_165_824\n"
      "[[budget]]\n"
      "steps = \"all\"\n"
      "ranks = \"0-6/2\"\n"
      "bytes = 0\n"
      "at_most = true\n"
      "tolerance_percent = 0\n");
  ASSERT_EQ(budget.rows.size(), 2u);
  const BudgetRow& first = budget.rows[0];
  EXPECT_EQ(first.line, 4u);
  EXPECT_EQ(first.steps, StepRange(10, 49));
  EXPECT_TRUE(first.per_step);
  EXPECT_EQ(first.group, "d\"p");
  EXPECT_EQ(first.op, "all_reduce");
  EXPECT_EQ(first.dtype, "bfloat16");
  EXPECT_FALSE(first.ranks);
  EXPECT_EQ(first.count, 12u);
  EXPECT_EQ(first.bytes, 25165824u);
  EXPECT_FALSE(first.at_most);
  EXPECT_EQ(first.tolerance_percent, 2.5);
  const BudgetRow& second = budget.rows[1];
  EXPECT_TRUE(second.steps.all());
  EXPECT_FALSE(second.per_step);
  EXPECT_FALSE(second.op);
  EXPECT_TRUE(second.hasRank(6));
  EXPECT_FALSE(second.hasRank(5));
  EXPECT_FALSE(second.count);
  EXPECT_EQ(second.bytes, 0u);
  EXPECT_TRUE(second.at_most);
  EXPECT_EQ(second.tolerance_percent, 0);
}

TEST(BudgetFileTest, AFileWithoutRowsIsAnEmptyBudget) {
  EXPECT_TRUE(parsed("").rows.empty());
  EXPECT_TRUE(parsed("schema = 1\nbudget = []\n").rows.empty());
}

TEST(BudgetFileTest, ReportsErrorsWithTheirLine) {
  const std::string row = "[[budget]]\ncount = 1\n";
  EXPECT_THAT(complaint("a = = 1"), StartsWith("b.toml:1: "));
  EXPECT_THAT(complaint("\n\n[[budget]\n"), StartsWith("b.toml:3: "));
  EXPECT_EQ(complaint(row + "tolerence_percent = 5\n"),
            "b.toml:3: \"tolerence_percent\" is no key of a budget row");
  EXPECT_EQ(complaint("step = \"1\"\n"),
            "b.toml:1: \"step\" is no key of a budget");
  EXPECT_EQ(complaint("schema = 2\n"),
            "b.toml:1: schema must be 1: a newer tracectl wrote this budget");
  EXPECT_EQ(complaint("\n[[budget]]\nop = \"send\"\n"),
            "b.toml:2: a budget row needs a count or bytes");
  EXPECT_EQ(complaint("[[budget]]\ncount = -1\n"),
            "b.toml:2: count must be a whole number, 0 or more");
  EXPECT_THAT(complaint("[[budget]]\ncount = 1.5\n"), HasSubstr("count must"));
  EXPECT_THAT(complaint("[[budget]]\nbytes = \"1 MiB\"\n"),
              HasSubstr("bytes must be a whole number"));
  EXPECT_THAT(complaint(row + "group = 1\n"), HasSubstr("a text in quotes"));
  EXPECT_THAT(complaint(row + "at_most = 1\n"), HasSubstr("true or false"));
  EXPECT_THAT(complaint(row + "steps = \"9-1\"\n"),
              HasSubstr("b.toml:3: \"9-1\" is no range of steps"));
  EXPECT_THAT(complaint(row + "ranks = \"x\"\n"), HasSubstr("is no rank"));
  EXPECT_THAT(complaint(row + "per = \"day\"\n"),
              HasSubstr("per must be \"step\" or \"range\""));
  EXPECT_THAT(complaint(row + "per = \"step\"\n"),
              HasSubstr("per must be \"range\" where steps are \"all\""));
  for (const char* number : {"nan", "inf", "-1", "\"5\"", "true"}) {
    EXPECT_THAT(complaint(row + "tolerance_percent = " + number + "\n"),
                HasSubstr("tolerance_percent must be a number, 0 or more"));
  }
  EXPECT_THAT(complaint("[budget]\ncount = 1\n"), HasSubstr("[[budget]]"));
  EXPECT_THAT(complaint("budget = [1]\n"), HasSubstr("[[budget]]"));
}

TEST(BudgetFileTest, HostileTomlIsOnlyAnError) {
  EXPECT_FALSE(parseBudget(std::string(100'000, '['), "b.toml"));
  EXPECT_FALSE(parseBudget("a = " + std::string(100'000, '['), "b.toml"));
  EXPECT_FALSE(parseBudget(std::string("\0\x01\xFF", 3), "b.toml"));
  EXPECT_FALSE(parseBudget("\uFEBFx = 1", "b.toml"));
}

TEST(BudgetFileTest, AWrittenBudgetParsesToTheSameValues) {
  Budget budget;
  BudgetRow row;
  row.steps = StepRange(3, 8);
  row.per_step = true;
  row.group = "d\"p\\ \n\x7F";
  row.op = "all_reduce";
  row.dtype = "none";
  row.count = 7;
  row.bytes = 1 << 20;
  budget.rows.push_back(row);
  row.per_step = false;
  row.ranks = absl::flat_hash_set<std::uint32_t>{0, 2, 4};
  row.ranks_text = "0-4/2";
  row.bytes = 9;
  budget.rows.push_back(row);
  const Budget read = parsed(budgetText(budget));
  ASSERT_EQ(read.rows.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.rows[i].steps, budget.rows[i].steps);
    EXPECT_EQ(read.rows[i].per_step, budget.rows[i].per_step);
    EXPECT_EQ(read.rows[i].group, budget.rows[i].group);
    EXPECT_EQ(read.rows[i].op, budget.rows[i].op);
    EXPECT_EQ(read.rows[i].dtype, budget.rows[i].dtype);
    EXPECT_EQ(read.rows[i].ranks, budget.rows[i].ranks);
    EXPECT_EQ(read.rows[i].count, budget.rows[i].count);
    EXPECT_EQ(read.rows[i].bytes, budget.rows[i].bytes);
  }
}

TEST(BudgetFileTest, AFileThatCannotBeReadIsAnError) {
  const testing::TempDir dir;
  EXPECT_FALSE(readBudget(dir.path() + "/missing"));
  EXPECT_FALSE(readBudget(dir.path()));
  EXPECT_EQ(readBudget("/dev/zero").error().message,
            "/dev/zero: is not a regular file");
  testing::writeFile(dir.path() + "/b.toml", "[[budget]]\ncount = 1\n");
  EXPECT_TRUE(readBudget(dir.path() + "/b.toml"));
  testing::writeFile(dir.path() + "/long", std::string((16 << 20) + 1, '\n'));
  EXPECT_FALSE(readBudget(dir.path() + "/long"));
}

}  // namespace
}  // namespace traced
