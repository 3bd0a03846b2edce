// GroupStanding describes where a group is stuck: the first operation that some
// member has not joined, not ended, or failed in. It sorts the members by how
// far each got.

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

  // Sets the group and its members only; standingOf() fills the other fields.
  // `known` must outlive this object. `of`: index of the group in the catalog.
  GroupStanding(const AbsenceEvidence& known, std::uint32_t of)
      : absence(known), group(of), members(known.job().membersOf(of)) {}

  const AbsenceEvidence& absence;
  const std::uint32_t group;
  const JobState::Membership members;
  std::uint64_t seq = kNowhere;
  // Members with a trace, ascending, by how far they got.
  std::vector<std::uint32_t> missing, failed, inside, unknown, not_observed,
      ended;
  // Since when the last rank that joined has waited.
  std::optional<std::int64_t> since_ns;
  // How long ranks waited after the last had joined, and the longest wait of a
  // rank inside. Both until the end of the traces.
  std::optional<std::int64_t> waited_ns;
  std::int64_t longest_ns = 0;
  // When it first failed on a rank.
  std::optional<std::int64_t> failed_ns;
  // The waits are lower bounds: only the issue of a later operation is known.
  bool at_least = false;
  // The ranks of `inside` that are there only by inference: no rank can end the
  // operation without the missing ones.
  std::vector<std::uint32_t> by_need;

  const JobState& job() const { return absence.job(); }
  const EngineTraits& engine() const {
    return job().catalog.groups()[group].engine();
  }
  // Returns all ranks that called it.
  std::vector<std::uint32_t> joined() const;
  // Returns the ranks of `inside` that may not actually wait in it.
  std::vector<std::uint32_t> perhaps() const {
    return absence.perhapsIn(inside, group, seq, std::nullopt);
  }
  // Returns whether it is, or may be, pending on a rank.
  bool mayBeUnderWay() const {
    return !inside.empty() || !not_observed.empty();
  }
  // Returns whether the backend queues operations on a device. An operation may
  // then wait for an earlier one.
  bool onDevice() const;
  // Returns whether a rank's process ended in order while inside it.
  bool closedInside() const;
  // Returns how the rank's operations of the group were cut off, if it had
  // called this one by then. Otherwise nullptr.
  const GroupStop* stopOn(std::uint32_t rank) const;
  // Returns how long others had been waiting when this rank's process was
  // interrupted, killed or aborted. This is the longest wait of ranks on its
  // clock. Counts this operation, others that this rank had not joined,
  // messages with it, and operations that first failed on the waiting rank.
  // Absent if not recorded or if the rank ended by itself.
  std::optional<std::int64_t> waitedUntilEndOf(std::uint32_t rank) const;
  // Returns whether others were stuck by then: the rank's end is then a
  // consequence.
  bool othersWereStuckBeforeEndOf(std::uint32_t rank) const;
  // Returns whether the engine gave up on a rank that had joined.
  bool someGaveUp() const;
  // Returns whether the program aborted the group on every rank where it was
  // pending, and it failed on none.
  bool isAborted() const;
  // Returns the first failure of a rank if it was in this operation. Otherwise
  // nullptr.
  const OperationRef* failureOn(std::uint32_t rank) const;
  // Returns whether no rank can end it before all have joined.
  bool needsAll() const;
  // Returns for example "all_reduce", or "" if unknown.
  std::string op() const;
  CollectiveAt call() const { return {op(), group, seq}; }
  // Returns `ranks` for a sentence about the missing members. `all` is set if
  // both together are all members with a trace.
  OtherRanks othersAre(const std::vector<std::uint32_t>& ranks) const {
    return {ranks, ranks.size() + missing.size() == members.present.size()};
  }
  // Returns the operation without a judgement. The caller sets the rest of the
  // verdict.
  StuckOperation stuck() const;
};

// Returns where the group is stuck. Absent if nowhere.
std::optional<GroupStanding> standingOf(const AbsenceEvidence& absence,
                                        std::uint32_t group);
// Returns the state at the first operation after `seq` that failed on a member
// or has not ended on one. Absent if no such operation exists.
std::optional<GroupStanding> standingAfter(const AbsenceEvidence& absence,
                                           std::uint32_t group,
                                           std::uint64_t seq);

}  // namespace traced
