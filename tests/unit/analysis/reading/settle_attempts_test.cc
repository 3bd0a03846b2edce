#include "analysis/reading/settle_attempts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "absl/strings/str_cat.h"
#include "analysis/reading/stream_selection.h"
#include "analysis/reading/trace_set.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::StreamBuilder;
using testing::writeFile;

// One stream of a rank in a job of two, started by torchrun on its host.
struct Rank {
  std::uint32_t rank = 0;
  std::uint64_t stream_id = 0;
  // The launcher's count.
  std::uint32_t attempt = 0;
  // Seconds.
  std::int64_t begin_s = 0;
  std::int64_t end_s = 0;
  // By default each rank has a launcher of its own.
  std::string launcher = "";
  // By default each stream has a process of its own.
  std::int64_t pid = 0;
  std::uint32_t world_size = 2;
  // The name that its ranks agreed on.
  std::string start = "";
  bool several_starts = false;
  std::string host = "";
};

class SettleAttemptsTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kSecond = 1'000'000'000;

  void add(const Rank& from) {
    StreamBuilder builder(from.rank, from.world_size, from.stream_id);
    builder.addGroup("dp", 0, from.world_size);
    builder.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    v1::Header& header = builder.header();
    const std::string own = absl::StrCat("/tmp/launcher_", from.rank);
    header.set_attempt(from.attempt);
    header.set_boot_id(from.host.empty() ? absl::StrCat("host ", from.rank)
                                         : from.host);
    header.set_pid(from.pid ? from.pid
                            : static_cast<std::int64_t>(from.stream_id));
    v1::Rendezvous& met = *header.mutable_rendezvous();
    met.set_port(4711);
    met.set_run_id("run");
    met.set_launcher(from.launcher.empty() ? own : from.launcher);
    met.set_start(from.start);
    builder.payload().mutable_accounts()->set_several_starts(
        from.several_starts);
    const std::int64_t begin_ns =
        StreamBuilder::kStartNs + from.begin_s * kSecond;
    header.mutable_started()->set_monotonic_ns(begin_ns);
    header.mutable_started()->set_realtime_ns(begin_ns +
                                              StreamBuilder::kRealtimeOffsetNs);
    builder.addOperation(1, begin_ns + 1'000'000, 1, 1, 500);
    builder.payload().mutable_anchor()->set_monotonic_ns(
        StreamBuilder::kStartNs + from.end_s * kSecond);
    writeFile(absl::StrCat(dir_.path(), "/", from.stream_id),
              builder.takeChunk(true));
  }
  // Two starts: rank 0 survives the first one, so its launcher counts no
  // restart.
  void addTwoStarts() {
    add({.rank = 0, .stream_id = 1, .attempt = 0, .begin_s = 0, .end_s = 10});
    add({.rank = 1, .stream_id = 2, .attempt = 0, .begin_s = 0, .end_s = 9});
    add({.rank = 0, .stream_id = 3, .attempt = 0, .begin_s = 15, .end_s = 30});
    add({.rank = 1, .stream_id = 4, .attempt = 1, .begin_s = 15, .end_s = 30});
  }
  TraceSet open(std::optional<std::uint32_t> attempt = std::nullopt) {
    auto set = openTraceSet({dir_.path()}, {}, {.attempt = attempt});
    EXPECT_TRUE(set) << set.error().message;
    return std::move(*set);
  }
  // Returns stream and attempt of each selected stream.
  static std::vector<std::pair<std::uint64_t, std::uint32_t>> selected(
      const TraceSet& set) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> streams;
    for (const std::size_t i : set.selected) {
      const v1::Header& header = set.streams[i].header;
      streams.emplace_back(header.stream_id(), header.attempt());
    }
    return streams;
  }

  testing::TempDir dir_;
};

TEST_F(SettleAttemptsTest, RanksOfOneStartHaveOneAttempt) {
  addTwoStarts();
  const TraceSet set = open();
  EXPECT_THAT(selected(set), ElementsAre(Pair(3, 1), Pair(4, 1)));
  EXPECT_THAT(set.selection_warnings,
              ElementsAre("left out 2 streams of attempt 0 of the same job: "
                          "--attempt 0 asks about it"));
  EXPECT_FALSE(set.may_mix_runs);
  EXPECT_THAT(selected(open(0)), ElementsAre(Pair(1, 0), Pair(2, 0)));
}

TEST_F(SettleAttemptsTest, StreamsOfOneStartShareAnAttempt) {
  add({.rank = 0, .stream_id = 3, .attempt = 0, .begin_s = 15, .end_s = 30});
  add({.rank = 1, .stream_id = 4, .attempt = 1, .begin_s = 15, .end_s = 30});
  EXPECT_THAT(selected(open()), ElementsAre(Pair(3, 1), Pair(4, 1)));
}

TEST_F(SettleAttemptsTest, EachStartHasAnAttemptOfItsOwn) {
  addTwoStarts();
  // Now rank 0 was killed: its launcher counts one restart, as the other did
  // before.
  add({.rank = 0, .stream_id = 5, .attempt = 1, .begin_s = 35, .end_s = 40});
  add({.rank = 1, .stream_id = 6, .attempt = 1, .begin_s = 35, .end_s = 40});
  EXPECT_THAT(selected(open()), ElementsAre(Pair(5, 2), Pair(6, 2)));
  EXPECT_THAT(selected(open(1)), ElementsAre(Pair(3, 1), Pair(4, 1)));
}

TEST_F(SettleAttemptsTest, OrderPairsThemWhereWallClocksDiffer) {
  add({.rank = 0, .stream_id = 1, .attempt = 0, .begin_s = 0, .end_s = 5});
  add({.rank = 0, .stream_id = 3, .attempt = 0, .begin_s = 12, .end_s = 20});
  // Twenty seconds ahead.
  add({.rank = 1, .stream_id = 2, .attempt = 0, .begin_s = 20, .end_s = 25});
  add({.rank = 1, .stream_id = 4, .attempt = 1, .begin_s = 32, .end_s = 40});
  const TraceSet set = open();
  EXPECT_THAT(selected(set), ElementsAre(Pair(3, 1), Pair(4, 1)));
  EXPECT_FALSE(set.may_mix_runs);
}

TEST_F(SettleAttemptsTest, WallClocksDecideIfAHostHasFewerStarts) {
  add({.rank = 0, .stream_id = 1, .attempt = 0, .begin_s = 0, .end_s = 10});
  add({.rank = 1, .stream_id = 2, .attempt = 0, .begin_s = 0, .end_s = 9});
  add({.rank = 0, .stream_id = 3, .attempt = 0, .begin_s = 15, .end_s = 30});
  const TraceSet set = open();
  EXPECT_THAT(selected(set), ElementsAre(Pair(3, 1)));
  EXPECT_TRUE(set.may_mix_runs);
  EXPECT_THAT(set.selection_warnings,
              Contains(HasSubstr("only wall clocks show")));
}

TEST_F(SettleAttemptsTest, EqualLauncherCountsTolerateAMissingFile) {
  add({.rank = 0, .stream_id = 1, .attempt = 0, .begin_s = 0, .end_s = 10});
  add({.rank = 0, .stream_id = 3, .attempt = 1, .begin_s = 15, .end_s = 30});
  add({.rank = 1, .stream_id = 4, .attempt = 1, .begin_s = 15, .end_s = 30});
  const TraceSet set = open();
  EXPECT_THAT(selected(set), ElementsAre(Pair(3, 1), Pair(4, 1)));
  EXPECT_FALSE(set.may_mix_runs);
}

TEST_F(SettleAttemptsTest, StartsOfOtherSizesAreNotOne) {
  add({.rank = 0, .stream_id = 1, .attempt = 0, .begin_s = 0, .end_s = 10});
  add({.rank = 1, .stream_id = 2, .attempt = 0, .begin_s = 0, .end_s = 9});
  // Alone, because the other host is gone.
  add({.rank = 0, .stream_id = 3, .begin_s = 15, .end_s = 30, .world_size = 1});
  EXPECT_THAT(selected(open()), ElementsAre(Pair(3, 1)));
  EXPECT_THAT(selected(open(0)), ElementsAre(Pair(1, 0), Pair(2, 0)));
}

TEST_F(SettleAttemptsTest, KeepsTheCountsOfASingleLauncher) {
  const std::string launcher = "/tmp/launcher";
  add({.rank = 0,
       .stream_id = 1,
       .begin_s = 0,
       .end_s = 9,
       .launcher = launcher});
  add({.rank = 0,
       .stream_id = 2,
       .attempt = 5,
       .begin_s = 15,
       .end_s = 30,
       .launcher = launcher});
  EXPECT_THAT(selected(open()), ElementsAre(Pair(2, 5)));
  EXPECT_THAT(selected(open(0)), ElementsAre(Pair(1, 0)));
}

TEST_F(SettleAttemptsTest, ALauncherThatStartedLaterKeepsItsOwnCount) {
  // The same command again, on one host.
  add({.rank = 0,
       .stream_id = 1,
       .attempt = 1,
       .begin_s = 0,
       .end_s = 9,
       .launcher = "/tmp/a"});
  add({.rank = 0,
       .stream_id = 2,
       .attempt = 0,
       .begin_s = 60,
       .end_s = 70,
       .launcher = "/tmp/b"});
  EXPECT_THAT(selected(open()), ElementsAre(Pair(2, 0)));
  EXPECT_THAT(selected(open(1)), ElementsAre(Pair(1, 1)));
}

class NamedStartsTest : public SettleAttemptsTest {
 protected:
  // Each launcher counts one restart, at different starts: in two starts a rank
  // reports attempt 1. The clock of the second host is a minute ahead.
  void addThreeStarts(const std::string& first, const std::string& second,
                      const std::string& third) {
    add({.rank = 0, .stream_id = 1, .end_s = 10, .start = first});
    add({.rank = 1,
         .stream_id = 2,
         .begin_s = 60,
         .end_s = 69,
         .start = first});
    add({.rank = 0,
         .stream_id = 3,
         .begin_s = 15,
         .end_s = 30,
         .start = second});
    add({.rank = 1,
         .stream_id = 4,
         .attempt = 1,
         .begin_s = 75,
         .end_s = 90,
         .start = second});
    add({.rank = 0,
         .stream_id = 5,
         .attempt = 1,
         .begin_s = 35,
         .end_s = 40,
         .start = third});
    add({.rank = 1,
         .stream_id = 6,
         .attempt = 1,
         .begin_s = 95,
         .end_s = 99,
         .start = third});
  }
  void remove(std::uint64_t stream_id) {
    std::filesystem::remove(absl::StrCat(dir_.path(), "/", stream_id));
  }
};

TEST_F(NamedStartsTest, NamesDistinguishStartsWhateverFilesAreMissing) {
  addThreeStarts("a", "b", "c");
  const auto expect = [&](std::optional<std::uint32_t> attempt,
                          std::vector<std::pair<int, int>> streams) {
    const TraceSet set = open(attempt);
    EXPECT_THAT(selected(set), ::testing::ElementsAreArray(streams));
    EXPECT_FALSE(set.may_mix_runs);
  };
  expect(std::nullopt, {{5, 2}, {6, 2}});
  expect(1, {{3, 1}, {4, 1}});
  expect(0, {{1, 0}, {2, 0}});
  // Each host has only one of the failed starts: one the second, the other the
  // first.
  remove(2);
  remove(3);
  expect(std::nullopt, {{5, 2}, {6, 2}});
  expect(1, {{4, 1}});
  expect(0, {{1, 0}});
}

TEST_F(NamedStartsTest, StartsOfOneLauncherAreNumberedInItsOrder) {
  addThreeStarts("a", "b", "c");
  for (const std::uint64_t id : {2, 4, 6}) remove(id);
  EXPECT_THAT(selected(open()), ElementsAre(Pair(5, 2)));
  EXPECT_THAT(selected(open(1)), ElementsAre(Pair(3, 1)));
}

TEST_F(NamedStartsTest, RanksOfTwoStartsAreNeverOneRun) {
  // No launcher counts or reports a rendezvous.
  add({.rank = 0, .stream_id = 1, .end_s = 10, .start = "a"});
  add({.rank = 1, .stream_id = 2, .begin_s = 1, .end_s = 10, .start = "b"});
  const TraceSet set = open();
  EXPECT_EQ(set.selected.size(), 1U);
}

TEST_F(NamedStartsTest, ANameThatARankHasTwiceProvesNothing) {
  // A store that outlived the first two starts.
  addThreeStarts("a", "a", "c");
  remove(2);
  const TraceSet set = open();
  EXPECT_TRUE(set.may_mix_runs || !selected(set).empty());
  for (const TraceStream& stream : set.streams) {
    EXPECT_EQ(stream.header.rendezvous().start() == "a", false);
  }
}

TEST_F(NamedStartsTest, ANameOfSeveralStartsProvesNothing) {
  add({.rank = 0,
       .stream_id = 1,
       .end_s = 40,
       .start = "a",
       .several_starts = true});
  add({.rank = 1, .stream_id = 2, .begin_s = 1, .end_s = 40, .start = "b"});
  EXPECT_THAT(selected(open()), ElementsAre(Pair(1, 0), Pair(2, 0)));
}

TEST_F(NamedStartsTest, AStreamWithoutANameIsOfAnyStart) {
  addThreeStarts("a", "b", "");
  const TraceSet set = open();
  EXPECT_TRUE(set.may_mix_runs);
}

TEST_F(SettleAttemptsTest, AProcessThatHasTwoStreamsWasNotStartedAnew) {
  add({.rank = 0, .stream_id = 1, .begin_s = 0, .end_s = 10, .pid = 7});
  add({.rank = 0, .stream_id = 2, .begin_s = 15, .end_s = 30, .pid = 7});
  add({.rank = 1, .stream_id = 3, .begin_s = 0, .end_s = 10, .pid = 8});
  add({.rank = 1, .stream_id = 4, .begin_s = 15, .end_s = 30, .pid = 8});
  EXPECT_THAT(selected(open()), ElementsAre(Pair(2, 0), Pair(4, 0)));
}

}  // namespace
}  // namespace traced
