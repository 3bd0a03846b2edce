// What a group that stands still comes to, depending on who joined and what
// became of them. See docs/reference/diagnosis.md, "A job that
// stands still".

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/diagnosis/standstill/group_standing.h"
#include "analysis/diagnosis/stuck_operations/absence_evidence.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"

namespace traced {

// Each is absent when it does not matter, as of a job that was killed at work.

// Somebody has not joined.
std::optional<StuckOperation> judgeMissing(const GroupStanding& standing);
// Everybody whose trace is there has joined, and somebody failed.
std::optional<StuckOperation> judgeFailed(const GroupStanding& standing);
// Everybody whose trace is there has joined, and nobody failed.
std::optional<StuckOperation> judgeHung(const GroupStanding& standing);

// The group was aborted while the operation was under way, before it had stood
// still for long: whether it would have ended is not known. Absent also where
// it is not known to have been under way.
std::optional<JobVerdict> judgeAborted(const GroupStanding& standing);

// Names those who are sure not to have joined, or, if they are a majority that
// ended in order, those who did.
void blameMissing(const GroupStanding& standing,
                  const std::vector<std::uint32_t>& missing,
                  JobVerdict& verdict);

// Parts of the evidence.
void reportLost(const std::vector<std::uint32_t>& ranks, JobVerdict& verdict);
void reportAbsent(const GroupStanding& standing, JobVerdict& verdict);
void reportFailures(const GroupStanding& standing, JobVerdict& verdict);
// How the operation was cut off.
void reportStops(const GroupStanding& standing, JobVerdict& verdict);
// Why cannot be known: the traces of some lost records, or are not there.
void reportUndecided(const GroupStanding& standing,
                     const std::vector<std::uint32_t>& lossy,
                     StuckOperation& stuck);

// Finds the groups that stand still: of each the first operation that does.
// `aborted` gets those
// that were aborted before they could. `first_mismatch` has,
// by group, the number from which on its ranks disagree, 0 for none: what
// stands still there or later is explained by that.
std::vector<StuckOperation> findGroupTroubles(
    const AbsenceEvidence& absence,
    const std::vector<std::uint64_t>& first_mismatch, std::uint64_t& under_way,
    std::vector<JobVerdict>& aborted);

}  // namespace traced
