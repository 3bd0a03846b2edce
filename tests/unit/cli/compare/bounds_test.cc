// Tests that the comparison output for CI systems is bounded.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/compare/compare_output.h"

namespace traced {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// Returns a comparison with `keys` kinds of operation whose transfer became
// slower.
Comparison slower(std::size_t keys, const std::string& site = "") {
  Comparison comparison;
  comparison.has_verdict = true;
  comparison.base_runs = comparison.fresh_runs = 9;
  for (std::size_t i = 0; i < keys; ++i) {
    Change change;
    change.part = RunPart::kTransfer;
    change.kind = ChangeKind::kWorse;
    change.p = 0.001;
    change.share = 0.1;
    change.log_ratio = {0.1, 0.09, 0.11, 0.95};
    const std::string name = "group " + std::to_string(i) + "|`<b>";
    comparison.keys.push_back(
        {RunKey{"all_reduce", name, "float32", "4-8 MiB"}, {change}, site});
  }
  return comparison;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos;
       at += what.size()) {
    ++count;
  }
  return count;
}

TEST(Annotations, AreTenOfAKind) {
  const std::string text = compareAnnotations(slower(25), "");
  EXPECT_EQ(count(text, "::error "), 10U);
  Comparison following = slower(25);
  for (std::size_t i = 1; i < 25; ++i) {
    following.keys[i].changes[0].follows = Cause();
  }
  following.not_measured = {OneRun(), OneRun()};
  const std::string warned = compareAnnotations(following, "");
  EXPECT_EQ(count(warned, "::error "), 1U);
  EXPECT_EQ(count(warned, "::warning "), 10U);
}

TEST(Annotations, PointAtALineOfTheWorkspace) {
  EXPECT_THAT(compareAnnotations(slower(1, "/w/a,b:c.py"), "/w"),
              ::testing::Not(HasSubstr("file=")));
  EXPECT_THAT(compareAnnotations(slower(1, "/w/a,b.py:12 in f"), "/w"),
              HasSubstr(",file=a%2Cb.py,line=12::"));
}

TEST(Markdown, IsAtMostAMebibyteAndReportsOmissions) {
  const std::string text = compareMarkdown(slower(40000));
  EXPECT_LE(text.size(), std::size_t{1} << 20);
  EXPECT_THAT(text, EndsWith(" more lines.\n"));
  EXPECT_EQ(count(text, "<b>"), count(text, "/'<b>"));
}

}  // namespace
}  // namespace traced
