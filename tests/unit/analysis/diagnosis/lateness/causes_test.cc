// Tests why ranks were late, from samples of their resources.

#include "analysis/diagnosis/lateness/causes.h"

#include <gtest/gtest.h>

#include <functional>

#include "unit/analysis/diagnosis/diagnosed.h"

namespace traced::testing {
namespace {

constexpr std::uint32_t kWorldOfCauses = 4;
constexpr std::uint32_t kLateRank = 1;
constexpr int kLateSteps = 24;
constexpr std::int64_t kLateMs = 400;
constexpr std::int64_t kStepMs = 500;
constexpr std::int64_t kAllLateMs = kLateMs * kLateSteps;
constexpr std::uint64_t kMs = RankBuilder::kMs;

// Sets what a rank used in a second, of which it was late for 800 ms.
using Use = std::function<void(std::uint32_t rank, ResourceRow& sample)>;

// Adds samples of every second, from the first step to the end of the last.
void addSamples(RankBuilder& rank, std::uint32_t number, const Use& use,
                std::int64_t ahead_ms) {
  for (std::int64_t at_ms = 0; at_ms <= kLateSteps * kStepMs + 1000;
       at_ms += 1000) {
    ResourceRow sample;
    sample.position = 1'000'000 + static_cast<std::uint64_t>(at_ms);
    sample.sample_ns = RankBuilder::ns(at_ms + ahead_ms);
    sample.interval_ns = 1000 * kMs;
    sample.collecting_ns_plus_1 = sample.loading_ns_plus_1 = 1;
    sample.run_delay_ns_plus_1 = sample.other_delay_ns_plus_1 = 1;
    sample.collections = sample.batches = 1;
    sample.blocked_ns_plus_1 = sample.paging_ns_plus_1 = 1;
    sample.throttled_ns_plus_1 = 1;
    use(number, sample);
    rank.stream().add(sample);
  }
}

// Rank kLateRank is late to all collectives but the first. `ahead_ms`: how far
// its clock is ahead of the others. `also_ms`: how late rank 3 is.
Diagnosis run(const Use& use, const std::set<std::uint32_t>& unsampled = {},
              std::int64_t ahead_ms = 0, std::int64_t also_ms = 0) {
  JobBuilder job(kWorldOfCauses);
  for (std::uint32_t r = 0; r < kWorldOfCauses; ++r) {
    RankBuilder& rank = job.rank(r);
    const std::int64_t clock_ms = r == kLateRank ? ahead_ms : 0;
    if (clock_ms > 0) rank.stream().header().set_boot_id("another");
    v1::Call& all_reduce = rank.addCall(v1::OPERATION_ALL_REDUCE, 1);
    all_reduce.set_in_place(true);
    all_reduce.set_async(false);
    const std::uint32_t call = all_reduce.id();
    rank.end(call, clock_ms);
    for (int i = 0; i < kLateSteps; ++i) {
      const std::int64_t due_ms = kStepMs * i + 100 + clock_ms;
      const std::int64_t late_ms = r == kLateRank ? kLateMs
                                   : r == 3       ? also_ms
                                                  : 0;
      rank.end(call, due_ms + late_ms, kLateMs - late_ms + 2);
    }
    if (!unsampled.contains(r)) addSamples(rank, r, use, clock_ms);
  }
  return diagnoseJob(job);
}

// Returns the only verdict.
const JobVerdict& verdictOf(const Diagnosis& diagnosis) {
  EXPECT_EQ(diagnosis.verdicts.size(), 1u) << textOf(diagnosis);
  return diagnosis.verdicts.at(0);
}

void expectCause(const Diagnosis& diagnosis, LateCause cause) {
  const JobVerdict& verdict = verdictOf(diagnosis);
  ASSERT_EQ(verdict.causes.size(), 1u) << textOf(diagnosis);
  EXPECT_STREQ(nameOf(verdict.causes[0].cause), nameOf(cause));
  EXPECT_EQ(verdict.causes[0].ranks, Ranks{kLateRank});
  EXPECT_FALSE(verdict.unexplained);
}

void expectNothingSaid(const Diagnosis& diagnosis) {
  EXPECT_TRUE(verdictOf(diagnosis).causes.empty()) << textOf(diagnosis);
  EXPECT_FALSE(verdictOf(diagnosis).unexplained) << textOf(diagnosis);
}

std::vector<std::string> ruledOut(const Diagnosis& diagnosis) {
  const JobVerdict& verdict = verdictOf(diagnosis);
  EXPECT_TRUE(verdict.causes.empty()) << textOf(diagnosis);
  EXPECT_TRUE(verdict.unexplained) << textOf(diagnosis);
  std::vector<std::string> names;
  if (!verdict.unexplained) return names;
  for (const LateCause cause : verdict.unexplained->ruled_out) {
    names.emplace_back(nameOf(cause));
  }
  return names;
}

bool contains(const std::vector<std::string>& names, LateCause cause) {
  return std::find(names.begin(), names.end(), nameOf(cause)) != names.end();
}

// Returns a use of one column by the late rank.
Use ofLateRank(std::uint64_t ResourceRow::*column, std::uint64_t plus_1) {
  return [=](std::uint32_t rank, ResourceRow& sample) {
    if (rank == kLateRank) sample.*column = plus_1;
  };
}

TEST(CausesTest, EachCauseIsNamedByItsColumn) {
  const std::uint64_t much = 790 * kMs;
  expectCause(run(ofLateRank(&ResourceRow::collecting_ns_plus_1, much)),
              LateCause::kCollecting);
  expectCause(run(ofLateRank(&ResourceRow::loading_ns_plus_1, much)),
              LateCause::kLoading);
  expectCause(run(ofLateRank(&ResourceRow::run_delay_ns_plus_1, much)),
              LateCause::kProcessor);
  expectCause(run(ofLateRank(&ResourceRow::issuer_delay_ns_plus_1, much)),
              LateCause::kProcessor);
  expectCause(run(ofLateRank(&ResourceRow::blocked_ns_plus_1, much)),
              LateCause::kKernel);
}

TEST(CausesTest, TheSentenceHasTheFigures) {
  const Diagnosis diagnosis =
      run(ofLateRank(&ResourceRow::collecting_ns_plus_1, 780 * kMs + 1));
  EXPECT_EQ(phrases(diagnosis.job, verdictOf(diagnosis).reasons).at(0),
            "Likely cause: rank 1 collected garbage in Python for up to 9.36 s "
            "while it was late by 9.60 s in all. A rank on time: at most 0 "
            "ms.");
  const ExplainedBy& cause = verdictOf(diagnosis).causes.at(0);
  EXPECT_EQ(cause.late_ns, kAllLateMs * RankBuilder::kMs);
}

TEST(CausesTest, ACauseMustExplainFourFifths) {
  // 800 ms of a second are late, and a sample counts in full.
  expectCause(run(ofLateRank(&ResourceRow::loading_ns_plus_1, 670 * kMs)),
              LateCause::kLoading);
  const auto less =
      ruledOut(run(ofLateRank(&ResourceRow::loading_ns_plus_1, 600 * kMs)));
  EXPECT_FALSE(contains(less, LateCause::kLoading));
  EXPECT_TRUE(contains(less, LateCause::kCollecting));
  EXPECT_TRUE(contains(
      ruledOut(run(ofLateRank(&ResourceRow::loading_ns_plus_1, 100 * kMs))),
      LateCause::kLoading));
}

TEST(CausesTest, WhatRanksOnTimeHaveAsWellIsNoCause) {
  const auto all = [](std::uint32_t, ResourceRow& sample) {
    sample.collecting_ns_plus_1 = 790 * kMs;
  };
  EXPECT_FALSE(contains(ruledOut(run(all)), LateCause::kCollecting));
  const auto one_of_them = [](std::uint32_t rank, ResourceRow& sample) {
    if (rank == kLateRank || rank == 3) sample.collecting_ns_plus_1 = 790 * kMs;
  };
  EXPECT_FALSE(contains(ruledOut(run(one_of_them)), LateCause::kCollecting));
  // More of it than the others have is one.
  const auto more = [](std::uint32_t rank, ResourceRow& sample) {
    sample.collecting_ns_plus_1 = (rank == kLateRank ? 900 : 150) * kMs;
  };
  expectCause(run(more), LateCause::kCollecting);
}

TEST(CausesTest, SaysNothingWithoutSamples) {
  const Use much = ofLateRank(&ResourceRow::collecting_ns_plus_1, 790 * kMs);
  expectNothingSaid(run(much, {0, 1, 2, 3}));
  expectNothingSaid(run(much, {kLateRank}));
  expectNothingSaid(run(much, {0, 2, 3}));
  expectCause(run(much, {0, 2}), LateCause::kCollecting);
}

TEST(CausesTest, UnknownCausesAreNotRuledOut) {
  const auto names = ruledOut(run([](std::uint32_t, ResourceRow& sample) {
    sample.collecting_ns_plus_1 = 0;
    sample.throttled_ns_plus_1 = 0;
  }));
  EXPECT_FALSE(contains(names, LateCause::kCollecting));
  EXPECT_FALSE(contains(names, LateCause::kThrottled));
  EXPECT_FALSE(contains(names, LateCause::kGpuClocks));
  EXPECT_TRUE(contains(names, LateCause::kLoading));
}

TEST(CausesTest, AThreadThatNobodyKnowsToMatterOnlyRemains) {
  const auto names =
      ruledOut(run(ofLateRank(&ResourceRow::other_delay_ns_plus_1, 790 * kMs)));
  EXPECT_FALSE(contains(names, LateCause::kProcessor));
}

TEST(CausesTest, AWaitUnderALimitIsAWaitForAProcessorToo) {
  const Diagnosis diagnosis = run([](std::uint32_t rank, ResourceRow& sample) {
    if (rank != kLateRank) return;
    sample.run_delay_ns_plus_1 = 790 * kMs;
    sample.throttled_ns_plus_1 = 5000 * kMs;  // of several processors
  });
  const std::vector<ExplainedBy>& causes = verdictOf(diagnosis).causes;
  ASSERT_EQ(causes.size(), 2u) << textOf(diagnosis);
  EXPECT_EQ(causes[0].cause, LateCause::kThrottled);
  EXPECT_EQ(causes[0].ns, causes[1].ns) << "no longer than the wait";
  EXPECT_EQ(causes[1].cause, LateCause::kProcessor);
}

TEST(CausesTest, BytesTellStorage) {
  const auto writes = [](std::uint32_t rank, ResourceRow& sample) {
    if (rank != kLateRank) return;
    sample.blocked_ns_plus_1 = 790 * kMs;
    sample.written_bytes_plus_1 = 2 << 20;
  };
  expectCause(run(writes), LateCause::kStorage);
}

TEST(CausesTest, ASlowGpuIsNamedIfItsClocksCostEnough) {
  const auto clocked = [](unsigned mhz, std::uint64_t reasons) {
    return [=](std::uint32_t rank, ResourceRow& sample) {
      sample.max_sm_clock_mhz_plus_1 = 1001;
      sample.sm_clock_mhz_plus_1 = rank == kLateRank ? mhz + 1 : 1001;
      sample.throttle_reasons_plus_1 = (rank == kLateRank ? reasons : 0) + 1;
    };
  };
  constexpr std::uint64_t kThermal = 0x20;
  constexpr std::uint64_t kIdle = 0x1;
  expectCause(run(clocked(200, kThermal)), LateCause::kGpuClocks);
  const auto isRuledOut = [&](unsigned mhz, std::uint64_t reasons) {
    return contains(ruledOut(run(clocked(mhz, reasons))),
                    LateCause::kGpuClocks);
  };
  EXPECT_FALSE(isRuledOut(500, kThermal));
  EXPECT_FALSE(isRuledOut(200, 0)) << "they may be set low";
  EXPECT_FALSE(isRuledOut(200, kIdle)) << "it may have been busy before";
  EXPECT_TRUE(isRuledOut(900, kThermal));
}

TEST(CausesTest, TimesOfAnotherClockAreConverted) {
  const Use much = ofLateRank(&ResourceRow::collecting_ns_plus_1, 790 * kMs);
  expectCause(run(much, {}, 3'600'000), LateCause::kCollecting);
}

TEST(CausesTest, PageFaultsMustReadFromADisk) {
  const auto faults = [](std::uint64_t major) {
    return [=](std::uint32_t rank, ResourceRow& sample) {
      if (rank != kLateRank) return;
      sample.paging_ns_plus_1 = 790 * kMs;
      sample.major_faults = major;
    };
  };
  expectCause(run(faults(9)), LateCause::kPaging);
  EXPECT_FALSE(contains(ruledOut(run(faults(0))), LateCause::kPaging));
}

TEST(CausesTest, WhatAProgramDoesNotUseIsNotRuledOut) {
  const auto names = ruledOut(run([](std::uint32_t, ResourceRow& sample) {
    sample.collections = sample.batches = 0;
  }));
  EXPECT_FALSE(contains(names, LateCause::kLoading));
  EXPECT_FALSE(contains(names, LateCause::kCollecting));
}

// A cause may be in a gap of the samples.
TEST(CausesTest, AGapInTheSamplesRulesOutNothing) {
  expectNothingSaid(run([](std::uint32_t, ResourceRow& sample) {
    sample.interval_ns = 850 * kMs;
  }));
  // A fifth of the lateness is 1.92 s.
  const auto waits = [](std::int64_t ms, bool with_gap) {
    return contains(ruledOut(run([=](std::uint32_t, ResourceRow& sample) {
                      if (with_gap && sample.position == 1'007'000) {
                        sample.interval_ns = 200 * kMs;
                      }
                      sample.run_delay_ns_plus_1 =
                          static_cast<std::uint64_t>(ms) * kMs;
                    })),
                    LateCause::kProcessor);
  };
  EXPECT_TRUE(waits(120, false));
  EXPECT_FALSE(waits(120, true));
  EXPECT_TRUE(waits(60, true));
}

// It may wait for another thread that uses storage.
TEST(CausesTest, AThreadThatDoesNotRunMayWaitForStorage) {
  const auto isRuledOut = [](std::uint64_t cpu_ms) {
    return contains(ruledOut(run([=](std::uint32_t, ResourceRow& sample) {
                      sample.main_cpu_ns_plus_1 = cpu_ms * kMs;
                    })),
                    LateCause::kStorage);
  };
  EXPECT_FALSE(isRuledOut(500));
  EXPECT_TRUE(isRuledOut(950));
}

// Rank 3 is late half as much, so it is not compared.
TEST(CausesTest, ARankThatIsAlsoLateIsNotOnTime) {
  const auto both = [](std::uint32_t rank, ResourceRow& sample) {
    if (rank == kLateRank || rank == 3) sample.collecting_ns_plus_1 = 790 * kMs;
  };
  expectCause(run(both, {}, 0, kLateMs / 2), LateCause::kCollecting);
}

TEST(CausesTest, HugeSamplesOfADamagedTraceAreHarmless) {
  for (const std::uint64_t interval :
       {std::uint64_t{1} << 61, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    const auto huge = [=](std::uint32_t, ResourceRow& sample) {
      sample.sample_ns += std::int64_t{1} << 60;
      sample.interval_ns = interval;
      for (auto column :
           {&ResourceRow::collecting_ns_plus_1,
            &ResourceRow::throttled_ns_plus_1, &ResourceRow::blocked_ns_plus_1,
            &ResourceRow::run_delay_ns_plus_1,
            &ResourceRow::other_delay_ns_plus_1,
            &ResourceRow::read_bytes_plus_1,
            &ResourceRow::throttle_reasons_plus_1}) {
        sample.*column = ~std::uint64_t{0};
      }
      sample.max_sm_clock_mhz_plus_1 = ~std::uint32_t{0};
      sample.sm_clock_mhz_plus_1 = 1;
    };
    EXPECT_EQ(verdictOf(run(huge)).kind, VerdictKind::kStraggler);
  }
}

}  // namespace
}  // namespace traced::testing
