#include "analysis/flight_recorder/dump_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/job/group_catalog.h"
#include "support/dump_files.h"
#include "trace_io/call_text.h"

namespace traced {
namespace {

using testing::dumpEntry;
using testing::emptyDump;
using testing::Json;
using testing::kDumpBeginNs;
using testing::pickleOf;

Dump parse(const std::string& bytes) {
  auto dump = Dump::parse(bytes);
  EXPECT_TRUE(dump) << dump.error().message;
  EXPECT_TRUE(*dump);
  return std::move(**dump);
}

StreamTable tableOf(const std::string& bytes, std::uint32_t rank = 0) {
  const Dump dump = parse(bytes);
  return tableOfDump(dump, headerOfDump(dump, rank, 1));
}

StreamTable tableOf(const Json& dump, std::uint32_t rank = 0) {
  return tableOf(pickleOf(dump), rank);
}

Json dumpOf(const std::vector<Json>& entries,
            const std::string& version = "2.4") {
  Json dump = emptyDump(version);
  dump["entries"] = entries;
  return dump;
}

Json named(std::uint64_t id, const std::string& profiling_name) {
  Json entry = dumpEntry(id);
  entry["profiling_name"] = profiling_name;
  return entry;
}

Json sendOrRecv(std::uint64_t id, const std::string& profiling_name,
                std::uint64_t p2p_seq) {
  Json entry = named(id, profiling_name);
  entry["is_p2p"] = true;
  entry["p2p_seq_id"] = p2p_seq;
  entry["collective_seq_id"] = 0;
  return entry;
}

const v1::Call& callOf(const StreamTable& table, std::size_t i) {
  return *table.callOf(table.operations.at(i));
}

TEST(DumpTableTest, ContainsOnlyWhatTheDumpContains) {
  const StreamTable table = tableOf(dumpOf({dumpEntry(0)}));
  ASSERT_EQ(table.operations.size(), 1u);
  const AssembledOperation& op = table.operations[0];
  EXPECT_EQ(op.seq, 1u);
  EXPECT_EQ(op.issued.ns(), kDumpBeginNs);
  for (const Instant absent : {op.returned, op.started, op.ended, op.wait_began,
                               op.wait_ended, op.released}) {
    EXPECT_FALSE(absent.known());
  }
  EXPECT_EQ(op.state(), OperationState::kIssued);
  const v1::Call& call = callOf(table, 0);
  EXPECT_EQ(call.op(), v1::OPERATION_ALL_REDUCE);
  EXPECT_EQ(call.bytes_in(), 64u);
  EXPECT_EQ(call.bytes_out(), 64u);
  EXPECT_EQ(dtypeText(call), "float32");
  EXPECT_EQ(call.timeout_ms(), 600000);
  EXPECT_FALSE(call.has_async());
  const GroupDefinition& group = table.definitions.groups().at(0);
  EXPECT_EQ(group.desc, "default_pg");
  EXPECT_EQ(group.backend, "nccl");
  EXPECT_EQ(group.members, RankList::fromRanks({0, 1}));
  EXPECT_EQ(table.header.world_size(), 2u);
  EXPECT_EQ(table.header.boot_id(), "");
  EXPECT_EQ(table.header.started().monotonic_ns(), kDumpBeginNs);
  EXPECT_TRUE(table.snapshot);
}

// Fields that versions 2.4 to 2.10 add, and unknown keys.
TEST(DumpTableTest, ReadsAllVersionsAndIgnoresWhatItDoesNotKnow) {
  for (const std::string version :
       {"2.4", "2.5", "2.7", "2.8", "2.9", "2.10", "2.11"}) {
    Json dump = dumpOf({dumpEntry(0)}, version);
    dump["nccl_version"] = "2.21.5";
    dump["nccl_comm_state"] = {{"abc", {{"rank", "0"}}}};
    dump["new_key"] = {1, 2.5, {{"deep", nullptr}}};
    dump["entries"][0]["thread_id"] = "1405";
    dump["entries"][0]["thread_name"] = "pt_main";
    dump["entries"][0]["frames"] = {
        {{"name", "f"}, {"filename", "a.py"}, {"line", 3}}};
    const StreamTable table = tableOf(dump);
    EXPECT_EQ(table.operations.size(), 1u);
    EXPECT_EQ(table.definitions.thread(table.operations[0].thread)->name(),
              "pt_main");
    EXPECT_EQ(table.header.library_versions().at("flight_recorder"), version);
    EXPECT_EQ(table.header.library_versions().at("communication"), "2.21.5");
    EXPECT_EQ(parse(pickleOf(dump)).isNewer(), version == "2.11");
  }
}

// Before version 2.5 there is no pg_status. Old dumps also have lists of ranks,
// and a number for the size of a tensor of one dimension.
TEST(DumpTableTest, ReadsOldForms) {
  for (const std::string version : {"2.0", "2.3", "2.4"}) {
    Json dump = dumpOf({dumpEntry(0)}, version);
    dump.erase("pg_status");
    dump["pg_config"]["0"]["ranks"] = {0, 1};
    dump["entries"][0]["input_sizes"] = {16};
    const StreamTable table = tableOf(dump);
    ASSERT_EQ(table.operations.size(), 1u);
    EXPECT_EQ(callOf(table, 0).bytes_in(), 64u);
    EXPECT_EQ(shapeText(callOf(table, 0)), "[16]");
    EXPECT_EQ(table.definitions.groups().at(0).members,
              RankList::fromRanks({0, 1}));
    EXPECT_TRUE(table.progress.empty());
  }
}

// Rank 5 of the whole job is rank 1 of the second replica group.
TEST(DumpTableTest, GroupsOfAReplicaHaveGlobalRanks) {
  Json dump = emptyDump("2.10");
  dump["pg_config"]["0"]["ranks"] = "[0, 1, 2, 3]";
  dump["pg_config"]["1"] = {{"name", "1"}, {"desc", "tp"}, {"ranks", "[0, 1]"}};
  dump["pg_config"]["2"] = {
      {"name", "2"}, {"desc", "replicas"}, {"ranks", "[1, 5]"}};
  dump["pg_config"]["3"] = {
      {"name", "3"}, {"desc", "quorum"}, {"ranks", "[0, 1, 2, 3, 4]"}};
  const auto members = [&](std::uint32_t rank) {
    Dump parsed = parse(pickleOf(dump));
    const std::uint32_t size = parsed.moveToReplica(rank);
    EXPECT_EQ(size, rank == 5 ? 4u : 0u);
    std::vector<std::vector<std::uint32_t>> all;
    for (const DumpGroup& group : parsed.groups()) all.push_back(group.members);
    if (size > 0) {
      EXPECT_EQ(headerOfDump(parsed, rank, 1).world_size(), 8u);
    }
    return all;
  };
  using All = std::vector<std::vector<std::uint32_t>>;
  EXPECT_EQ(members(5), (All{{4, 5, 6, 7}, {4, 5}, {1, 5}, {0, 1, 2, 3, 4}}));
  EXPECT_EQ(members(1), (All{{0, 1, 2, 3}, {0, 1}, {1, 5}, {0, 1, 2, 3, 4}}));
}

TEST(DumpTableTest, AnotherMajorVersionIsRefused) {
  for (const std::string version : {"1.5", "3.0"}) {
    const auto dump = Dump::parse(pickleOf(emptyDump(version)));
    ASSERT_FALSE(dump);
    EXPECT_EQ(dump.error().message, "a Flight Recorder dump of version " +
                                        version + ", and only 2.x is read");
  }
}

// The JSON form has texts in pg_status, and 0 for missing values.
TEST(DumpTableTest, BothFormsGiveTheSameTable) {
  Json dump = dumpOf({dumpEntry(0), dumpEntry(1)});
  dump["entries"][0]["time_discovered_completed_ns"] = kDumpBeginNs + 500;
  dump["pg_status"] = {{"0",
                        {{"last_enqueued_collective", 7},
                         {"last_started_collective", -1},
                         {"last_completed_collective", 5}}}};
  Json as_json = dump;
  as_json["pg_status"]["0"] = {{"last_enqueued_collective", "7"},
                               {"last_started_collective", "-1"},
                               {"last_completed_collective", "5"}};
  for (Json& entry : as_json["entries"]) {
    for (const char* key :
         {"time_discovered_started_ns", "time_discovered_completed_ns"}) {
      if (entry[key].is_null()) entry[key] = 0;
    }
  }
  for (const std::string& bytes : {pickleOf(dump), as_json.dump()}) {
    const StreamTable table = tableOf(bytes);
    ASSERT_EQ(table.operations.size(), 2u);
    EXPECT_EQ(table.operations[0].ended.ns(), kDumpBeginNs + 500);
    EXPECT_EQ(table.operations[0].end_source, v1::END_SOURCE_COMPLETION_HOOK);
    EXPECT_FALSE(table.operations[1].ended.known());
    ASSERT_EQ(table.progress.size(), 1u);
    EXPECT_EQ(table.progress[0].name, "0");
    EXPECT_EQ(table.progress[0].last_enqueued, 7u);
    EXPECT_FALSE(table.progress[0].last_started);
    EXPECT_EQ(table.progress[0].last_completed, 5u);
  }
}

TEST(DumpTableTest, AMeasuredDurationReportsTheStartOfWhatHasEnded) {
  Json measured = dumpEntry(0), discovered = dumpEntry(1),
       running = dumpEntry(2);
  measured["time_discovered_started_ns"] = kDumpBeginNs + 400'000;
  measured["time_discovered_completed_ns"] = kDumpBeginNs + 900'000;
  measured["duration_ms"] = 0.25;
  discovered["time_discovered_started_ns"] = kDumpBeginNs + 400'000;
  discovered["time_discovered_completed_ns"] = kDumpBeginNs + 900'000;
  running["time_discovered_started_ns"] = kDumpBeginNs + 400'000;
  const StreamTable table = tableOf(dumpOf({measured, discovered, running}));
  EXPECT_EQ(table.operations[0].started.ns(), kDumpBeginNs + 650'000);
  EXPECT_FALSE(table.operations[1].started.known());
  EXPECT_EQ(table.operations[2].started.ns(), kDumpBeginNs + 400'000);
  EXPECT_EQ(table.operations[2].state(), OperationState::kIssued);
}

TEST(DumpTableTest, CountsWhatTheRingHasOverwritten) {
  const StreamTable table = tableOf(dumpOf({dumpEntry(40), dumpEntry(41)}));
  EXPECT_EQ(table.not_in_dump, 40u);
  EXPECT_TRUE(table.lostSomething());
  EXPECT_EQ(table.missing(), 0u);
  EXPECT_FALSE(tableOf(dumpOf({dumpEntry(0)})).lostSomething());
}

TEST(DumpTableTest, AnEntryWithoutATimeIsCountedAsMissing) {
  Json broken = dumpEntry(1);
  broken.erase("time_created_ns");
  const StreamTable table = tableOf(dumpOf({dumpEntry(0), broken, 7}));
  EXPECT_EQ(table.operations.size(), 1u);
  EXPECT_EQ(table.missing(), 2u);
}

TEST(DumpTableTest, BytesAreOnlyWhatSizesAndDtypesProve) {
  Json entry = dumpEntry(0);
  entry["input_sizes"] = {{2, 3}, {2, 3}, {5}, {-1}, {7}, {1LL << 62, 8}};
  entry["input_dtypes"] = {"Half", "Half", "Long", "Float", "Float7", "Float"};
  const StreamTable table = tableOf(dumpOf({entry}));
  const v1::Call& call = callOf(table, 0);
  EXPECT_EQ(call.bytes_in(), 2u * 12 + 40);
  EXPECT_EQ(call.tensors_in(), 6u);
  EXPECT_EQ(call.tensors_cut(), 3u);
  EXPECT_EQ(shapesText(call.input()), "2*[2,3] [5]");
}

TEST(DumpTableTest, SendsAndReceivesAreNumberedByOrderedPair) {
  const StreamTable table = tableOf(dumpOf(
      {sendOrRecv(0, "nccl:send 0->1", 1), sendOrRecv(1, "nccl:recv 0<-1", 2),
       sendOrRecv(2, "nccl:send 0->1", 3),
       sendOrRecv(3, "fake:recv 0<-?", 4)}));
  EXPECT_EQ(table.operations[0].seq, 1u);
  EXPECT_EQ(table.operations[1].seq, 1u);
  EXPECT_EQ(table.operations[2].seq, 2u);
  EXPECT_EQ(table.operations[3].seq, 0u);
  EXPECT_EQ(callOf(table, 0).op(), v1::OPERATION_SEND);
  EXPECT_EQ(callOf(table, 0).peer_global_plus_1(), 2u);
  EXPECT_EQ(callOf(table, 3).peer_plus_1(), 0u);
}

TEST(DumpTableTest, PairsAreNotNumberedWhenSomeAreLost) {
  EXPECT_EQ(
      tableOf(dumpOf({sendOrRecv(1, "nccl:send 0->1", 2)})).operations[0].seq,
      0u);
  // Record ids restart after a reset; the group's numbers continue.
  EXPECT_EQ(
      tableOf(dumpOf({sendOrRecv(0, "nccl:send 0->1", 9)})).operations[0].seq,
      0u);
}

TEST(DumpTableTest, PeersAreGlobalRanks) {
  Json dump = dumpOf(
      {sendOrRecv(0, "nccl:send 1->0", 1), sendOrRecv(1, "gloo:send 1->0", 2)});
  dump["pg_config"]["pp"] = {{"desc", "pp"}, {"ranks", "[7, 3]"}};
  dump["entries"][0]["process_group"] = {"pp", "pp"};
  dump["entries"][1]["process_group"] = {"tp", "tp"};
  const StreamTable table = tableOf(dump, 3);
  EXPECT_EQ(callOf(table, 0).peer_global_plus_1(), 8u);
  EXPECT_EQ(callOf(table, 1).peer_plus_1(), 1u);
  EXPECT_EQ(callOf(table, 1).peer_global_plus_1(), 0u);
  EXPECT_EQ(parse(pickleOf(dump)).rank(), 3u);
}

TEST(DumpTableTest, ACoalescedBatchHoldsWhatWasLaunchedWithIt) {
  Json before = sendOrRecv(0, "nccl:send 0->1", 1);
  std::vector<Json> entries = {before};
  for (const char* name :
       {"nccl:send 0->1", "nccl:recv 0<-1", "nccl:coalesced"}) {
    entries.push_back(sendOrRecv(entries.size(), name, 2));
  }
  for (const char* name : {"nccl:all_reduce", "nccl:coalesced"}) {
    Json entry = named(entries.size(), name);
    entry["collective_seq_id"] = 1;
    entry["p2p_seq_id"] = 2;
    entries.push_back(entry);
  }
  const StreamTable table = tableOf(dumpOf(entries, "2.7"));
  const auto batch = [&](std::size_t i) { return table.operations[i].batch; };
  EXPECT_EQ(batch(0), 0u);
  EXPECT_NE(batch(1), 0u);
  EXPECT_EQ(batch(1), batch(2));
  EXPECT_EQ(batch(1), batch(3));
  EXPECT_EQ(table.operations[3].seq, 0u);
  EXPECT_EQ(batch(4), batch(5));
  EXPECT_NE(batch(4), batch(1));
  EXPECT_EQ(table.operations[5].seq, 1u);
}

TEST(DumpTableTest, GroupsAreReportedByNameAndMembers) {
  Json first = dumpOf({dumpEntry(0), dumpEntry(1)});
  first["pg_config"]["a"] = {{"desc", "dp"}, {"ranks", "[0, 1]"}};
  first["entries"][1]["process_group"] = {"a", "dp"};
  Json second = first;
  second["pg_config"]["b"] = second["pg_config"]["a"];
  second["entries"][1]["process_group"] = {"b", "dp"};
  GroupCatalog catalog;
  const auto on_0 = catalog.add(0, tableOf(first).definitions.groups());
  const auto on_1 = catalog.add(0, tableOf(first, 1).definitions.groups());
  EXPECT_EQ(on_0, on_1);
  catalog.add(0, tableOf(second).definitions.groups());
  EXPECT_EQ(catalog.groups().size(), 3u);
  EXPECT_EQ(catalog.groups()[2].label, "dp#2");
}

// Gloo's dump describes one group without a name, with wrong members.
TEST(DumpTableTest, DoesNotInventMembersMissingInTheDump) {
  Json dump = dumpOf({named(0, "gloo:all_reduce")}, "2.10");
  dump["pg_config"] = {{"", {{"name", ""}, {"desc", ""}, {"ranks", "[0]"}}}};
  const StreamTable table = tableOf(dump);
  ASSERT_EQ(table.definitions.groups().size(), 1u);
  EXPECT_EQ(table.definitions.groups()[0].members.size(), 0u);
  EXPECT_EQ(table.header.world_size(), 0u);
  EXPECT_FALSE(parse(pickleOf(dump)).rank());
}

TEST(DumpTableTest, AContradictoryRankIsUnknown) {
  const Json dump = dumpOf(
      {sendOrRecv(0, "nccl:send 0->1", 1), sendOrRecv(1, "nccl:send 1->0", 2)});
  EXPECT_FALSE(parse(pickleOf(dump)).rank());
}

TEST(DumpTableTest, OtherPicklesAndTextsAreNoDumps) {
  for (const std::string& bytes :
       {pickleOf({{"version", "2.4"}}), pickleOf({1, 2}), pickleOf("text"),
        std::string(R"({"traceEvents": []})"), std::string("{ not json"),
        pickleOf({{"version", 2.4}, {"entries", Json::array()}})}) {
    const auto dump = Dump::parse(bytes);
    ASSERT_TRUE(dump) << dump.error().message;
    EXPECT_FALSE(*dump);
  }
}

// Pickles one entry; the list of entries holds its dict `times` times.
std::string sameEntryAgain(const Json& entry, std::size_t times) {
  Json dump = dumpOf({entry});
  std::string bytes = pickleOf(dump);
  const std::string first = pickleOf(entry).substr(2);
  const std::string dict = first.substr(0, first.size() - 1);
  const std::size_t end = bytes.find(dict) + dict.size();
  std::string again("q\x01", 2);
  for (std::size_t i = 1; i < times; ++i) again += "h\x01";
  return bytes.insert(end, again);
}

TEST(DumpTableTest, BoundsTheWorkForASharedEntry) {
  constexpr std::size_t kTensors = 20'000;
  Json entry = dumpEntry(0);
  entry["input_sizes"] = std::vector<Json>(kTensors, Json::array());
  entry["input_dtypes"] = std::vector<Json>(kTensors, "Byte");
  const StreamTable table = tableOf(sameEntryAgain(entry, 5'000));
  ASSERT_EQ(table.operations.size(), 5'000u);
  EXPECT_EQ(callOf(table, 0).bytes_in(), kTensors);
  EXPECT_EQ(callOf(table, 0).tensors_cut(), 0u);
  EXPECT_EQ(callOf(table, 4'999).bytes_in(), 0u);
  EXPECT_GE(callOf(table, 4'999).tensors_cut(), kTensors);
}

TEST(DumpTableTest, MoreEntriesThanFitTheFileAreRefused) {
  const auto dump = Dump::parse(sameEntryAgain(dumpEntry(0), 1'000));
  ASSERT_FALSE(dump);
  EXPECT_EQ(
      dump.error().message,
      "a Flight Recorder dump that repeats the same references too often");
}

// A repeated text takes little space in a dump, and would take much here.
TEST(DumpTableTest, SitesStayInProportionToTheDump) {
  Json dump = dumpOf({});
  constexpr int kEntries = 400;
  const std::string folder(500, 'x');
  for (int i = 0; i < kEntries; ++i) {
    dump["entries"].push_back(
        {{"time_created_ns", kDumpBeginNs},
         {"frames", {{{"filename", "MEMO"}, {"line", i + 1}, {"name", "f"}}}}});
  }
  // The file name is memoized once, and read from the memo afterwards.
  std::string bytes = pickleOf(dump);
  const std::string memo = std::string("X\x04\0\0\0", 5) + "MEMO";
  const std::string file = folder + ".py";
  const std::string put =
      "X" + testing::littleEndian(file.size(), 4) + file + "q\x01";
  std::size_t at = bytes.find(memo);
  bytes.replace(at, memo.size(), put);
  while ((at = bytes.find(memo, at)) != std::string::npos) {
    bytes.replace(at, memo.size(), "h\x01");
  }
  const StreamTable table = tableOf(bytes);
  ASSERT_EQ(table.operations.size(), static_cast<std::size_t>(kEntries));
  EXPECT_EQ(table.siteOf(table.operations[0]), file + ":1 in f");
  std::size_t texts = 0;
  for (const AssembledOperation& op : table.operations) {
    texts += table.siteOf(op).size();
  }
  EXPECT_GT(texts, bytes.size() / 2);
  EXPECT_LE(texts, bytes.size());
}

TEST(DumpTableTest, InvalidFramesGiveNoSite) {
  Json odd = dumpEntry(0);
  odd["frames"] = {1, "text", {{"filename", 7}}, {{"line", "x"}}, nullptr};
  Json none = dumpEntry(1);
  none["frames"] = Json::object();
  const StreamTable table = tableOf(dumpOf({odd, none, dumpEntry(2)}));
  for (const AssembledOperation& op : table.operations) {
    EXPECT_EQ(table.siteOf(op), "");
  }
}

// A pickle can reference one text any number of times.
TEST(DumpTable, TextsOfEntriesAreCut) {
  const std::string text(3'000'000, 'x');
  Json entry = named(0, text);
  entry["process_group"] = {text, text};
  entry["thread_name"] = text;
  const Dump dump = parse(pickleOf(dumpOf({entry}, "2.10")));
  const DumpEntry read = dump.entry(0);
  EXPECT_EQ(read.profiling_name, text.substr(0, Value::kMaxNameBytes));
  EXPECT_EQ(read.group_name.size(), Value::kMaxNameBytes);
  EXPECT_EQ(read.group_desc.size(), Value::kMaxNameBytes);
  EXPECT_EQ(read.thread_name.size(), Value::kMaxNameBytes);
}

}  // namespace
}  // namespace traced
