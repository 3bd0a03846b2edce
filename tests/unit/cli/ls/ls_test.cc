// Tests the list of runs and attempts, and the hint on how to select one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/stream_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"
#include "unit/cli/run_tracectl.h"

namespace traced::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

constexpr std::int64_t kSecond = 1'000'000'000;

struct Attempt {
  std::string job = "run42";
  std::uint32_t attempt = 0;
  std::uint32_t ranks = 2;
  std::uint32_t world_size = 2;
  std::int64_t after_s = 0;
  // The exception with which rank 1 ends instead of a normal exit.
  std::string raises = {};
  bool closed = true;
  // The rendezvous port; 0: not recorded.
  std::uint32_t port = 0;
};

class LsTest : public ::testing::Test {
 protected:
  void write(const Attempt& attempt) {
    for (std::uint32_t rank = 0; rank < attempt.ranks; ++rank) {
      StreamBuilder stream(rank, attempt.world_size, ++streams_);
      v1::Header& header = stream.header();
      header.set_job(attempt.job);
      header.set_attempt(attempt.attempt);
      if (attempt.port > 0) {
        header.mutable_rendezvous()->set_port(attempt.port);
      }
      auto& started = *header.mutable_started();
      started.set_realtime_ns(started.realtime_ns() +
                              attempt.after_s * kSecond);
      started.set_monotonic_ns(started.monotonic_ns() +
                               attempt.after_s * kSecond);
      const std::int64_t start_ns = started.monotonic_ns();
      stream.addGroup("dp", 0, attempt.world_size);
      stream.addCall(v1::OPERATION_ALL_REDUCE, 1, 64, 64);
      stream.addOperation(1, start_ns + kSecond, 1, 1, kSecond);
      if (rank == 1 && !attempt.raises.empty()) {
        v1::ProcessEnd& end = *stream.payload().mutable_process_end();
        end.set_exception(attempt.raises);
        end.set_exit_code(1);
      }
      writeFile(dir_.path() + "/" + attempt.job + "/" +
                    std::to_string(streams_) + ".traced",
                stream.takeChunk(attempt.closed));
    }
  }
  Json list(const std::string& arguments = "") {
    const Ran ran = runTracectl("ls --json " + arguments + dir_.path());
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return Json::parse(ran.out)["runs"];
  }
  std::string out(const std::string& arguments) {
    return runTracectl(arguments + " " + dir_.path()).out;
  }

  TempDir dir_;
  std::uint64_t streams_ = 0;
};

TEST_F(LsTest, ReportsRunsTheNewestFirst) {
  write({.job = "old"});
  write({.job = "new", .ranks = 1, .after_s = 100, .closed = false});
  const Json runs = list();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["job"], "new");
  EXPECT_EQ(runs[0]["ranks_found"], "0");
  EXPECT_EQ(runs[0]["world_size"], 2);
  EXPECT_EQ(runs[0]["ranks"][0]["how"], "unknown");
  EXPECT_EQ(runs[1]["job"], "old");
  EXPECT_EQ(runs[1]["ended"], "ended in order");
  EXPECT_EQ(runs[1]["run_ns"], 2 * kSecond);
  EXPECT_EQ(runs[1]["files"], 2);
  EXPECT_EQ(runs[1]["folder"], dir_.path() + "/old");
  const std::string text = out("ls");
  EXPECT_THAT(text, HasSubstr("1 of 2"));
  EXPECT_LT(text.find("  new  "), text.find("  old  "));
}

TEST_F(LsTest, ReportsHowAttemptsEnded) {
  write({.raises = "RuntimeError: boom\nand more"});
  write({.attempt = 1, .after_s = 100});
  const Json runs = list();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["attempt"], 1);
  EXPECT_EQ(runs[1]["attempt"], 0);
  EXPECT_EQ(runs[1]["ended"],
            "rank 1 raised RuntimeError: boom; rank 0 ended in order");
}

TEST_F(LsTest, ALongErrorIsCutToTheScreen) {
  const std::string error = "RuntimeError: " + std::string(300, 'x');
  write({.raises = error});
  EXPECT_THAT(list()[0]["ended"].get<std::string>(), HasSubstr(error));
  const std::string text =
      runTracectl("ls run42", "", "cd " + dir_.path() + "; COLUMNS=").out;
  EXPECT_THAT(text, HasSubstr("rank 1 raised RuntimeError: x"));
  EXPECT_THAT(text, HasSubstr("xxx...\n"));
  for (const std::string& line :
       {text.substr(0, text.find('\n')), text.substr(text.find('\n') + 1)}) {
    EXPECT_LE(line.size(), 101u) << line;
  }
}

TEST_F(LsTest, ALongFolderLosesItsBeginning) {
  write({});
  const std::string folder =
      dir_.path() + "/nightly-" + std::string(120, 'x') + "-seed-7";
  std::filesystem::rename(dir_.path() + "/run42", folder);
  EXPECT_EQ(list()[0]["folder"], folder);
  const std::string text = runTracectl("ls " + dir_.path(), "", "COLUMNS=").out;
  EXPECT_THAT(text, HasSubstr("  ...x"));
  EXPECT_THAT(text, HasSubstr("x-seed-7  ended in order\n"));
  EXPECT_LE(text.substr(text.find('\n') + 1).size(), 101u) << text;
}

TEST_F(LsTest, RunsOfOneNameAreDistinguishedByTheirRanksAndTimes) {
  write({});
  write({.after_s = 100});              // both ranks again
  write({.ranks = 1, .after_s = 200});  // one rank lost
  EXPECT_EQ(list().size(), 3u);
}

// Like the other commands, also if each run has another rank.
TEST_F(LsTest, RunsSideBySideAreDistinguishedByWhereTheyMet) {
  write({.ranks = 1, .port = 1});
  write({.port = 2});
  const Json runs = list();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["ranks"].size() + runs[1]["ranks"].size(), 3u);
  write({.port = 3});
  EXPECT_EQ(list().size(), 3u);
}

TEST_F(LsTest, AFolderWithoutTracesHasNone) {
  writeFile(dir_.path() + "/notes", "nothing");
  const Ran ran = runTracectl("ls " + dir_.path());
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err, "tracectl: no traces below " + dir_.path() + "\n");
}

TEST_F(LsTest, TitlesNameTheRun) {
  write({.attempt = 3});
  for (const std::string verb : {"report", "show", "info", "tree"}) {
    EXPECT_THAT(out(verb),
                StartsWith(dir_.path() + " (job run42, attempt 3): 2 ranks"));
  }
  EXPECT_THAT(out("diagnose"), HasSubstr(" (job run42, attempt 3): 2 ranks"));
}

TEST_F(LsTest, AnAttemptIsChosen) {
  write({.raises = "RuntimeError: boom"});
  write({.attempt = 1, .after_s = 100});
  EXPECT_THAT(out("report"), HasSubstr("attempt 1): 2 ranks"));
  const Ran first = runTracectl("report --attempt 0 " + dir_.path());
  EXPECT_THAT(first.out, HasSubstr("attempt 0): 2 ranks"));
  EXPECT_THAT(first.err, Not(HasSubstr("left out")));
  const Ran none = runTracectl("report --attempt 7 " + dir_.path());
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_EQ(none.err,
            "tracectl: no attempt 7 of job \"run42\"; there are 0, 1\n");
}

TEST_F(LsTest, ADiagnosisReportsHowOtherAttemptsEnded) {
  write({.raises = "RuntimeError: boom"});
  write({.attempt = 1, .after_s = 100});
  const Ran ran = runTracectl("diagnose " + dir_.path() + "/ " + dir_.path());
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out, StartsWith("Nothing found"));
  EXPECT_THAT(ran.out, HasSubstr("(job run42, attempt 1): 2 ranks"));
  EXPECT_THAT(ran.out, HasSubstr("\nAttempt 0 of this job: "));
  EXPECT_THAT(ran.out, HasSubstr("RuntimeError: boom"));
  EXPECT_THAT(ran.out, HasSubstr("\n    tracectl diagnose " + dir_.path() +
                                 "/ " + dir_.path() + " --attempt 0\n"));
  const Json json = Json::parse(out("diagnose --json"));
  EXPECT_EQ(json["attempt"], 1);
  EXPECT_EQ(json["other_attempts"][0]["attempt"], 0);
  EXPECT_THAT(json["other_attempts"][0]["ended"].get<std::string>(),
              HasSubstr("RuntimeError: boom"));
  EXPECT_TRUE(json["healthy"]);
}

TEST_F(LsTest, AnAttemptIsDiagnosedWhereItIsChosen) {
  write({.raises = "RuntimeError: boom"});
  write({.attempt = 1, .after_s = 100});
  for (const std::string attempt : {"1", "newest"}) {
    const Ran ran =
        runTracectl("diagnose --attempt " + attempt + " " + dir_.path());
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.out, StartsWith("Nothing found"));
    EXPECT_THAT(ran.out, HasSubstr("attempt 1): 2 ranks"));
  }
  EXPECT_EQ(runTracectl("diagnose --attempt last " + dir_.path()).exit_code, 2);
}

TEST_F(LsTest, ADiagnosisIsAboutTheNewestAttemptWhereThatOneFailed) {
  write({.raises = "RuntimeError: first"});
  write({.attempt = 1, .after_s = 100, .raises = "RuntimeError: second"});
  const std::string text = out("diagnose");
  EXPECT_THAT(text, HasSubstr("RuntimeError: second"));
  EXPECT_THAT(text, HasSubstr("Attempt 0 of this job: rank 1 raised "
                              "RuntimeError: first"));
  EXPECT_THAT(text, HasSubstr("(job run42, attempt 1): 2 ranks"));
}

// An elastic restart: all ranks were signalled to end, and started again.
TEST_F(LsTest, DiagnosesTheNewestAttemptIfNoneFailed) {
  write({.closed = false});
  write({.attempt = 1, .after_s = 100});
  const std::string text = out("diagnose");
  EXPECT_THAT(text, StartsWith("Nothing found"));
  EXPECT_THAT(text, HasSubstr("attempt 1): 2 ranks"));
}

TEST_F(LsTest, OtherVerbsAreAboutTheNewestAttemptAndNameTheOthers) {
  write({.raises = "RuntimeError: boom"});
  write({.attempt = 1, .after_s = 100});
  for (const std::string verb : {"report", "show", "tree"}) {
    const Ran ran = runTracectl(verb + " " + dir_.path());
    EXPECT_THAT(ran.out, HasSubstr("attempt 1): 2 ranks"));
    EXPECT_THAT(ran.err, HasSubstr("left out 2 streams of attempt 0 of the "
                                   "same job: --attempt 0 asks about it"));
  }
}

TEST_F(LsTest, CommandsThatFollowNameAllInputs) {
  write({.job = "a b", .raises = "RuntimeError: boom"});
  const std::string in_folder = "cd '" + dir_.path() + "/a b'; COLUMNS=";
  EXPECT_THAT(
      runTracectl("diagnose 1.traced '../a b/2.traced'", "", in_folder).out,
      HasSubstr("tracectl show 1.traced '../a b/2.traced' --ranks 1"));
  const std::string five = "1.traced 2.traced 1.traced 2.traced 1.traced";
  EXPECT_THAT(runTracectl("diagnose " + five, "", in_folder).out,
              HasSubstr("tracectl show INPUT... --ranks 1 --last 5\n"
                        "    INPUT... are the 5 inputs of this command.\n"));
}

TEST_F(LsTest, CommandsThatFollowAreAboutTheSameAttempt) {
  write({.raises = "RuntimeError: boom"});
  write({.attempt = 1, .after_s = 100});
  EXPECT_THAT(out("diagnose --all --attempt 0"),
              HasSubstr("tracectl show " + dir_.path() + " --attempt 0"));
}

}  // namespace
}  // namespace traced::testing
