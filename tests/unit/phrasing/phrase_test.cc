// Tests that sentences agree in number with the ranks that they name.

#include "phrasing/phrase.h"

#include <gtest/gtest.h>

#include "phrasing/verdict_text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

constexpr std::uint32_t kNoGroup = GroupCatalog::kNone;

class PhraseTest : public ::testing::Test {
 protected:
  std::string text(const Fact& fact) const { return phrase(job_, fact); }

  const JobState job_{};
};

TEST_F(PhraseTest, VerbsAgreeWithTheNumberOfRanks) {
  const OperationSubject in{"barrier", kNoGroup, 3};
  EXPECT_EQ(text(AlsoWaitedFor{{9}, in}),
            "rank 9 is waited for in barrier #3 of \"-\", too.");
  EXPECT_EQ(text(AlsoWaitedFor{{9, 14}, in}),
            "ranks 9,14 are waited for in barrier #3 of \"-\", too.");
  EXPECT_EQ(text(WasHandling{{1, 2}, "KeyError, raised at /a/b.py:9 in f"}),
            "Ranks 1-2 were handling KeyError (b.py:9).");
}

TEST_F(PhraseTest, ACallAtAnotherLinePrecedesWhatHappened) {
  JobVerdict verdict;
  const CalledElsewhere shift{.likely = CalledElsewhere::Likely::kExtra,
                              .makers = {1},
                              .others = {0},
                              .what = {.call = {"barrier", kNoGroup, 3}},
                              .site = "a.py:1",
                              .others_site = "a.py:2"};
  verdict.summary = {shift};
  EXPECT_TRUE(summaryOf(job_, verdict).ends_with("called it at a.py:2."));
  verdict.summary.push_back(
      OnlyTheseCalled{{1}, {"barrier", kNoGroup, 3}, {0}});
  EXPECT_TRUE(summaryOf(job_, verdict)
                  .ends_with("called it at a.py:2; only rank 1 called barrier "
                             "#3 of \"-\"; rank 0 ended without it."))
      << summaryOf(job_, verdict);
}

TEST_F(PhraseTest, StatesConfidenceAndCulprits) {
  JobVerdict verdict;
  verdict.summary = {SilentInside{{5}, {"barrier", kNoGroup, 3}}};
  verdict.finding = Confidence::kCertain;
  verdict.culprit = Confidence::kLikely;
  verdict.culprits = {5, 7};
  EXPECT_TRUE(
      headlineOf(job_, verdict)
          .ends_with(" (certain; that ranks 5,7 are to blame: likely)"));
}

TEST_F(PhraseTest, DescribesTheActivityOfAProcess) {
  using Doing = ProcessNow::Doing;
  EXPECT_EQ(text(ProcessNow{3, Doing::kComputes, 77, 0.5, 1}),
            "The process of rank 3 (77) computes: 0.50 s of processor time in "
            "1.00 s.");
  EXPECT_EQ(text(ProcessNow{3})
                .find("The state of the process of rank 3 is "
                      "unknown here"),
            0U);
}

TEST_F(PhraseTest, NamesTheKindsOfLosses) {
  using What = LostPart::What;
  EXPECT_EQ(lostText({{What::kDropped, 7, "full"}, {What::kGaps, 2, ""}}),
            "7 records dropped (full), 2 gaps between chunks");
}

}  // namespace
}  // namespace traced
