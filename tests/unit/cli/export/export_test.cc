// Runs tracectl export as a user does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"
#include "unit/cli/example_run.h"
#include "unit/cli/run_tracectl.h"
#include "unit/cli/stepped_run.h"

namespace traced::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;
using Row = std::vector<std::string>;

// Parses CSV strictly by RFC 4180.
std::vector<Row> parseCsv(const std::string& text) {
  std::vector<Row> rows(1, Row(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        rows.back().back() += text[++i];
      } else if (c == '"') {
        quoted = false;
      } else {
        rows.back().back() += c;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      rows.emplace_back(1);
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();
  return rows;
}

class ExportTest : public ::testing::Test {
 protected:
  std::string run() const { return dir_.path() + "/run"; }
  Ran exported(const std::string& format) {
    return runTracectl("export --format " + format + " " + run());
  }
  // Returns each row's cells by column.
  std::vector<std::map<std::string, std::string>> table() {
    std::vector<std::map<std::string, std::string>> table;
    const std::vector<Row> rows = parseCsv(exported("csv").out);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].size(), rows[0].size());
      auto& cells = table.emplace_back();
      for (std::size_t j = 0; j < rows[i].size(); ++j) {
        cells[rows[0].at(j)] = rows[i][j];
      }
    }
    return table;
  }

  TempDir dir_;
};

TEST_F(ExportTest, HasEveryOperationOfEveryRankInOrder) {
  writeExampleRun(run());
  const auto rows = table();
  ASSERT_EQ(rows.size(), 20u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(rows[i].at("rank"), i < 10 ? "0" : "1");
    EXPECT_EQ(rows[i].at("op_id"), std::to_string(i % 10 + 1));
  }
  const auto& failed = rows[18];
  EXPECT_EQ(failed.at("op"), "recv");
  EXPECT_EQ(failed.at("state"), "failed");
  EXPECT_EQ(failed.at("error"), "Connection closed by peer");
  EXPECT_EQ(failed.at("end_ns"), "");
  EXPECT_EQ(failed.at("wait_ns"), "2000000");
  EXPECT_EQ(failed.at("peer_global"), "0");
  EXPECT_EQ(failed.at("tag"), "0");
  EXPECT_EQ(failed.at("step"), "");
  EXPECT_EQ(rows[0].at("group_label"), "dp");
  EXPECT_EQ(rows[0].at("completion_ns"), "4000000");
  EXPECT_EQ(rows[0].at("host_ns"), "10000");
  EXPECT_EQ(rows[0].at("in_place"), "true");
  EXPECT_EQ(rows[0].at("shapes_in"), "[262144]");
}

TEST_F(ExportTest, CsvAndJsonLinesHaveTheSameContent) {
  SteppedRun run;
  run.simulated = true;
  writeSteppedRun(this->run(), run);
  std::istringstream lines(exported("jsonl").out);
  std::string line;
  for (const auto& cells : table()) {
    ASSERT_TRUE(std::getline(lines, line));
    const Json json = Json::parse(line);
    for (const auto& [name, cell] : cells) {
      EXPECT_EQ(json.contains(name), !cell.empty()) << name;
      if (!json.contains(name)) continue;
      const Json& value = json[name];
      EXPECT_EQ(value.is_string() ? value.get<std::string>() : value.dump(),
                cell)
          << name;
    }
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(ExportTest, UserTextsDoNotBreakTheCsv) {
  StreamBuilder stream(0, 1);
  stream.addGroup("a,\"b\"\r\nc", 0, 1);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 4, 4);
  const std::uint32_t text = stream.addText("line 1\nline 2, \"quoted\"");
  stream.add(IssueRow{.op = 1, .issue_ns = 5, .call = 1, .seq = 1});
  stream.add(ReturnRow{.op = 1, .return_ns = 6, .outcome = 1, .error = text});
  writeFile(run() + "/rank", stream.takeChunk(true));
  const auto rows = table();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("group_label"), "a,\"b\"\r\nc");
  EXPECT_EQ(rows[0].at("error"), "line 1\nline 2, \"quoted\"");
  const std::string text_out = exported("text").out;
  const std::size_t group_line = text_out.find('\n') + 1;
  const std::string line = text_out.substr(group_line);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST_F(ExportTest, TheTextReportsBatchesGroupsAndRunningCounts) {
  StreamBuilder stream(0);
  stream.addGroup("dp", 0, 2).set_backend("nccl");
  stream.addCall(v1::OPERATION_SEND, 1, 1 << 20, 0).set_peer_global_plus_1(2);
  stream.addCall(v1::OPERATION_RECV, 1, 0, 2 << 20).set_peer_global_plus_1(2);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 1 << 20, 1 << 20);
  stream.addCall(v1::OPERATION_COALESCED, 1, 0, 0);
  std::uint64_t op = 0;
  const auto issue = [&](std::uint32_t call, std::uint64_t batch) {
    ++op;
    stream.add(IssueRow{.op = op,
                        .issue_ns = StreamBuilder::kIssueNs,
                        .call = call,
                        .seq = op,
                        .batch = batch});
  };
  for (const std::uint32_t call : {1, 2, 4}) issue(call, 7);
  for (const std::uint32_t call : {3, 3, 1, 4}) issue(call, 8);
  writeFile(run() + "/rank", stream.takeChunk(true));
  std::istringstream lines(exported("text").out);
  std::vector<std::string> text;
  for (std::string line; std::getline(lines, line);) text.push_back(line);
  ASSERT_EQ(text.size(), 8u);
  EXPECT_THAT(text[0],
              StartsWith("[GROUP] rank 0 +1.000000 s dp: nccl, 2 ranks "
                         "0-1, here rank 0 of the group"));
  EXPECT_THAT(text[1], HasSubstr("call 1 of this shape"));
  EXPECT_THAT(text[3], StartsWith("[BATCH]"));
  EXPECT_THAT(text[3], HasSubstr("batch 7 of 2 calls, sent 1.00 MiB to 1, "
                                 "received 2.00 MiB from 1, shapes [262144]"));
  EXPECT_THAT(text[3], HasSubstr(", last recv"));
  EXPECT_THAT(text[5], HasSubstr("call 2 of this shape"));
  EXPECT_THAT(text[6], HasSubstr("call 2 of this shape"));
  EXPECT_THAT(text[7], StartsWith("[COALESCE]"));
  EXPECT_THAT(text[7], HasSubstr("batch 8 of 3 calls, 3.00 MiB, shapes "
                                 "[262144], last send"));
}

TEST_F(ExportTest, ACallThatIsNotKnownHasEmptyCells) {
  StreamBuilder stream(0, 1);
  stream.add(IssueRow{.op = 1, .issue_ns = 5, .call = 9});
  writeFile(run() + "/rank", stream.takeChunk(true));
  const auto rows = table();
  EXPECT_EQ(rows.at(0).at("op"), "unknown");
  EXPECT_EQ(rows[0].at("bytes_in"), "");
  EXPECT_EQ(rows[0].at("group_label"), "");
  EXPECT_EQ(exported("text").exit_code, 0);
}

TEST_F(ExportTest, AFileAppearsWholeAndIsReplacedOnlyByForce) {
  writeExampleRun(run());
  const std::string out = dir_.path() + "/out.csv";
  const std::string command = "export -o " + out + " " + run();
  const Ran first = runTracectl(command);
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(first.out, "");
  EXPECT_EQ(readFile(out), exported("csv").out);
  EXPECT_EQ(runTracectl(command).exit_code, 2);
  EXPECT_EQ(runTracectl(command + " --force").exit_code, 0);
  EXPECT_EQ(runTracectl("export -o /nowhere/out " + run()).exit_code, 4);
}

TEST_F(ExportTest, TheExtensionChoosesTheFormat) {
  writeExampleRun(run());
  const std::string out = dir_.path() + "/out";
  EXPECT_EQ(runTracectl("export -o " + out + ".jsonl " + run()).exit_code, 0);
  EXPECT_EQ(readFile(out + ".jsonl"), exported("jsonl").out);
  const Ran unknown = runTracectl("export -o " + out + ".xyz " + run());
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown extension; name a --format"));
}

TEST_F(ExportTest, WorksIntoAPipe) {
  writeExampleRun(run());
  const Ran ran = runTracectl("export " + run(), "| head -n 1");
  EXPECT_THAT(ran.out, StartsWith("rank,op_id,"));
  EXPECT_THAT(ran.out, EndsWith("\r\n"));
  EXPECT_EQ(runTracectl("export --format xml " + run()).exit_code, 2);
  EXPECT_EQ(runTracectl("export /nowhere").exit_code, 3);
}

TEST_F(ExportTest, WritesMessagesToStandardError) {
  SteppedRun stepped;
  stepped.switched_off = true;
  writeSteppedRun(run(), stepped);
  const Ran ran = exported("csv");
  EXPECT_THAT(ran.err, HasSubstr("note: tracing was switched off 1 time"));
  EXPECT_THAT(ran.out, Not(HasSubstr("switched off")));
}

// A file of some hundred bytes references one text in each of its rows.
TEST_F(ExportTest, ALongTextIsNotRepeatedInEveryRow) {
  constexpr int kRows = 1000;
  StreamBuilder stream(0, 1);
  stream.addGroup(std::string(1 << 20, 'g'), 0, 1);
  stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 4, 4);
  stream.addContext().add_annotation(std::string(1 << 20, 'a'));
  for (std::uint64_t id = 1; id <= kRows; ++id) {
    stream.add(IssueRow{.op = id,
                        .issue_ns = StreamBuilder::kStartNs + 10,
                        .call = 1,
                        .seq = id,
                        .context = 1});
  }
  writeFile(run() + "/rank-0.traced", stream.takeChunk(true, 19));
  for (const char* verb : {"export", "export --format jsonl", "show --json",
                           "export --format text", "info --json"}) {
    const Ran ran = runTracectl(std::string(verb) + " " + run());
    EXPECT_EQ(ran.exit_code, 0) << verb << ran.err;
    EXPECT_LT(ran.out.size(), kRows * 4096u) << verb;
    EXPECT_THAT(ran.out, HasSubstr("ggg...")) << verb;
  }
}

TEST_F(ExportTest, ASpreadsheetIsGivenNoFormulas) {
  const std::vector<std::string> names = {
      "=cmd|'/C calc'!A0", "+1+1", "@SUM(1)", "-2", "\t=1", "dp"};
  StreamBuilder stream(0, 1);
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    stream.addGroup(names[i], 0, 1).set_nth(i);
    stream.addCall(v1::OPERATION_BARRIER, i + 1, 0, 0);
    stream.addOperation(i + 1, StreamBuilder::kStartNs + 10 * (i + 1), i + 1, 1,
                        5);
  }
  writeFile(run() + "/rank-0.traced", stream.takeChunk(true));
  const auto groupsOf = [&](const std::string& options) {
    const Ran ran = runTracectl("export " + options + " " + run());
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    std::vector<std::string> groups;
    for (const Row& row : parseCsv(ran.out)) groups.push_back(row.at(3));
    groups.erase(groups.begin());
    return std::pair(groups, ran.err);
  };
  const auto [recorded, note] = groupsOf("");
  EXPECT_EQ(recorded, names);
  EXPECT_THAT(note, HasSubstr("note: 5 cells would be a formula"));
  const auto [safe, no_note] = groupsOf("--spreadsheet");
  EXPECT_EQ(no_note, "");
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(safe[i], names[i] == "dp" ? "dp" : "'" + names[i]);
  }
}

}  // namespace
}  // namespace traced::testing
