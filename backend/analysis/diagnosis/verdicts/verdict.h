// JobVerdict is what is wrong with a run, who is to be looked at, and the
// proof. docs/reference/diagnosis.md explains each kind.

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
#include "analysis/stream/call_site.h"

namespace traced {

struct JobVerdict {
  VerdictKind kind = VerdictKind::kUndecided;
  // Of what is wrong, and of who did it. Undecided culprits are none, or both
  // sides.
  Confidence finding = Confidence::kUndecided;
  Confidence culprit = Confidence::kUndecided;
  // Global ranks, ascending: those the finding is about, and those to look at.
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint32_t> culprits;
  std::uint32_t group = GroupCatalog::kNone;
  // Of sends and receives: source and destination.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> pair;
  // 0: about no single operation.
  std::uint64_t seq = 0;
  // The operation of the majority, "" when about none.
  std::string op;
  // Since when, on the common time line; absent where no instant tells.
  std::optional<std::int64_t> since_ns;
  // Of what stands still: for how long somebody had waited in it, as far as is
  // known.
  std::optional<std::int64_t> waited_ns;
  // Of what is about many operations of a group: the first of them.
  std::uint64_t since_seq = 0;
  // Where in the program ranks called the operation, or that first one, as far
  // as that is known.
  std::vector<std::pair<std::uint32_t, CallSite>> places;
  // What happened.
  std::vector<Fact> summary;
  // What those who are waited for do instead.
  std::vector<Fact> now;
  // The records that imply it.
  std::vector<Fact> reasons;
  // What stands still only because of it.
  std::optional<Fact> consequence;
  // What to do next.
  std::vector<Fact> advice;

  // The operation that it is about.
  OperationSubject subject() const { return {op, group, seq, pair}; }
  // Of the whole: that of its weaker half.
  Confidence confidence() const { return std::max(finding, culprit); }
  // Whether it says why something went wrong at all, or that nobody can.
  bool hasCause() const {
    return kind <= VerdictKind::kFailed || kind == VerdictKind::kUndecided;
  }
};

inline bool isTwoCannotOutvote(const Fact& fact) {
  const PlainFact* remark = std::get_if<PlainFact>(&fact);
  return remark && *remark == PlainFact::kTwoCannotOutvote;
}

// Lowers a verdict to likely at most, for a reason.
inline void weaken(JobVerdict& verdict, Fact why) {
  verdict.finding = std::max(verdict.finding, Confidence::kLikely);
  verdict.culprit = std::max(verdict.culprit, Confidence::kLikely);
  verdict.reasons.push_back(std::move(why));
}

// From when on what the evidence shows is a finding.
struct DiagnosisOptions {
  // An operation that has not ended for so long hangs.
  std::int64_t hung_after_ns = 5'000'000'000;
  // A rank that keeps the others waiting for so long, once, is late.
  std::int64_t late_after_ns = 1'000'000'000;
};

}  // namespace traced
