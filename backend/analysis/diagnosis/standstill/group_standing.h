// GroupStanding is where one group stands still: the first operation that some
// member has not joined, not ended or failed in, and how far each got in it.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnosis/stuck_operations/absence_evidence.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"

namespace traced {

struct GroupStanding {
  static constexpr std::uint64_t kNowhere =
      std::numeric_limits<std::uint64_t>::max();

  GroupStanding(const AbsenceEvidence& known, std::uint32_t of)
      : absence(known), group(of), members(known.job().membersOf(of)) {}

  const AbsenceEvidence& absence;
  const std::uint32_t group;
  const JobState::Membership members;
  std::uint64_t seq = kNowhere;
  // Members with a trace, ascending, by how far they got.
  std::vector<std::uint32_t> missing, failed, inside, unknown, not_observed,
      ended;
  // Since when somebody waits.
  std::optional<std::int64_t> since_ns;
  // How long somebody waited after the last had joined, and the longest wait of
  // those inside, by the end of the traces.
  std::optional<std::int64_t> waited_ns;
  std::int64_t longest_ns = 0;
  // When it first failed on somebody.
  std::optional<std::int64_t> failed_ns;
  // The waits are longer: when these came to it is only known of later ones.
  bool at_least = false;
  // Of those inside, who is only because nobody can end it without the missing.
  std::vector<std::uint32_t> by_need;

  const JobState& job() const { return absence.job(); }
  const EngineTraits& engine() const {
    return job().catalog.groups()[group].engine();
  }
  // All but those who are missing.
  std::vector<std::uint32_t> joined() const;
  // Those of whom nothing shows that they wait in it.
  std::vector<std::uint32_t> perhaps() const {
    return absence.perhapsIn(inside, group, seq, std::nullopt);
  }
  // Whether it is, or may be, still under way on somebody.
  bool mayBeUnderWay() const {
    return !inside.empty() || !not_observed.empty();
  }
  // Whether its backend carries operations out one after the other, behind what
  // the device is to do before: an operation may wait for an earlier one.
  bool onDevice() const;
  // Whether a rank's process ended in order while it was inside.
  bool closedInside() const;
  // How its operations of the group were cut off, if it had called this one by
  // then; nullptr: they were not.
  const GroupStop* stopOn(std::uint32_t rank) const;
  // Returns the longest time that a rank on this rank's clock had been in the
  // operation, in another one that this rank had not joined, in a message with
  // it, or in the operation that had failed on it first, when this rank's
  // process was interrupted, killed or aborted. Absent where that is not
  // recorded, or the rank itself ended the process.
  std::optional<std::int64_t> waitedUntilEndOf(std::uint32_t rank) const;
  // Whether it stood still by then: the end of the rank is a consequence.
  bool stoodStillBeforeEndOf(std::uint32_t rank) const;
  // Whether the engine gave up on somebody who had joined.
  bool someGaveUp() const;
  // Whether the program aborted the group wherever it was under way.
  bool isAborted() const;
  // The first failure of a rank, if it was in this operation.
  const OperationRef* failureOn(std::uint32_t rank) const;
  // Whether nobody can end it before all have joined.
  bool needsAll() const;
  // "all_reduce".
  std::string op() const;
  CollectiveAt call() const { return {op(), group, seq}; }
  // Members beside those who are missing.
  OtherRanks othersAre(const std::vector<std::uint32_t>& ranks) const {
    return {ranks, ranks.size() + missing.size() == members.present.size()};
  }
  // Of this operation; what it comes to is left to whoever judges.
  StuckOperation stuck() const;
};

// Absent when the group stands still nowhere.
std::optional<GroupStanding> standingOf(const AbsenceEvidence& absence,
                                        std::uint32_t group);
// In the first operation behind `seq` that some have not ended or failed in.
std::optional<GroupStanding> standingBehind(const AbsenceEvidence& absence,
                                            std::uint32_t group,
                                            std::uint64_t seq);

}  // namespace traced
