// Tests that the report of a completion hook reaches the right operation, or
// none.

#include "recorder/completions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "support/rows_of.h"
#include "unit/ring_io/recovery/recover_fixture.h"

namespace traced::testing {
namespace {

using Ends = std::map<OpId, std::int64_t>;

class CompletionsTest : public RecoverTest {
 protected:
  // Runs `body` in a process of its own, which exits normally.
  template <typename Body>
  void inProcess(Body body) {
    const pid_t child = fork();
    if (child == 0) {
      Recorder& recorder = start();
      auto group = recorder.addGroup(worldOfTwo());
      Completions completions(recorder);
      body(recorder, *group, completions);
      std::exit(::testing::Test::HasFailure());
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }

  // Returns each operation's end. All ends must come from the hook.
  Ends ends() const {
    Ends ends;
    for (const v1::Payload& payload : decodeTrace(readFile(traceFile()))) {
      for (const DoneRow& row : rowsOf<DoneRow>(payload)) {
        EXPECT_EQ(row.source, v1::END_SOURCE_COMPLETION_HOOK);
        ends[row.op] = row.end_ns;
      }
    }
    return ends;
  }
};

constexpr std::int64_t kFarNs = 1'000'000'000;

TEST_F(CompletionsTest, AnEndBelongsToItsOperation) {
  const std::int64_t now_ns = nowNs();
  inProcess(
      [&](Recorder& recorder, RecordedGroup& group, Completions& completions) {
        const OpId first = issueCall(recorder, group, 1);
        const OpId second = issueCall(recorder, group, 2);
        completions.issued(7, first, now_ns);
        completions.issued(8, second, now_ns);
        completions.completed(8, now_ns + 20);
        completions.completed(7, now_ns + 30);
        completions.completed(7, now_ns + 40);  // a repetition has no effect
      });
  const Ends found = ends();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.begin()->second, now_ns + 30);
  EXPECT_EQ(found.rbegin()->second, now_ns + 20);
}

TEST_F(CompletionsTest, AnEndMayComeBeforeTheCallReturns) {
  const std::int64_t now_ns = nowNs();
  inProcess(
      [&](Recorder& recorder, RecordedGroup& group, Completions& completions) {
        const OpId op = issueCall(recorder, group, 1);
        completions.completed(7, now_ns + 20);
        completions.issued(7, op, now_ns);
      });
  const Ends found = ends();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.begin()->second, now_ns + 20);
}

TEST_F(CompletionsTest, IgnoresAReusedKey) {
  const std::int64_t now_ns = nowNs();
  inProcess(
      [&](Recorder& recorder, RecordedGroup& group, Completions& completions) {
        completions.completed(7, now_ns);  // a call that gave out no Work
        const OpId op = issueCall(recorder, group, 1);
        completions.issued(7, op, now_ns + kFarNs);
      });
  EXPECT_TRUE(ends().empty());
}

TEST_F(CompletionsTest, DiscardsUnrequestedEnds) {
  const std::int64_t now_ns = nowNs();
  inProcess(
      [&](Recorder& recorder, RecordedGroup& group, Completions& completions) {
        completions.completed(1, now_ns + 20);
        for (std::uint64_t key = 100; key < 200; ++key) {
          completions.completed(key, now_ns + 20);
        }
        completions.issued(1, issueCall(recorder, group, 1), now_ns);
        completions.issued(199, issueCall(recorder, group, 2), now_ns);
      });
  EXPECT_EQ(ends().size(), 1u);
}

// An engine never reports captured calls and failed ones.
TEST_F(CompletionsTest, OperationsThatNeverCompleteDoNotBlockOthers) {
  const std::int64_t now_ns = nowNs();
  inProcess(
      [&](Recorder& recorder, RecordedGroup& group, Completions& completions) {
        constexpr std::uint64_t kNever = Completions::kMaxPending + 1;
        const OpId first = issueCall(recorder, group, 1);
        for (std::uint64_t key = 1; key <= kNever; ++key) {
          completions.issued(key, first, now_ns);
        }
        const OpId op = issueCall(recorder, group, 2);
        completions.issued(kNever + 1, op, now_ns);
        completions.completed(kNever + 1, now_ns + 20);
      });
  EXPECT_EQ(ends().size(), 1u);
}

TEST_F(CompletionsTest, KeepsTheLatestCompletions) {
  const std::int64_t now_ns = nowNs();
  inProcess(
      [&](Recorder& recorder, RecordedGroup& group, Completions& completions) {
        const OpId op = issueCall(recorder, group, 1);
        constexpr std::uint64_t kMax = Completions::kMaxPending;
        completions.issued(1, op, now_ns);
        for (std::uint64_t key = 2; key <= kMax / 2; ++key) {
          completions.issued(key, kLostOp, now_ns);
        }
        completions.issued(kMax, kLostOp, now_ns);
        completions.completed(1, now_ns + 20);
      });
  EXPECT_EQ(ends().size(), 1u);
}

}  // namespace
}  // namespace traced::testing
