#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "example_run.h"
#include "run_tracectl.h"
#include "stepped_run.h"
#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

class TracectlTest : public ::testing::Test {
 protected:
  TracectlTest() { writeExampleRun(run()); }

  std::string run() const { return dir_.path() + "/run"; }
  std::string merged() const { return dir_.path() + "/merged.traced"; }
  Json json(const std::string& arguments) {
    const Ran ran = runTracectl(arguments);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return Json::parse(ran.out);
  }

  TempDir dir_;
};

TEST_F(TracectlTest, PrintsVersionAndHelp) {
  EXPECT_THAT(runTracectl("--version").out, StartsWith("tracectl "));
  const Ran help = runTracectl("report --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("Example: tracectl report"));
}

TEST_F(TracectlTest, AWrongCommandLineExitsWith2) {
  EXPECT_EQ(runTracectl("").exit_code, 2);
  EXPECT_EQ(runTracectl("reprot " + run()).exit_code, 2);
  EXPECT_EQ(runTracectl("merge").exit_code, 2);
  EXPECT_EQ(runTracectl("report --by colour " + run()).exit_code, 2);
  const Ran ranks = runTracectl("show --ranks 3-1 " + run());
  EXPECT_EQ(ranks.exit_code, 2);
  EXPECT_THAT(ranks.err, HasSubstr("\"3-1\" is no rank"));
}

TEST_F(TracectlTest, CompareWithoutAgainstPrintsTheCorrectCommand) {
  const Ran ran = runTracectl("compare old new");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("tracectl compare old --against new\n"));
}

TEST_F(TracectlTest, ReadsTheTracesFolderByDefault) {
  const std::string inside = "cd " + dir_.path() + " && mv run traces; ";
  EXPECT_EQ(runTracectl("report", "", inside).exit_code, 0);
}

TEST_F(TracectlTest, TreeReportsAMissingRank) {
  const Ran none = runTracectl("tree --rank 7 " + run());
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.err, "tracectl: no trace of rank 7, but of ranks 0-1\n");
  EXPECT_EQ(none.out, "");
  const Ran bad = runTracectl("tree --rank some " + run());
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("expected a rank, or all"));
  EXPECT_EQ(runTracectl("tree --level 4 " + run()).exit_code, 2);
}

TEST_F(TracectlTest, NothingReadableExitsWith3AndTheReason) {
  const Ran missing = runTracectl("report /nowhere");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_EQ(missing.out, "");
  EXPECT_EQ(missing.err,
            "tracectl: nothing readable in the inputs: /nowhere: No such file "
            "or directory\n");
}

TEST_F(TracectlTest, DamageIsAWarningAndWithStrictAFinding) {
  const Ran fine = runTracectl("report " + run());
  EXPECT_EQ(fine.exit_code, 0);
  EXPECT_EQ(fine.err,
            "tracectl: warning: 3 records dropped while recording (ring_full "
            "3) on rank "
            "1\n");
  EXPECT_EQ(runTracectl("report --strict " + run()).exit_code, 1);
  EXPECT_EQ(
      runTracectl("report --strict " + run() + "/rank-0.traced").exit_code, 1);
}

TEST_F(TracectlTest, StrictFindsALossWithEveryVerbAfterItsOutput) {
  writeFile(run() + "/budget.toml",
            "schema = 1\n[[budget]]\nop = \"all_reduce\"\ncount = 1\n");
  const std::string out = dir_.path() + "/out";
  const std::vector<std::string> verbs = {"info ",
                                          "report ",
                                          "show ",
                                          "export ",
                                          "merge --force -o " + out + " ",
                                          "export --force -o " + out + " "};
  for (const std::string& verb : verbs) {
    const Ran ran = runTracectl(verb + run());
    const Ran strict = runTracectl(verb + "--strict " + run());
    EXPECT_EQ(ran.exit_code, 0) << verb;
    EXPECT_EQ(strict.exit_code, 1) << verb;
    EXPECT_EQ(strict.out, ran.out) << verb;
    EXPECT_THAT(strict.err, HasSubstr("3 records dropped while recording"))
        << verb;
    EXPECT_THAT(strict.err, HasSubstr("and --strict allows none")) << verb;
  }
  // If a budget cannot be checked, nothing is a finding.
  EXPECT_EQ(
      runTracectl("check --strict --budget " + run() + "/budget.toml " + run())
          .exit_code,
      5);
}

TEST_F(TracectlTest, InfoReportsLossesAndUnknowns) {
  StreamBuilder stream(0, 1);
  stream.drop(v1::DROP_REASON_RING_FULL, 12);
  v1::Accounts& accounts = *stream.payload().mutable_accounts();
  for (const std::int64_t tid : {4711, 0}) {
    v1::ThreadDrops& thread = *accounts.add_thread_drops();
    thread.set_tid(tid);
    thread.set_name(tid ? "issuer" : "");
    v1::Drop& drop = *thread.add_drop();
    drop.set_reason(v1::DROP_REASON_RING_FULL);
    drop.set_records(6);
  }
  const std::string path = dir_.path() + "/rank-0.traced";
  writeFile(path, stream.takeChunk(false));
  const std::string text = runTracectl("info " + path).out;
  EXPECT_THAT(text, HasSubstr("    0  issuer  4711  ring_full 6\n"));
  EXPECT_THAT(text, HasSubstr("    0  others     -  ring_full 6\n"));
  EXPECT_THAT(text, HasSubstr("unknown  no"));
  const Json rank = json("info --json " + path)["ranks"][0];
  EXPECT_EQ(rank["end_known"], false);
  EXPECT_EQ(rank["dropped_by_thread"],
            Json::parse(R"([{"tid": 4711, "name": "issuer",
                             "dropped_by_reason": {"ring_full": 6}},
                            {"dropped_by_reason": {"ring_full": 6}}])"));
}

TEST_F(TracectlTest, InfoReportsTheSettingsThatAreNotTheDefault) {
  StreamBuilder stream(0, 1);
  stream.header().set_job("run42");
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"TRACED_DIR", "elsewhere"},
           {"TRACED_MODULES", "0"},
           {"TRACED_TRIGGER", "elsewhere/run42/flush"}}) {
    stream.header().mutable_settings()->insert({name, value});
  }
  const std::string path = dir_.path() + "/set.traced";
  writeFile(path, stream.takeChunk(true));
  EXPECT_THAT(runTracectl("info " + path).out,
              EndsWith("\n\nsettings that are not the default:\n"
                       " TRACED_DIR=elsewhere\n"));
}

TEST_F(TracectlTest, ACompleteRunIsStrictlyFine) {
  StreamBuilder only(0, 1);
  writeFile(dir_.path() + "/alone/rank-0", only.takeChunk(true));
  const Ran ran = runTracectl("report --strict " + dir_.path() + "/alone");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("nothing lost"));
}

TEST_F(TracectlTest, AListOfOptionsDoesNotSwallowTheInput) {
  EXPECT_EQ(runTracectl("report --by op,rank " + run()).exit_code, 0);
  EXPECT_EQ(runTracectl("show --groups dp --ops send,recv " + run()).exit_code,
            0);
}

TEST_F(TracectlTest, AMergedFileHasTheOutputOfItsSources) {
  writeFile(run() + "/notes.txt", "hello");
  writeFile(run() + "/tail.traced",
            readFile(run() + "/rank-0.traced").substr(0, 100));
  const Ran merge = runTracectl("merge " + run() + " -o " + merged());
  ASSERT_EQ(merge.exit_code, 0) << merge.err;
  for (const std::string verb :
       {"report --json ", "report --by op,shape,rank --json ",
        "show --json "}) {
    Json from_run = json(verb + run());
    Json from_merged = json(verb + merged());
    from_run.erase("title");
    from_merged.erase("title");
    EXPECT_EQ(from_run, from_merged);
    EXPECT_EQ(from_run["lost"]["unusable_bytes"], 100);
  }
  EXPECT_EQ(json("report --json " + run() + " " + merged())["ops"],
            json("report --json " + run())["ops"]);
}

TEST_F(TracectlTest, MergeReplacesAFileOnlyByForce) {
  writeFile(merged(), "precious");
  const Ran refused = runTracectl("merge " + run() + " -o " + merged());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--force replaces it"));
  EXPECT_EQ(readFile(merged()), "precious");
  EXPECT_EQ(runTracectl("merge --force " + run() + " -o " + merged()).exit_code,
            0);
  EXPECT_NE(readFile(merged()), "precious");
}

TEST_F(TracectlTest, ShowHasEveryOperationOnce) {
  const Json shown = json("show --json " + run());
  std::map<std::string, std::set<int>> seen;
  std::size_t cells = 0;
  for (const Json& row : shown["rows"]) {
    for (const auto& [rank, op] : row["ranks"].items()) {
      seen[rank].insert(op["op_id"].get<int>());
      ++cells;
    }
  }
  EXPECT_EQ(cells, 20u);
  EXPECT_EQ(seen["0"].size(), 10u);
  EXPECT_EQ(seen["1"].size(), 10u);
}

TEST_F(TracectlTest, ShowFiltersAndLimits) {
  EXPECT_EQ(json("show --json --ops send " + run())["rows"].size(), 1u);
  EXPECT_EQ(json("show --json --groups 1 " + run())["rows"].size(), 4u);
  const Json last = json("show --json --last 2 --ranks 1 " + run());
  ASSERT_EQ(last["rows"].size(), 2u);
  EXPECT_EQ(last["rows"][1]["ranks"]["1"]["op_id"], 10);
  EXPECT_FALSE(last["rows"][1]["ranks"].contains("0"));
  EXPECT_EQ(json("show --json --limit 3 " + run())["rows"].size(), 3u);
}

TEST_F(TracectlTest, OperationCommandsReportMissingRecords) {
  SteppedRun stepped;
  stepped.switched_off = stepped.simulated = true;
  writeSteppedRun(dir_.path() + "/stepped", stepped);
  for (const std::string verb :
       {"diagnose", "tree", "report", "info", "show"}) {
    const Ran ran = runTracectl(verb + " --json " + dir_.path() + "/stepped");
    const Json answer = Json::parse(ran.out);
    EXPECT_EQ(answer["simulated"], 1) << verb;
    EXPECT_EQ(answer["switched_off"]["total_ns"], 100'000'000) << verb;
    EXPECT_EQ(answer["switched_off"]["ranks"], "1") << verb;
  }
  StreamBuilder stream(0, 1);
  stream.payload().mutable_accounts()->set_left_out(3);
  writeFile(dir_.path() + "/scoped", stream.takeChunk(true));
  for (const std::string verb :
       {"diagnose", "tree", "report", "info", "show"}) {
    EXPECT_EQ(json(verb + " --json " + dir_.path() +
                   "/scoped")["not_recorded"]["operations"],
              3)
        << verb;
  }
}

TEST_F(TracectlTest, StepsAreReportedInTheirOrder) {
  SteppedRun stepped;
  stepped.steps = 11;
  writeSteppedRun(dir_.path() + "/stepped", stepped);
  const std::string arguments = "report --json --by step ";
  const auto steps = [&](const std::string& more) {
    std::vector<std::string> names;
    const Json answer = json(arguments + more + dir_.path() + "/stepped");
    for (const Json& row : answer["ops"]) names.push_back(row["step"]);
    return names;
  };
  const std::vector<std::string> in_order = {
      "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "-"};
  EXPECT_EQ(steps(""), in_order);
  EXPECT_NE(steps("--sort bytes "), in_order);
}

TEST_F(TracectlTest, SentencesAboutAStepNameTheStep) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    StreamBuilder stream(rank);
    stream.addGroup("dp", 0, 2);
    stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
    stream.addStep(1, StreamBuilder::kIssueNs, 7);
    for (std::uint64_t i = 0; i < 12; ++i) {
      const auto at_ns =
          StreamBuilder::kIssueNs +
          static_cast<std::int64_t>(20 * i + 5 * rank) * 1'000'000;
      stream.addOperation(2 + i, at_ns, 1, 1 + i, (6 - 5 * rank) * 1'000'000);
    }
    writeFile(dir_.path() + "/late/" + std::to_string(rank),
              stream.takeChunk(true));
  }
  EXPECT_THAT(runTracectl("report --by step " + dir_.path() + "/late").out,
              HasSubstr("rank 1 (last in 100.0 % of step 7, by 5.00 ms"));
}

TEST_F(TracectlTest, TheTreeOfAJobWithModulesDoesNotAskForThem) {
  StreamBuilder stream(0, 1);
  stream.addGroup("dp", 0, 1);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
  (*stream.header().mutable_settings())["TRACED_MODULES"] = "1";
  stream.addOperation(1, StreamBuilder::kIssueNs, 1, 1, 500);
  writeFile(dir_.path() + "/modules", stream.takeChunk(true));
  const Ran tree = runTracectl("tree " + dir_.path() + "/modules");
  EXPECT_THAT(tree.out, HasSubstr("no operation was issued while one of them"));
  EXPECT_THAT(tree.out, Not(HasSubstr("record with")));
}

TEST_F(TracectlTest, AClosedPipeIsNoError) {
  const Ran ran = runTracectl("show --json " + run(), "| head -c 1");
  EXPECT_EQ(ran.out, "{");
  EXPECT_THAT(ran.err, ::testing::Not(HasSubstr("cannot write")));
}

TEST_F(TracectlTest, AFullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Ran ran = runTracectl("report " + run() + " >/dev/full");
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.err, HasSubstr("cannot write to standard output"));
}

}  // namespace
}  // namespace traced::testing
