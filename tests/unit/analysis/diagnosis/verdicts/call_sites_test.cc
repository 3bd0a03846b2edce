// Tests call sites from Flight Recorder dumps.

#include <gtest/gtest.h>

#include "support/dump_files.h"
#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

Json frame(const std::string& file, int line, const std::string& name) {
  return {{"filename", file}, {"line", line}, {"name", name}};
}

// Innermost frame first, like torch.
Json framesAt(const std::string& file, int line) {
  return {frame("/env/site-packages/torch/distributed/distributed_c10d.py",
                2805, "all_reduce"),
          frame("/env/site-packages/torch/distributed/c10d_logger.py", 81,
                "wrapper"),
          frame(file, line, "forward"), frame("/job/main.py", 3, "<module>")};
}

// Rank 1 calls something else the second time, at line 99.
Diagnosis diagnoseDumps(const std::string& file) {
  const TempDir dir;
  for (const int rank : {0, 1, 2}) {
    Json dump = emptyDump("2.10");
    dump["pg_config"]["0"]["ranks"] = "[0, 1, 2]";
    for (std::uint64_t i = 0; i < 3; ++i) {
      Json entry = dumpEntry(i);
      const bool other = rank == 1 && i == 1;
      if (other) entry["profiling_name"] = "nccl:all_gather";
      entry["frames"] = framesAt(file, other ? 99 : 120);
      dump["entries"].push_back(entry);
    }
    writeFile(dir.path() + "/rank_" + std::to_string(rank), pickleOf(dump));
  }
  const std::vector<std::string> paths = {dir.path()};
  const Result<TraceSet> set = openTraceSet(paths);
  EXPECT_TRUE(set);
  return diagnose(*set, {});
}

TEST(CallSitesTest, AVerdictReportsWhereEachOfItsRanksMadeTheCall) {
  const Diagnosis diagnosis = diagnoseDumps("/job/train.py");
  ASSERT_FALSE(diagnosis.verdicts.empty());
  const JobVerdict& verdict = diagnosis.verdicts[0];
  EXPECT_EQ(verdict.kind, VerdictKind::kOpMismatch) << textOf(diagnosis);
  EXPECT_EQ(verdict.culprits, Ranks{1});
  using Place = std::pair<std::uint32_t, CallSite>;
  const auto at = [](const std::string& line) {
    CallSite place;
    place.site = "/job/train.py:" + line + " in forward";
    return place;
  };
  const std::vector<Place> expected = {
      {0, at("120")}, {1, at("99")}, {2, at("120")}};
  EXPECT_EQ(verdict.places, expected);
  const std::string text = textOf(diagnosis);
  EXPECT_NE(text.find("Ranks 0,2 called it at /job/train.py:120 in forward."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Rank 1 called it at /job/train.py:99 in forward."),
            std::string::npos)
      << text;
}

TEST(CallSitesTest, ReportsTheLineOfARanksCall) {
  const Diagnosis diagnosis = diagnoseDumps("/job/train.py");
  ASSERT_TRUE(diagnosis.job.ranks[0].last_issued);
  EXPECT_EQ(diagnosis.job.ranks[0].last_issued->place->site,
            "/job/train.py:120 in forward");
}

// Frames of torch alone do not identify a line of the program.
TEST(CallSitesTest, TheNearestFrameOfTheProgramCounts) {
  const Diagnosis diagnosis =
      diagnoseDumps("/env/site-packages/torch/nn/parallel/distributed.py");
  EXPECT_EQ(diagnosis.job.ranks[0].last_issued->place->site,
            "/job/main.py:3 in <module>");
}

TEST(CallSitesTest, PrefersTheProgramsFrameOverAFrameworks) {
  const Diagnosis diagnosis =
      diagnoseDumps("/env/site-packages/transformers/trainer.py");
  const std::string& site = diagnosis.job.ranks[0].last_issued->place->site;
  EXPECT_EQ(
      site.find("/job/main.py:3 in <module>, via transformers/trainer.py:"), 0u)
      << site;
}

TEST(CallSitesTest, AVerdictReportsStepModuleAndAnnotations) {
  JobBuilder job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Context& context = rank.stream().addContext();
    context.add_annotation("warm-up");
    context.set_model("Net");
    context.set_module(r == 1 ? "b" : "a");
    context.set_phase(v1::PHASE_BACKWARD);
    rank.beginStep(812, 0);
    const std::uint32_t call =
        rank.addCall(v1::OPERATION_ALL_REDUCE, 1, r == 1 ? 8 : 4).id();
    rank.setContext(context.id());
    rank.end(call, 5);
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {1});
  const std::string text = textOf(diagnosis);
  EXPECT_NE(text.find("Rank 1 called it in step 812, in Net.b (backward), "
                      "annotated \"warm-up\"."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Ranks 0,2 called it in step 812, in Net.a (backward)"),
            std::string::npos)
      << text;
}

// Rank 1 makes a call in an exception handler. `everybody`: all ranks do, as in
// a retry loop.
Diagnosis diagnoseHandlers(bool everybody) {
  JobBuilder job(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    RankBuilder& rank = job.rank(r);
    v1::Stack& stack = rank.stream().addStack();
    v1::Frame& frame = *stack.add_frame();
    frame.set_file("/job/main.py");
    frame.set_line(r == 1 ? 18 : 10);
    stack.set_site(1);
    if (r == 1 || everybody) {
      v1::HandledException& handling = *stack.mutable_handling();
      handling.set_type("MemoryError");
      handling.mutable_raised()->set_file("/job/train.py");
      handling.mutable_raised()->set_line(9);
      handling.mutable_raised()->set_function("train");
    }
    const std::uint32_t call =
        rank.addCall(v1::OPERATION_ALL_REDUCE, 1, r == 1 ? 8 : 4).id();
    rank.setStack(stack.id());
    rank.end(call, 5);
  }
  return diagnoseJob(job);
}

TEST(CallSitesTest, AnExceptionThatOnlyTheCulpritHandledIsInTheSummary) {
  const Diagnosis diagnosis = diagnoseHandlers(false);
  expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {1});
  const JobVerdict& verdict = diagnosis.verdicts[0];
  const std::string summary = summaryAt(diagnosis, 0);
  EXPECT_TRUE(
      summary.ends_with(" Rank 1 was handling MemoryError (train.py:9)."))
      << summary;
  EXPECT_EQ(verdict.culprit, Confidence::kLikely);
  const std::string text = textOf(diagnosis);
  EXPECT_NE(text.find("Rank 1 called it at /job/main.py:18, while handling "
                      "MemoryError, raised at /job/train.py:9 in train."),
            std::string::npos)
      << text;
}

TEST(CallSitesTest, AnExceptionThatAllHandledIsNotInTheSummary) {
  const Diagnosis diagnosis = diagnoseHandlers(true);
  expectVerdict(diagnosis, VerdictKind::kSizeMismatch, {1});
  EXPECT_EQ(summaryAt(diagnosis, 0).find("handling"), std::string::npos);
}

TEST(CallSitesTest, AStragglerIsReportedWithTheStepInWhichItBegan) {
  JobBuilder job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::uint32_t call = rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id();
    for (int i = 0; i < 64; ++i) {
      rank.beginStep(static_cast<std::uint64_t>(i), 50 * i);
      const bool late = r == 1 && i >= 32;
      rank.end(call, 50 * i + (late ? 20 : 0), late ? 2 : 22);
    }
  }
  const Diagnosis diagnosis = diagnoseJob(job);
  expectVerdict(diagnosis, VerdictKind::kStraggler, {1});
  const JobVerdict& verdict = diagnosis.verdicts[0];
  ASSERT_FALSE(verdict.places.empty());
  EXPECT_EQ(verdict.places[0].second.step, verdict.since_seq - 1);
  EXPECT_NE(textOf(diagnosis).find("It began in step 32."), std::string::npos)
      << textOf(diagnosis);
}

TEST(CallSitesTest, ATraceWithoutCallSitesHasNone) {
  JobBuilder job(2);
  job.all([](RankBuilder& rank) {
    rank.end(rank.addCall(v1::OPERATION_ALL_REDUCE, 1).id(), 0);
  });
  const Diagnosis diagnosis = diagnoseJob(job);
  EXPECT_EQ(diagnosis.job.ranks[0].last_issued->place, nullptr);
}

}  // namespace
}  // namespace traced::testing
