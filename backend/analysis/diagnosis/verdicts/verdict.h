// JobVerdict holds what is wrong with a run, the ranks to check, and the proof.
// docs/reference/diagnosis.md explains each kind.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/diagnosis/verdicts/facts.h"
#include "analysis/diagnosis/verdicts/verdict_kinds.h"
#include "analysis/job/group_catalog.h"
#include "analysis/job/time_windows.h"
#include "analysis/stream/call_site.h"

namespace traced {

// When a rank was late, on the common time line.
struct LateTimes {
  std::uint32_t rank = 0;
  // By how much in all.
  std::int64_t late_ns = 0;
  // Each from when it could go on until it joined.
  std::vector<TimeWindow> windows;
  // Some of them may begin earlier.
  bool may_begin_earlier = false;
};

struct JobVerdict {
  VerdictKind kind = VerdictKind::kUndecided;
  // How certain the finding is, and how certain the culprits are. Undecided
  // culprits are none, or both sides.
  Confidence finding = Confidence::kUndecided;
  Confidence culprit = Confidence::kUndecided;
  // Global ranks, ascending: the affected ranks, and the ranks to check.
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint32_t> culprits;
  std::uint32_t group = GroupCatalog::kNone;
  // Source and destination of a send or receive.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> pair;
  // 0 if it is not about a single operation.
  std::uint64_t seq = 0;
  // The operation of the majority. Empty if not about one.
  std::string op;
  // When it began, on the common time line. Absent if unknown.
  std::optional<std::int64_t> since_ns;
  // For a stuck operation: how long some rank had waited in it. Absent if
  // unknown.
  std::optional<std::int64_t> waited_ns;
  // Which part of the run it costs. Only for stragglers of runs that can be
  // replayed (analysis/whatif).
  std::optional<WouldSave> saves;
  // For late ranks: when, why, and those of which it is not known why. See
  // lateness/causes.h. `also_late`: others, and culprits when another rank was
  // later.
  std::vector<LateTimes> late;
  std::vector<LateTimes> also_late;
  std::vector<ExplainedBy> causes;
  std::optional<NothingExplains> unexplained;
  // For a verdict about many operations of a group: the first of them.
  std::uint64_t since_seq = 0;
  // Call sites of the operation, or of that first one, by rank. Only as far as
  // known.
  std::vector<std::pair<std::uint32_t, CallSite>> places;
  // The finding itself.
  std::vector<Fact> summary;
  // The activity of the missing ranks.
  std::vector<Fact> now;
  // The records that prove it.
  std::vector<Fact> reasons;
  // Operations that are stuck only because of it.
  std::optional<Fact> consequence;
  // The next steps for the user.
  std::vector<Fact> advice;

  // Returns the operation that it is about.
  OperationSubject subject() const { return {op, group, seq, pair}; }
  // Returns the weaker of both confidences.
  Confidence confidence() const { return std::max(finding, culprit); }
  // Returns whether the verdict explains why something went wrong, or states
  // that the cause is unknown.
  bool hasCause() const {
    return kind <= VerdictKind::kFailed || kind == VerdictKind::kUndecided;
  }
};

inline bool isTwoCannotOutvote(const Fact& fact) {
  const PlainFact* remark = std::get_if<PlainFact>(&fact);
  return remark && *remark == PlainFact::kTwoCannotOutvote;
}

// Lowers both confidences to likely at most, and adds the reason.
inline void weaken(JobVerdict& verdict, Fact why) {
  verdict.finding = std::max(verdict.finding, Confidence::kLikely);
  verdict.culprit = std::max(verdict.culprit, Confidence::kLikely);
  verdict.reasons.push_back(std::move(why));
}

// Thresholds from which on evidence counts as a finding.
struct DiagnosisOptions {
  // An operation that has not ended for this long hangs.
  std::int64_t hung_after_ns = 5'000'000'000;
  // A rank that keeps the others waiting once for this long is late.
  std::int64_t late_after_ns = 1'000'000'000;
  // Replay the run to find what its stragglers cost.
  bool replay = true;
};

}  // namespace traced
