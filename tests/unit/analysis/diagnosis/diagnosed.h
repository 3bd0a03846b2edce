// Writes a made-up job and diagnoses it.

#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "analysis/diagnosis/diagnosis.h"
#include "phrasing/verdict_text.h"
#include "support/job_builder.h"
#include "support/temp_dir.h"
#include "support/write_file.h"

namespace traced::testing {

using Ranks = std::vector<std::uint32_t>;

// Writes the traces of a job and returns their diagnosis. The ranks of
// `without` leave no file, and those of `cut` end with Ending::kCut.
inline Diagnosis diagnoseJob(JobBuilder& job, Ending ending = Ending::kClosed,
                             const std::set<std::uint32_t>& without = {},
                             const std::set<std::uint32_t>& cut = {},
                             bool may_mix_runs = false) {
  const TempDir dir;
  for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
    if (without.contains(rank)) continue;
    writeFile(dir.path() + "/rank-" + std::to_string(rank) + ".traced",
              job.rank(rank).write(cut.contains(rank) ? Ending::kCut : ending));
  }
  const std::vector<std::string> paths = {dir.path()};
  Result<TraceSet> set = openTraceSet(paths);
  EXPECT_TRUE(set) << set.error().message;
  set->may_mix_runs = may_mix_runs;
  return diagnose(*set, {});
}

// Returns the summary of the verdict at an index, or "".
inline std::string summaryAt(const Diagnosis& diagnosis, std::size_t index) {
  return index < diagnosis.verdicts.size()
             ? summaryOf(diagnosis.job, diagnosis.verdicts[index])
             : "";
}

inline std::string textOf(const Diagnosis& diagnosis) {
  std::string text;
  for (const JobVerdict& verdict : diagnosis.verdicts) {
    text += std::string(nameOf(verdict.kind)) + " #" +
            std::to_string(verdict.seq) + " " +
            summaryOf(diagnosis.job, verdict) + "\n";
    for (const std::string& line : phrases(diagnosis.job, verdict.now)) {
      text += "  " + line + "\n";
    }
    text += "  " + consequenceOf(diagnosis.job, verdict) + "\n";
    for (const std::string& line : phrases(diagnosis.job, verdict.reasons)) {
      text += "  " + line + "\n";
    }
  }
  return text;
}

// Expects exactly one verdict, of this kind and against these ranks.
inline void expectVerdict(const Diagnosis& diagnosis, VerdictKind kind,
                          const Ranks& culprits) {
  ASSERT_EQ(diagnosis.verdicts.size(), 1U) << textOf(diagnosis);
  EXPECT_STREQ(nameOf(diagnosis.verdicts[0].kind), nameOf(kind))
      << textOf(diagnosis);
  EXPECT_EQ(diagnosis.culprits, culprits) << textOf(diagnosis);
}

// Expects the confidence of the first verdict in its finding and in its
// culprit.
inline void expectConfidence(const Diagnosis& diagnosis, Confidence finding,
                             Confidence culprit) {
  ASSERT_FALSE(diagnosis.verdicts.empty());
  EXPECT_STREQ(nameOf(diagnosis.verdicts[0].finding), nameOf(finding))
      << textOf(diagnosis);
  EXPECT_STREQ(nameOf(diagnosis.verdicts[0].culprit), nameOf(culprit))
      << textOf(diagnosis);
}

inline void expectHealthy(const Diagnosis& diagnosis) {
  EXPECT_TRUE(diagnosis.verdicts.empty()) << textOf(diagnosis);
}

}  // namespace traced::testing
