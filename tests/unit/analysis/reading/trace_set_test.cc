#include "analysis/reading/trace_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/match/loaded_run.h"
#include "analysis/merge/merge.h"
#include "analysis/reading/stream_loader.h"
#include "analysis/reading/stream_selection.h"
#include "phrasing/warnings.h"
#include "support/reframe.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::StreamBuilder;
using testing::writeFile;

class TraceSetTest : public ::testing::Test {
 protected:
  StreamBuilder stream(std::uint32_t rank, std::uint64_t id = 0) {
    StreamBuilder stream(rank, 2, id);
    stream.addGroup("dp", 0, 2);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    return stream;
  }
  std::string chunk(StreamBuilder& stream, std::uint64_t op) {
    stream.addOperation(op, StreamBuilder::kIssueNs, 1, op, 500);
    return stream.takeChunk();
  }
  void write(const std::string& name, const std::string& bytes) {
    writeFile(dir_.path() + "/" + name, bytes);
  }
  TraceSet open() {
    auto set = openTraceSet({dir_.path()});
    EXPECT_TRUE(set) << set.error().message;
    return std::move(*set);
  }
  std::vector<std::string> warnings(const TraceSet& set) {
    return allWarnings(set, loadRun(set).summary);
  }

  testing::TempDir dir_;
};

TEST_F(TraceSetTest, AWindowOnARunIsNoLoss) {
  StreamBuilder a = stream(0);
  const std::string first = chunk(a, 1);
  const std::string second = chunk(a, 2);
  write("rank-0.traced", first + second + chunk(a, 3));
  TraceSet all = open();
  keepLatest(all, 1 << 20);
  EXPECT_EQ(loadRun(all).streams[0].table.operations.size(), 3u);
  TraceSet set = open();
  // The latest chunk is kept whatever its size.
  keepLatest(set, 1);
  ASSERT_EQ(set.streams[0].chunks.size(), 1u);
  const StreamTable table = StreamLoader(set).load(set.streams[0]);
  ASSERT_EQ(table.operations.size(), 1u);
  EXPECT_EQ(table.operations[0].seq, 3u);
  EXPECT_FALSE(table.lostSomething());
}

TEST_F(TraceSetTest, ATraceIsKnownByItsContent) {
  StreamBuilder a = stream(0);
  StreamBuilder b = stream(1);
  write("deep/er/no-extension", chunk(a, 1));
  write("rank-1.traced", chunk(b, 1));
  write("train.log", "step 1 loss 3.9\n");
  write("empty.traced", "");
  const TraceSet set = open();
  EXPECT_EQ(set.selected.size(), 2u);
  EXPECT_THAT(set.input_warnings, ElementsAre(HasSubstr("empty.traced: empty"),
                                              HasSubstr("log: not a trace")));
}

TEST_F(TraceSetTest, NothingReadableIsAnErrorWithAReason) {
  write("train.log", "step 1\n");
  const auto set = openTraceSet({dir_.path(), "/nowhere"});
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("train.log: not a trace"));
  EXPECT_THAT(set.error().message, HasSubstr("/nowhere: "));
}

TEST_F(TraceSetTest, ACutTraceWithoutAChunkIsNotCalledAnotherFile) {
  StreamBuilder a = stream(0);
  const std::string whole = chunk(a, 1);
  write("cut", whole.substr(0, whole.size() - 1));
  const auto set = openTraceSet({dir_.path()});
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("bytes could not be used"));
}

TEST_F(TraceSetTest, TheSameChunkIsCountedOnce) {
  StreamBuilder a = stream(0);
  const std::string first = chunk(a, 1);
  const std::string second = chunk(a, 2);
  // The last chunk has no rows, like a heartbeat.
  const std::string idle = a.takeChunk(true);
  write("rank-0.traced", first + second + idle);
  write("copy.traced", second + first + idle);
  const LoadedRun run = loadRun(open());
  ASSERT_EQ(run.streams.size(), 1u);
  EXPECT_EQ(run.streams[0].table.chunks, 3u);
  EXPECT_EQ(run.streams[0].table.rows_found, 8u);
  EXPECT_EQ(run.streams[0].table.gaps, 0u);
}

TEST_F(TraceSetTest, AFileNamedTwiceIsReadOnce) {
  StreamBuilder a = stream(0);
  write("rank-0.traced", chunk(a, 1));
  const auto set = openTraceSet({dir_.path(), dir_.path() + "/rank-0.traced"});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->files.size(), 1u);
}

TEST_F(TraceSetTest, ALostChunkIsAGapAndItsRecordsAreMissing) {
  StreamBuilder a = stream(0);
  const std::string first = chunk(a, 1);
  chunk(a, 2);
  const std::string third = chunk(a, 3);
  write("rank-0.traced", first + third);
  const TraceSet set = open();
  const LoadedRun run = loadRun(set);
  const StreamTable& table = run.streams[0].table;
  EXPECT_EQ(table.gaps, 1u);
  EXPECT_EQ(table.gap_positions, 4u);
  EXPECT_EQ(table.missing(), 4u);
  EXPECT_THAT(warnings(set),
              ElementsAre("no trace of ranks 1 (the job has 2 ranks)",
                          "4 records written but not found on rank 0",
                          "1 gaps between chunks on rank 0",
                          AllOf(HasSubstr("not closed"),
                                HasSubstr("missing at the end is unknown"))));
  EXPECT_FALSE(table.endKnown()) << "there may have been a fourth";
}

TEST_F(TraceSetTest, ALostBeginningIsAGapAndADeletedOneIsNot) {
  StreamBuilder a = stream(0);
  chunk(a, 1);
  write("rank-0.traced", chunk(a, 2) + a.takeChunk(true));
  EXPECT_EQ(loadRun(open()).streams[0].table.gaps, 1u);
  EXPECT_EQ(loadRun(open()).streams[0].table.missing(), 4u);

  StreamBuilder b = stream(0);
  chunk(b, 1);
  b.drop(v1::DROP_REASON_RETENTION, 4);
  b.payload().mutable_accounts()->set_produced(4);
  b.payload().mutable_accounts()->set_stored(0);
  write("rank-0.traced", chunk(b, 2) + b.takeChunk(true));
  const LoadedRun run = loadRun(open());
  const StreamTable& table = run.streams[0].table;
  EXPECT_EQ(table.gaps, 0u);
  EXPECT_EQ(table.gap_positions, 0u);
  EXPECT_EQ(table.missing(), 0u);
  EXPECT_TRUE(table.endKnown());
}

TEST_F(TraceSetTest, PartsOfAStreamAreOneStream) {
  StreamBuilder a = stream(0);
  write("rank-0.traced", chunk(a, 1));
  write("rank-0.part-1.traced", chunk(a, 2) + chunk(a, 3));
  const LoadedRun run = loadRun(open());
  ASSERT_EQ(run.streams.size(), 1u);
  EXPECT_EQ(run.streams[0].table.operations.size(), 3u);
}

TEST_F(TraceSetTest, FilesThatThreadsReadAreThoseInTheirOrder) {
  constexpr std::uint32_t kRanks = 150;
  // Two parts per rank, those of rank 7 damaged, and many files that are no
  // traces.
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const std::string name = "rank-" + std::to_string(rank);
    StreamBuilder builder = stream(rank, 1 + rank);
    write("a/" + name, chunk(builder, 1));
    write("b/" + name, (rank == 7 ? "damage" : "") + chunk(builder, 2));
    write("c/" + name, "no trace");
  }
  const TraceSet set = open();
  ASSERT_EQ(set.streams.size(), kRanks);
  EXPECT_EQ(set.files.size(), 2 * kRanks);
  ASSERT_EQ(set.input_warnings.size(), 1 + kRanks);
  EXPECT_THAT(set.input_warnings[0], HasSubstr("b/rank-7: 6 of"));
  EXPECT_THAT(set.input_warnings[1], HasSubstr("c/rank-0: not a trace"));
  EXPECT_THAT(set.input_warnings[3], HasSubstr("c/rank-10: not a trace"));
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const TraceStream& one = set.streams[rank];
    EXPECT_EQ(one.header.rank(), rank);
    ASSERT_EQ(one.chunks.size(), 2u);
    const std::string name = "rank-" + std::to_string(rank);
    EXPECT_EQ(set.files[one.chunks[0].file].path, dir_.path() + "/a/" + name);
    EXPECT_EQ(set.files[one.chunks[1].file].path, dir_.path() + "/b/" + name);
    EXPECT_EQ(StreamLoader(set).load(one).operations.size(), 2u);
  }
}

TEST_F(TraceSetTest, OverlappingChunksAreNotCountedTwice) {
  StreamBuilder a = stream(0);
  StreamBuilder again = stream(0);
  const std::string first = chunk(a, 1);
  write("rank-0.traced", first + chunk(again, 2));
  const LoadedRun run = loadRun(open());
  EXPECT_EQ(run.streams[0].table.overlapping_chunks, 1u);
  EXPECT_EQ(run.streams[0].table.rows_found, 4u);
}

TEST_F(TraceSetTest, TheNewestRunIsUsedAndTheOthersAreMentioned) {
  StreamBuilder old_0 = stream(0, 1);
  StreamBuilder old_1 = stream(1, 2);
  StreamBuilder new_0 = stream(0, 3);
  StreamBuilder newest_0 = stream(0, 4);
  for (StreamBuilder* attempt_1 : {&new_0, &newest_0}) {
    attempt_1->header().set_attempt(1);
    v1::ClockAnchor& started = *attempt_1->header().mutable_started();
    started.set_realtime_ns(started.realtime_ns() + 10);
  }
  newest_0.header().mutable_started()->set_realtime_ns(
      newest_0.header().started().realtime_ns() + 1);
  // After the end of the other, and too soon for another run.
  newest_0.header().mutable_started()->set_monotonic_ns(
      StreamBuilder::kIssueNs + 1'000'000);
  write("a", chunk(old_0, 1) + chunk(new_0, 1));
  write("b", chunk(old_1, 1));
  write("c", chunk(newest_0, 1));
  const TraceSet set = open();
  ASSERT_EQ(set.selected.size(), 1u);
  EXPECT_EQ(set.streams[set.selected[0]].header.stream_id(), 4u);
  EXPECT_THAT(set.selection_warnings,
              ElementsAre("left out 2 streams of attempt 0 of the same job: "
                          "--attempt 0 asks about it",
                          "left out 1 stream of rank 0, older than the one "
                          "used"));
}

TEST_F(TraceSetTest, AStreamMayCoverTwoOfAnotherRank) {
  StreamBuilder first_0 = stream(0, 1);
  StreamBuilder only_1 = stream(1, 2);
  StreamBuilder second_0 = stream(0, 3);
  v1::ClockAnchor& started = *second_0.header().mutable_started();
  started.set_realtime_ns(started.realtime_ns() + 1);
  started.set_monotonic_ns(StreamBuilder::kIssueNs + 1'000'000);
  write("a", chunk(first_0, 1) + chunk(second_0, 1));
  write("b", chunk(only_1, 1));
  const TraceSet set = open();
  EXPECT_EQ(set.selected.size(), 2u);
  EXPECT_TRUE(set.may_mix_runs);
  EXPECT_THAT(set.selection_warnings,
              ElementsAre("left out 1 stream of rank 0, older than the one "
                          "used"));
}

TEST_F(TraceSetTest, StreamsOfEqualHistoriesAreOfOneRun) {
  std::vector<StreamBuilder> streams;
  for (std::uint32_t i = 0; i < 4; ++i) streams.push_back(stream(i % 2, i + 1));
  for (std::size_t i = 2; i < 4; ++i) {
    v1::ClockAnchor& started = *streams[i].header().mutable_started();
    started.set_realtime_ns(started.realtime_ns() + 1);
    started.set_monotonic_ns(StreamBuilder::kIssueNs + 1'000'000);
  }
  write("a", chunk(streams[0], 1) + chunk(streams[2], 1));
  write("b", chunk(streams[1], 1) + chunk(streams[3], 1));
  const TraceSet set = open();
  EXPECT_EQ(set.selected.size(), 2u);
  EXPECT_FALSE(set.may_mix_runs);
}

// Two runs of one name in a folder. By default a rank's stream is closed a
// millisecond after it began.
class RunsOfOneNameTest : public TraceSetTest {
 protected:
  static constexpr std::int64_t kSecond = 1'000'000'000;

  void add(std::uint32_t rank, std::uint64_t id, std::int64_t start_s) {
    addTo(rank, id, start_s, [](v1::Header&) {});
  }
  template <typename Change>
  void addTo(std::uint32_t rank, std::uint64_t id, std::int64_t start_s,
             Change change, bool closed = true, std::int64_t end_s = 0) {
    StreamBuilder builder = stream(rank, id);
    v1::Header& header = builder.header();
    header.set_boot_id("boot");
    const std::int64_t start_ns = StreamBuilder::kStartNs + start_s * kSecond;
    header.mutable_started()->set_monotonic_ns(start_ns);
    header.mutable_started()->set_realtime_ns(start_ns +
                                              StreamBuilder::kRealtimeOffsetNs);
    change(header);
    builder.addOperation(1, start_ns + 1'000'000, 1, 1, 500);
    if (end_s > 0) {
      builder.payload().mutable_anchor()->set_monotonic_ns(
          StreamBuilder::kStartNs + end_s * kSecond);
    }
    write(std::to_string(id), builder.takeChunk(closed));
  }
  std::vector<std::uint64_t> selected() {
    const TraceSet set = open();
    std::vector<std::uint64_t> ids;
    for (const std::size_t i : set.selected) {
      ids.push_back(set.streams[i].header.stream_id());
    }
    return ids;
  }
};

TEST_F(RunsOfOneNameTest, AStreamThatEndedBeforeTheNewestBeganIsOfAnother) {
  add(0, 1, 0);
  add(1, 2, 0);
  add(0, 3, 5);
  const TraceSet set = open();
  EXPECT_THAT(selected(), ElementsAre(3));
  EXPECT_THAT(set.selection_warnings,
              ElementsAre("left out 2 streams of an earlier run of the same "
                          "name, which had ended before the newest began"));
  EXPECT_THAT(warnings(set),
              ::testing::Contains("no trace of ranks 1 (the job has 2 ranks)"));
}

TEST_F(RunsOfOneNameTest, ARankThatEndedBeforeAnotherBeganMayBelongToTheRun) {
  // The same launch, however late the other rank started.
  const auto launch = [](v1::Header& header) {
    header.mutable_rendezvous()->set_launcher("/tmp/launch_1");
  };
  addTo(0, 1, 0, launch);
  addTo(1, 2, 200, launch);
  EXPECT_THAT(selected(), ElementsAre(1, 2));
}

TEST_F(RunsOfOneNameTest, WallClocksOfTwoHostsMayDiffer) {
  const auto elsewhere = [](v1::Header& header) {
    header.set_boot_id("another");
  };
  addTo(0, 1, 0, elsewhere);
  add(1, 2, 20);
  EXPECT_THAT(selected(), ElementsAre(1, 2));
  add(1, 3, 200);
  EXPECT_THAT(selected(), ElementsAre(3));
}

TEST_F(RunsOfOneNameTest, ARendezvousDefinesARunDespiteWallClocks) {
  const auto met = [](const char* boot_id) {
    return [=](v1::Header& header) {
      header.set_boot_id(boot_id);
      header.mutable_rendezvous()->set_port(29500);
      header.mutable_rendezvous()->set_run_id("a");
    };
  };
  addTo(0, 1, 0, met("one"));
  addTo(1, 2, 5000, met("another"));
  EXPECT_THAT(selected(), ElementsAre(1, 2));
}

TEST_F(RunsOfOneNameTest, AStreamThatWasNotClosedMayHaveWaitedInSilence) {
  addTo(
      0, 1, 0, [](v1::Header&) {}, false);
  add(1, 2, 300);
  EXPECT_THAT(selected(), ElementsAre(1, 2));
  add(1, 3, 1000);
  EXPECT_THAT(selected(), ElementsAre(3));
}

TEST_F(RunsOfOneNameTest, RunsSideBySideAreDistinguishedByWhereTheyMet) {
  const auto met = [](std::uint32_t port, const char* address) {
    return [=](v1::Header& header) {
      header.mutable_rendezvous()->set_port(port);
      header.mutable_rendezvous()->set_address(address);
    };
  };
  addTo(0, 1, 0, met(29500, "10.0.0.1"), false);
  addTo(1, 2, 3, met(29500, "10.0.0.1"), false);
  addTo(0, 3, 1, met(29501, "10.0.0.1"), false);
  addTo(1, 4, 2, met(29501, "10.0.0.1"), false);
  EXPECT_THAT(selected(), ElementsAre(1, 2));
  EXPECT_THAT(open().selection_warnings,
              ElementsAre("left out 2 streams of another run: job \"test\", "
                          "attempt 0, 2 ranks, which met at 10.0.0.1:29501"));
  // A stream that spells its own host differently still belongs to the run.
  addTo(0, 5, 4, met(29500, ""), false);
  EXPECT_THAT(selected(), ElementsAre(5, 2));
  addTo(1, 6, 5, met(29500, "10.0.0.2"), false);
  EXPECT_THAT(selected(), ElementsAre(5, 6));
}

// Older traces do not record their rendezvous.
TEST_F(RunsOfOneNameTest, WarnsAboutIndistinguishableRuns) {
  add(0, 1, 0);
  addTo(0, 2, 0, [](v1::Header& header) {
    v1::ClockAnchor& started = *header.mutable_started();
    started.set_monotonic_ns(started.monotonic_ns() + 1000);
    started.set_realtime_ns(started.realtime_ns() + 1000);
  });
  EXPECT_THAT(selected(), ElementsAre(2));
  EXPECT_TRUE(open().may_mix_runs);
  EXPECT_THAT(open().selection_warnings,
              ElementsAre(HasSubstr("left out 1 stream of rank 0, recorded at "
                                    "the same time as the one used")));
  // A merged file holds both, with the same warnings.
  const testing::TempDir elsewhere;
  const std::string merged = elsewhere.path() + "/merged";
  ASSERT_TRUE(writeMerged(open(), merged, Existing::kKept, "test", clockText));
  const auto again = openTraceSet({merged});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->may_mix_runs);
  EXPECT_EQ(again->selection_warnings, open().selection_warnings);
}

TEST_F(RunsOfOneNameTest,
       RunsSideBySideAreDistinguishedByTheOrderInWhichTheyBegan) {
  const auto as_it_is = [](v1::Header&) {};
  addTo(0, 1, 0, as_it_is, true, 100);
  addTo(1, 2, 1, as_it_is, true, 100);
  addTo(0, 3, 5, as_it_is);
  addTo(1, 4, 6, as_it_is);
  EXPECT_THAT(selected(), ElementsAre(3, 4));
  EXPECT_THAT(open().selection_warnings,
              ElementsAre(HasSubstr("left out 2 streams of a run of the same "
                                    "name that ran at the same time: each rank "
                                    "has two streams")));
  // One run lost its rank 1, so the owner of the remaining one is unknown.
  addTo(0, 5, 7, as_it_is);
  EXPECT_THAT(open().selection_warnings,
              ::testing::Contains(HasSubstr("may be mixed here")));
}

TEST_F(RunsOfOneNameTest, TheLaunchersRunIdDistinguishesRuns) {
  const auto called = [](const char* id) {
    return [=](v1::Header& header) {
      header.mutable_rendezvous()->set_run_id(id);
    };
  };
  addTo(0, 1, 0, called("a"), false);
  addTo(1, 2, 1, called("b"), false);
  EXPECT_THAT(selected(), ElementsAre(2));
  EXPECT_FALSE(open().may_mix_runs);
}

TEST_F(TraceSetTest, AStreamOfAnUnknownSchemaIsLeftOut) {
  StreamBuilder a = stream(0);
  StreamBuilder b = stream(1);
  b.header().set_schema(3);
  write("a", chunk(a, 1));
  write("b", chunk(b, 1));
  const TraceSet set = open();
  EXPECT_EQ(set.selected.size(), 1u);
  EXPECT_THAT(set.selection_warnings,
              ElementsAre("left out 1 stream whose schema this version does "
                          "not know"));
  EXPECT_FALSE(openTraceSet({dir_.path() + "/b"}));
}

TEST_F(TraceSetTest, ALostBeginIsAGapToo) {
  StreamBuilder a = stream(0);
  chunk(a, 1);
  write("rank-0.traced", chunk(a, 2));
  const LoadedRun run = loadRun(open());
  EXPECT_EQ(run.streams[0].table.gaps, 1u);
  EXPECT_EQ(run.streams[0].table.missing(), 4u);
}

TEST_F(TraceSetTest, AChunkOfAnUnknownCompressionIsSkippedButNoDamage) {
  StreamBuilder a = stream(0);
  const std::string first = chunk(a, 1);
  const std::string second = chunk(a, 2);
  const std::string third = chunk(a, 3);
  write("rank-0.traced", first + testing::withCompression(second, 7) + third);
  const TraceSet set = open();
  const LoadedRun run = loadRun(set);
  const StreamTable& table = run.streams[0].table;
  EXPECT_EQ(table.skipped_chunks, 1u);
  EXPECT_EQ(table.gaps, 0u);
  EXPECT_EQ(table.missing(), 4u);
  EXPECT_EQ(unusableBytes(set, run.summary), 0u);
}

TEST_F(TraceSetTest, AChunkRefusedForItsContentIsUnusable) {
  StreamBuilder a = stream(0);
  const std::string good = chunk(a, 1);
  v1::Payload payload = a.payload();
  payload.add_text()->set_text("\xFF");  // a string must be UTF-8
  const std::string bad = a.encode(payload, 1);
  write("rank-0.traced", good + bad);
  const TraceSet set = open();
  const LoadedRun run = loadRun(set);
  EXPECT_EQ(unusableBytes(set, run.summary), bad.size());
}

TEST_F(TraceSetTest, DamageAnywhereNeverCrashesAndKeepsTheIntactChunks) {
  StreamBuilder a = stream(0);
  const std::string chunks[] = {chunk(a, 1), chunk(a, 2), chunk(a, 3)};
  const std::string whole = chunks[0] + chunks[1] + chunks[2];
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(~damaged[at]);
    write("rank-0.traced", damaged);
    const TraceSet set = open();
    EXPECT_GE(loadRun(set).streams[0].table.operations.size(), 2u) << at;
    EXPECT_GT(set.unusable_bytes, 0u) << at;
  }
}

}  // namespace
}  // namespace traced
