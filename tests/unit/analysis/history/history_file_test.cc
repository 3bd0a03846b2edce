// Lines of a history: what is written is read again, whoever else writes.

#include "analysis/history/history_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "analysis/history/history_limits.h"
#include "analysis/history/history_line.h"
#include "analysis/history/history_reader.h"
#include "analysis/history/line_splitter.h"
#include "support/temp_dir.h"
#include "support/trace_file.h"
#include "support/write_file.h"

namespace traced::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = Appended::Kind;

RunFigures runOf(std::uint64_t id, double transfer = 4e6) {
  RunFigures run;
  run.name = "run";
  run.stream_ids = {id + 1000, id};
  run.job = "nightly";
  run.attempt = 2;
  run.started_realtime_ns = static_cast<std::int64_t>(id) * 1'000'000'000;
  run.world_size = 4;
  run.stepped = true;
  run.steps = "0-10";
  run.facts = {{"torch", "2.15.0"}};
  run.total[static_cast<std::size_t>(RunPart::kStep)] = 3e7;
  KeyFigures& key = run.keys[{"all_reduce", "dp", "bfloat16", "4-8 MiB"}];
  key.values[static_cast<std::size_t>(RunPart::kCalls)] = 16;
  key.values[static_cast<std::size_t>(RunPart::kTransfer)] = transfer;
  key.uncertain_ns = 12.5;
  key.site = "train.py:12";
  return run;
}

class HistoryFileTest : public ::testing::Test {
 protected:
  Kind add(std::uint64_t id) {
    return appendToHistory(file_, runOf(id), "abc").kind;
  }

  TempDir dir_;
  const std::string file_ = dir_.path() + "/history.jsonl";
};

TEST_F(HistoryFileTest, WhatIsWrittenIsRead) {
  ASSERT_EQ(add(7), Kind::kAdded);
  const auto history = readHistory(file_);
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_THAT(history->warnings, ElementsAre());
  ASSERT_EQ(history->runs.size(), 1U);
  const HistoryRun& run = history->runs[0];
  EXPECT_EQ(run.id, "0000000000000007");
  EXPECT_EQ(run.label, "abc");
  EXPECT_EQ(run.job, "nightly");
  EXPECT_EQ(run.attempt, 2U);
  EXPECT_EQ(run.started_realtime_ns, 7'000'000'000);
  EXPECT_EQ(run.world_size, 4U);
  EXPECT_TRUE(run.stepped);
  EXPECT_EQ(run.steps, "0-10");
  EXPECT_EQ(run.facts.at("torch"), "2.15.0");
  ASSERT_EQ(history->keys.size(), 2U);
  EXPECT_FALSE(history->keys[0].key);
  EXPECT_THAT(history->keys[0].of(RunPart::kStep).values, ElementsAre(3e7));
  EXPECT_EQ(history->keys[1].key->size, "4-8 MiB");
  EXPECT_THAT(history->keys[1].of(RunPart::kTransfer).values, ElementsAre(4e6));
  EXPECT_THAT(history->keys[1].of(RunPart::kOwnCall).values, ElementsAre());
  EXPECT_THAT(history->keys[1].uncertain.values, ElementsAre(12.5));
  EXPECT_EQ(history->keys[1].site, "train.py:12");
}

TEST_F(HistoryFileTest, ARunIsInItOnce) {
  ASSERT_EQ(add(1), Kind::kAdded);
  ASSERT_EQ(add(2), Kind::kAdded);
  const std::string before = readFile(file_);
  const Appended again = appendToHistory(file_, runOf(1), "other");
  EXPECT_EQ(again.kind, Kind::kThereAlready);
  EXPECT_THAT(again.problem, HasSubstr("has the run run already"));
  EXPECT_EQ(readFile(file_), before);
}

// A tool may have written the lines anew.
TEST_F(HistoryFileTest, ARunIsKnownHoweverItsLineIsWritten) {
  ASSERT_EQ(add(1), Kind::kAdded);
  std::string text = readFile(file_);
  writeFile(file_, "{ " + text.substr(1));
  EXPECT_EQ(add(1), Kind::kThereAlready);
  EXPECT_EQ(add(2), Kind::kAdded);
}

TEST_F(HistoryFileTest, WhatIsNoHistoryIsLeftAlone) {
  for (const std::string text :
       {"notes\n", "{\"a\":1}\n", "{\"traced_history\":99,\"run\":\"00\"}\n"}) {
    writeFile(file_, text);
    EXPECT_EQ(add(1), Kind::kRefused) << text;
    EXPECT_EQ(readFile(file_), text);
  }
  std::filesystem::remove(file_);
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_EQ(add(1), Kind::kRefused);
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  EXPECT_EQ(add(1), Kind::kFailed);
}

TEST_F(HistoryFileTest, ALineThatWasCutStaysAlone) {
  ASSERT_EQ(add(1), Kind::kAdded);
  const std::string whole = readFile(file_);
  writeFile(file_, whole + whole.substr(0, 60));
  ASSERT_EQ(add(2), Kind::kAdded);
  const auto history = readHistory(file_);
  ASSERT_TRUE(history);
  EXPECT_EQ(history->runs.size(), 2U);
  EXPECT_THAT(history->warnings,
              ElementsAre(HasSubstr("line 2 is left out: ")));
}

TEST_F(HistoryFileTest, ManyWriteAtOnce) {
  constexpr std::uint64_t kWriters = 8, kEach = 10;
  std::vector<std::thread> writers;
  for (std::uint64_t i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] {
      for (std::uint64_t j = 0; j < kEach; ++j) add(1 + i * kEach + j);
    });
  }
  for (std::thread& writer : writers) writer.join();
  const auto history = readHistory(file_);
  ASSERT_TRUE(history);
  EXPECT_EQ(history->runs.size(), kWriters * kEach);
  EXPECT_THAT(history->warnings, ElementsAre());
}

TEST(LineSplitterTest, LinesAreThoseOfTheWholeHoweverItIsCut) {
  const std::string text = "one\n\nthree\nlonger than most\nlast";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    std::vector<std::string> lines;
    LineSplitter splitter(
        5, [&lines](std::string_view line) { lines.emplace_back(line); });
    for (std::size_t at = 0; at < text.size(); at += size) {
      splitter.add(std::string_view(text).substr(at, size));
    }
    EXPECT_FALSE(splitter.endsInNewline());
    splitter.finish();
    EXPECT_THAT(lines, ElementsAre("one", "", "three", "longer", "last"))
        << size;
  }
}

TEST(HistoryReaderTest, RunsAreInTheOrderOfTheirStarts) {
  HistoryBuilder builder;
  for (const std::uint64_t id : {3, 1, 2}) {
    const std::string line = historyLine(runOf(id, 1e6 * id), "");
    builder.add({line.data(), line.size() - 1});
  }
  const auto history = std::move(builder).finish();
  ASSERT_TRUE(history);
  EXPECT_THAT(history->keys[1].of(RunPart::kTransfer).values,
              ElementsAre(1e6, 2e6, 3e6));
  EXPECT_THAT(history->keys[1].of(RunPart::kTransfer).runs,
              ElementsAre(0U, 1U, 2U));
  EXPECT_EQ(history->runs[0].id, "0000000000000001");
}

TEST(HistoryReaderTest, ARunWithoutAKeyIsAGap) {
  HistoryBuilder builder;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    RunFigures run = runOf(id);
    if (id == 2) run.keys.clear();
    builder.add(historyLine(run, ""));
  }
  const auto history = std::move(builder).finish();
  ASSERT_TRUE(history);
  EXPECT_EQ(history->runs.size(), 3U);
  EXPECT_THAT(history->keys[1].of(RunPart::kTransfer).runs,
              ElementsAre(0U, 2U));
}

TEST(HistoryReaderTest, WhatIsNoFigureIsAGap) {
  std::string line = historyLine(runOf(1), "");
  for (const char* figure : {"-4000000.0", "1e999", "null", "\"4\"", "[]"}) {
    HistoryBuilder builder;
    std::string bad = line;
    bad.replace(bad.find("4000000.0"), 9, figure);
    builder.add(bad);
    const auto history = std::move(builder).finish();
    if (!history) continue;  // 1e999 is no JSON to our parser.
    EXPECT_THAT(history->keys[1].of(RunPart::kTransfer).values, ElementsAre())
        << figure;
  }
}

TEST(HistoryReaderTest, WhatCannotBeReadIsToldAndBounded) {
  HistoryBuilder builder;
  builder.add(historyLine(runOf(1), ""));
  builder.add(historyLine(runOf(1), "again"));
  builder.add(R"({"traced_history":2,"run":"0000000000000002"})");
  builder.add(R"({"traced_history":1,"run":"no id"})");
  builder.add(std::string(100'000, '['));
  for (int i = 0; i < 10; ++i) builder.add("x");
  const auto history = std::move(builder).finish();
  ASSERT_TRUE(history);
  EXPECT_THAT(
      history->warnings,
      ElementsAre("line 2 is left out: the run of line 1",
                  "line 3 is left out: of schema 2, which this version does "
                  "not know",
                  "line 4 is left out: its run has no id",
                  HasSubstr("line 5 is left out: "),
                  "10 more lines are left out"));
}

}  // namespace
}  // namespace traced::testing
