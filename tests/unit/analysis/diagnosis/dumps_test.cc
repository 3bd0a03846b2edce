// Tests diagnoses from Flight Recorder dumps of devices. They hold totals,
// counters and active operations, but not the time of the dump.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "diagnosed.h"
#include "support/dump_files.h"

namespace traced {
namespace {

using testing::dumpEntry;
using testing::emptyDump;
using testing::expectConfidence;
using testing::expectHealthy;
using testing::expectVerdict;
using testing::Json;
using testing::kDumpBeginNs;
using testing::pickleOf;
using testing::Ranks;
using testing::TempDir;
using testing::textOf;
using testing::writeFile;

// Builds the dumps of a job, with active entries only. Naming a group creates
// it.
class Dumps {
 public:
  explicit Dumps(std::uint32_t ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      dumps_.push_back(emptyDump("2.9"));
      dumps_.back()["pg_config"] = Json::object();
    }
  }

  void addGroup(const std::string& name, const Ranks& ranks) {
    for (const std::uint32_t rank : ranks) {
      Json& config = dumps_[rank]["pg_config"];
      config[name] = {{"name", name},
                      {"desc", "group_" + name},
                      {"ranks", Json(ranks).dump()}};
    }
  }
  // Sets the backend's counters of a rank.
  void count(std::uint32_t rank, const std::string& group, int completed,
             int enqueued) {
    dumps_[rank]["pg_status"][group] = {
        {"last_enqueued_collective", enqueued},
        {"last_started_collective", -1},
        {"last_completed_collective", completed}};
  }
  // Adds an active operation.
  Json& issue(std::uint32_t rank, const std::string& group, int seq, int at_ms,
              const std::string& name = "nccl:all_reduce") {
    Json entry = dumpEntry(1000 + static_cast<std::uint64_t>(at_ms));
    entry["pg_id"] = std::stoi(group);
    entry["process_group"] = {group, "group_" + group};
    entry["collective_seq_id"] = seq;
    entry["profiling_name"] = name;
    entry["time_created_ns"] = kDumpBeginNs + at_ms * 1'000'000LL;
    Json& entries = dumps_[rank]["entries"];
    entries.push_back(entry);
    return entries.back();
  }
  void sendOrReceive(std::uint32_t rank, const std::string& group, int seq,
                     int at_ms, const std::string& name) {
    Json& entry = issue(rank, group, 0, at_ms, name);
    entry["p2p_seq_id"] = seq;
    entry["is_p2p"] = true;
  }
  Json& of(std::uint32_t rank) { return dumps_[rank]; }
  // Numbers the records so that no dump lacks one.
  void holdAllRecords() {
    for (Json& dump : dumps_) {
      int id = 0;
      for (Json& entry : dump["entries"]) entry["record_id"] = id++;
    }
  }

  // `prefix`: that of the files' names, before the rank plus `offset`.
  Diagnosis diagnose(const std::set<std::uint32_t>& without = {},
                     const std::string& prefix = "_dump_",
                     std::uint32_t offset = 0) const {
    const TempDir dir;
    for (std::uint32_t rank = 0; rank < dumps_.size(); ++rank) {
      if (without.contains(rank)) continue;
      writeFile(dir.path() + "/" + prefix + std::to_string(rank + offset),
                pickleOf(dumps_[rank]));
    }
    const std::vector<std::string> paths = {dir.path()};
    const Result<TraceSet> set = openTraceSet(paths);
    EXPECT_TRUE(set) << set.error().message;
    return traced::diagnose(*set, {});
  }

 private:
  std::vector<Json> dumps_;
};

// Two replica groups of a torchft job have equal names and local ranks.
TEST(DumpsTest, ReplicaGroupsAreToldApart) {
  Dumps dumps(4);
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) {
    dumps.of(rank)["pg_config"]["0"] = {
        {"name", "0"}, {"desc", "default_pg"}, {"ranks", "[0, 1]"}};
    // The second replica group has done more.
    for (int seq = 1; seq <= (rank < 2 ? 2 : 4); ++seq) {
      Json& entry = dumps.issue(rank, "0", seq, seq);
      entry["time_discovered_completed_ns"] = kDumpBeginNs + 10'000'000;
    }
  }
  expectHealthy(dumps.diagnose({}, "trace_rank_"));
  dumps.issue(2, "0", 5, 20);
  expectVerdict(dumps.diagnose({}, "trace_rank_"), VerdictKind::kNeverJoined,
                {3});
  // Messages name ranks within the replica group.
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) {
    dumps.sendOrReceive(rank, "0", 1, 1,
                        rank % 2 ? "nccl:recv 1<-0" : "nccl:send 0->1");
  }
  expectVerdict(dumps.diagnose({}, "trace_rank_"), VerdictKind::kNeverJoined,
                {3});
}

// Process ids are no ranks.
TEST(DumpsTest, ANumberInAFileNameIsNoReplica) {
  Dumps dumps(2);
  for (const std::uint32_t rank : {0U, 1U}) {
    dumps.of(rank)["pg_config"]["0"] = {
        {"name", "0"}, {"desc", "default_pg"}, {"ranks", "[0, 1]"}};
    dumps.issue(rank, "0", 1, 1)["time_discovered_completed_ns"] =
        kDumpBeginNs + 2'000'000;
  }
  const Diagnosis diagnosis = dumps.diagnose({}, "fr_", 4101);
  EXPECT_EQ(textOf(diagnosis).find("replica"), std::string::npos);
}

// The watchdog has counted no end yet, but the recorder saw two.
TEST(DumpsTest, ARecordedEndPrecedesItsCount) {
  Dumps dumps(3);
  dumps.addGroup("1", {0, 1, 2});
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    dumps.count(rank, "1", -1, rank == 0 ? 2 : 3);
    for (int seq = 1; seq <= 2; ++seq) {
      dumps.issue(rank, "1", seq, seq)["time_discovered_completed_ns"] =
          kDumpBeginNs + 10'000'000;
    }
    if (rank != 0) dumps.issue(rank, "1", 3, 3);
  }
  dumps.holdAllRecords();
  const Diagnosis diagnosis = dumps.diagnose();
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {0});
}

// Rank 2 has no records, so its count is not compared with recorded ends.
TEST(DumpsTest, ARankWithoutRecordsIsNotSingledOut) {
  Dumps dumps(3);
  dumps.addGroup("1", {0, 1, 2});
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    dumps.count(rank, "1", 2, 3);
    for (int seq = 1; seq <= 3 && rank != 2; ++seq) {
      dumps.issue(rank, "1", seq, seq)["time_discovered_completed_ns"] =
          kDumpBeginNs + 10'000'000;
    }
  }
  for (const JobVerdict& verdict : dumps.diagnose().verdicts) {
    EXPECT_NE(verdict.culprits, Ranks{2});
  }
}

// The recorder of rank 0 forgot its operations, also one that is stuck.
TEST(DumpsTest, WhatARecorderForgotAtAResetIsNotMissing) {
  Dumps dumps(2);
  dumps.addGroup("1", {0, 1});
  dumps.count(0, "1", 6, 7);
  dumps.count(1, "1", 6, 7);
  dumps.issue(1, "1", 7, 7);
  const Diagnosis diagnosis = dumps.diagnose();
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    EXPECT_NE(verdict.kind, VerdictKind::kNeverJoined) << textOf(diagnosis);
  }
}

TEST(DumpsTest, TotalsOfAnAllToAllDoNotShowItsSplits) {
  Dumps dumps(2);
  dumps.addGroup("1", {0, 1});
  for (const std::uint32_t rank : {0U, 1U}) {
    Json& entry = dumps.issue(rank, "1", 1, 0, "nccl:all_to_all");
    entry["output_sizes"] = {{16 + 3 * static_cast<int>(rank)}};
    entry["time_discovered_completed_ns"] = kDumpBeginNs + 1;
  }
  const Diagnosis diagnosis = dumps.diagnose();
  expectHealthy(diagnosis);
  EXPECT_EQ(diagnosis.rules_left_out,
            (std::vector<std::string>{"slow_peers", "stragglers", "splits",
                                      "buffers_and_waits", "early_ends",
                                      "gradients"}));
}

TEST(DumpsTest, CountersReportARankWhoseDumpHasNoEntry) {
  Dumps dumps(4);
  dumps.addGroup("1", {0, 1, 2, 3});
  for (const std::uint32_t rank : {0U, 1U, 3U}) {
    dumps.count(rank, "1", 40, 42);
    dumps.issue(rank, "1", 41, 10);
    dumps.issue(rank, "1", 42, 11);
  }
  dumps.count(2, "1", 40, 40);
  const Diagnosis diagnosis = dumps.diagnose();
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {2});
  EXPECT_EQ(diagnosis.verdicts[0].seq, 41U);
  EXPECT_EQ(diagnosis.verdicts[0].confidence(), Confidence::kLikely);
}

TEST(DumpsTest, CountersOfMessagesAreNotCompared) {
  Dumps dumps(3);
  dumps.addGroup("1", {0, 1, 2});
  dumps.count(0, "1", 40, 41);
  dumps.count(1, "1", 90, 91);
  dumps.count(2, "1", 7, 7);
  dumps.sendOrReceive(0, "1", 41, 10, "nccl:send 0->1");
  dumps.sendOrReceive(1, "1", 91, 10, "nccl:recv 1<-0");
  // Both ranks are inside it, and no dump shows that rank 2 belongs to it.
  expectVerdict(dumps.diagnose(), VerdictKind::kHungIn, {0, 1});
}

TEST(DumpsTest, ARankWithoutAnEndThatOthersHaveIsBehind) {
  Dumps dumps(4);
  dumps.addGroup("1", {0, 1, 2, 3});
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) {
    const bool behind = rank == 1 || rank == 3;
    dumps.count(rank, "1", behind ? 40 : 42, behind ? 42 : 43);
    for (int seq = behind ? 41 : 43; seq <= (behind ? 42 : 43); ++seq) {
      dumps.issue(rank, "1", seq, seq);
    }
  }
  const Diagnosis diagnosis = dumps.diagnose();
  expectVerdict(diagnosis, VerdictKind::kHungIn, {1, 3});
  EXPECT_EQ(diagnosis.verdicts[0].seq, 41U);
  EXPECT_EQ(diagnosis.verdicts[0].confidence(), Confidence::kLikely);
}

TEST(DumpsTest, EndsWithoutARankShowThatItsDumpIsOlder) {
  Dumps dumps(3);
  dumps.addGroup("1", {0, 1, 2});
  dumps.count(0, "1", 42, 43);
  dumps.count(1, "1", 41, 43);
  dumps.count(2, "1", 40, 40);
  dumps.issue(0, "1", 43, 43);
  dumps.issue(1, "1", 42, 42);
  dumps.issue(1, "1", 43, 43);
  // Operation 42 needs all ranks: rank 2 continued after its dump.
  for (const JobVerdict& verdict : dumps.diagnose().verdicts) {
    EXPECT_NE(verdict.culprits, Ranks{2});
  }
}

// Ranks 0 and 1 are stuck because rank 2 did not join their earlier operation.
TEST(DumpsTest, EarlierOperationsBlockAFullyJoinedOne) {
  Dumps dumps(3);
  dumps.addGroup("1", {0, 1, 2});
  dumps.addGroup("2", {0, 1});
  for (const std::uint32_t rank : {0U, 1U}) {
    dumps.count(rank, "1", 10, 11);
    dumps.count(rank, "2", 20, 21);
    dumps.issue(rank, "1", 11, 5);
    dumps.issue(rank, "2", 21, 6);
  }
  dumps.count(2, "1", 10, 10);
  expectVerdict(dumps.diagnose(), VerdictKind::kNeverJoined, {2});
}

// Rank 1 has an active operation with rank 0, which has passed it. This
// operation does not keep rank 1 from joining the next one.
TEST(DumpsTest, AnOperationThatOthersPassedBlocksNobody) {
  Dumps dumps(3);
  dumps.addGroup("1", {0, 1});
  dumps.addGroup("2", {0, 1, 2});
  dumps.count(0, "1", 10, 11);
  dumps.count(1, "1", 10, 11);
  dumps.issue(0, "1", 11, 5);
  dumps.issue(1, "1", 11, 5);
  dumps.count(0, "2", 3, 4);
  dumps.count(2, "2", 3, 4);
  dumps.count(1, "2", 3, 3);
  dumps.issue(0, "2", 4, 6);
  dumps.issue(2, "2", 4, 4);
  expectVerdict(dumps.diagnose(), VerdictKind::kNeverJoined, {1});
}

TEST(DumpsTest, OneRankThatManyWaitForIsOneVerdict) {
  Dumps dumps(3);
  dumps.addGroup("1", {0, 1});
  dumps.addGroup("2", {1, 2});
  dumps.count(0, "1", 3, 4);
  dumps.count(1, "1", 3, 3);
  dumps.count(1, "2", 8, 8);
  dumps.count(2, "2", 8, 9);
  dumps.issue(0, "1", 4, 7);
  dumps.issue(2, "2", 9, 6);
  const Diagnosis diagnosis = dumps.diagnose();
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {1});
  EXPECT_EQ(diagnosis.verdicts[0].seq, 9U);  // the first wait
}

TEST(DumpsTest, ARankThatWaitsForAMessageIsNotToBlame) {
  Dumps dumps(4);
  dumps.addGroup("1", {0, 1});
  dumps.addGroup("2", {1, 3});
  dumps.addGroup("3", {2, 3});
  dumps.count(0, "1", 3, 4);
  dumps.count(1, "1", 3, 3);
  dumps.issue(0, "1", 4, 7);
  dumps.sendOrReceive(1, "2", 5, 2, "nccl:recv 0<-1");
  dumps.count(2, "3", 8, 9);
  dumps.count(3, "2", 9, 9);
  dumps.count(3, "3", 8, 8);
  dumps.issue(2, "3", 9, 1);
  expectVerdict(dumps.diagnose(), VerdictKind::kNeverJoined, {3});
}

// Rank 1 has not ended an operation that rank 0 has. Only rank 1's dump shows
// that rank 0 has not joined the next one.
TEST(DumpsTest, ARankThatIsBehindIsNoWitness) {
  Dumps dumps(3);
  dumps.addGroup("1", {0, 1});
  dumps.addGroup("2", {0, 1, 2});
  dumps.count(0, "1", 11, 11);
  dumps.count(1, "1", 10, 11);
  dumps.issue(1, "1", 11, 5);
  dumps.count(0, "2", 3, 3);
  dumps.count(1, "2", 3, 4);
  dumps.count(2, "2", 3, 3);
  dumps.issue(1, "2", 4, 6);
  expectVerdict(dumps.diagnose(), VerdictKind::kHungIn, {1});
}

// Rank 0 waits for rank 1 in a later operation, so it does not join rank 2's.
TEST(DumpsTest, ARankWaitingForOneThatIsBehindIsNotBlamed) {
  Dumps dumps(3);
  dumps.addGroup("1", {0, 1});
  dumps.addGroup("2", {0, 2});
  dumps.count(0, "1", 11, 12);
  dumps.count(1, "1", 10, 11);
  dumps.issue(0, "1", 12, 8);
  dumps.issue(1, "1", 11, 5);
  dumps.count(0, "2", 3, 3);
  dumps.count(2, "2", 3, 4);
  dumps.issue(2, "2", 4, 6);
  expectVerdict(dumps.diagnose(), VerdictKind::kHungIn, {1});
}

TEST(DumpsTest, ARankWaitingForARankWithoutADumpIsNotBlamed) {
  Dumps dumps(5);
  dumps.addGroup("0", {0, 1, 2, 3, 4});
  dumps.addGroup("1", {0, 1});
  dumps.addGroup("2", {1, 3});
  for (const std::uint32_t rank : {0U, 1U, 2U, 4U}) {
    dumps.count(rank, "0", 1, 1);
    dumps.of(rank)["pg_config"]["0"]["desc"] = "default_pg";
  }
  dumps.count(0, "1", 3, 4);
  dumps.count(1, "1", 3, 3);
  dumps.count(1, "2", 4, 5);
  dumps.issue(0, "1", 4, 7);
  dumps.sendOrReceive(1, "2", 5, 2, "nccl:recv 0<-1");
  expectVerdict(dumps.diagnose({3}), VerdictKind::kNeverJoined, {3});
}

// Complete dumps match messages by number.
TEST(DumpsTest, ARankSendingToARankWithoutADumpIsNotBlamed) {
  Dumps dumps(5);
  dumps.addGroup("0", {0, 1, 2, 3, 4});
  dumps.addGroup("1", {0, 1, 2});
  dumps.addGroup("2", {1, 3});
  for (const std::uint32_t rank : {0U, 1U, 2U, 4U}) {
    dumps.of(rank)["pg_config"]["0"]["desc"] = "default_pg";
    dumps.count(rank, "0", 1, 1);
  }
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    Json& first = dumps.issue(rank, "1", 1, 1);
    first["time_discovered_completed_ns"] = kDumpBeginNs + 2'000'000;
    dumps.count(rank, "1", 1, rank == 1 ? 1 : 2);
  }
  dumps.sendOrReceive(1, "2", 1, 2, "nccl:send 0->1");
  dumps.issue(0, "1", 2, 7);
  dumps.issue(2, "1", 2, 7);
  dumps.holdAllRecords();
  const Diagnosis diagnosis = dumps.diagnose({3});
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {3});
  expectConfidence(diagnosis, Confidence::kLikely, Confidence::kLikely);
}

TEST(DumpsTest, ARankWithoutADumpIsNamedWhereAllLeadsToIt) {
  Dumps dumps(4);
  dumps.addGroup("1", {0, 1, 2, 3});
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) {
    dumps.count(rank, "1", 40, 41);
    dumps.issue(rank, "1", 41, 41);
  }
  const Diagnosis diagnosis = dumps.diagnose({3});
  expectVerdict(diagnosis, VerdictKind::kNeverJoined, {3});
  EXPECT_EQ(diagnosis.verdicts[0].culprit, Confidence::kLikely);
}

// Gloo's recorder of torch 2.11 reports no ends at all.
TEST(DumpsTest, WithoutReportedEndsNothingHangs) {
  Dumps dumps(2);
  dumps.addGroup("1", {0, 1});
  for (const std::uint32_t rank : {0U, 1U}) {
    dumps.issue(rank, "1", 1, 0, "gloo:all_reduce");
  }
  expectHealthy(dumps.diagnose());
}

}  // namespace
}  // namespace traced
