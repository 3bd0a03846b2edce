// Judges a stuck group, by who joined and what became of these ranks. See
// docs/reference/diagnosis.md, "A job that stands still".

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/diagnosis/stuck_groups/group_standing.h"
#include "analysis/diagnosis/stuck_operations/absence_evidence.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"

namespace traced {

// Each returns nothing if the state is harmless, for example in a job that was
// killed at work.

// Judges an operation that some ranks have not joined.
std::optional<StuckOperation> judgeMissing(const GroupStanding& standing);
// Judges an operation that every rank with a trace has joined and in which some
// failed.
std::optional<StuckOperation> judgeFailed(const GroupStanding& standing);
// Judges an operation that every rank with a trace has joined and in which none
// failed.
std::optional<StuckOperation> judgeHung(const GroupStanding& standing);

// Judges a group that was aborted during an operation, before it was stuck for
// long. It is unknown whether the operation would have ended. Absent if it is
// not known to have been pending.
std::optional<JobVerdict> judgeAborted(const GroupStanding& standing);

// Blames the ranks that certainly did not join. If these are a majority that
// ended in order, blames those that joined.
void blameMissing(const GroupStanding& standing,
                  const std::vector<std::uint32_t>& missing,
                  JobVerdict& verdict);

// Add reasons: lost records, missing traces, and errors of failed ranks.
void reportLost(const std::vector<std::uint32_t>& ranks, JobVerdict& verdict);
void reportAbsent(const GroupStanding& standing, JobVerdict& verdict);
void reportFailures(const GroupStanding& standing, JobVerdict& verdict);
// Adds how the operation was cut off.
void reportStops(const GroupStanding& standing, JobVerdict& verdict);
// Makes the verdict undecided: traces are missing, or those of `lossy` lost
// records.
void reportUndecided(const GroupStanding& standing,
                     const std::vector<std::uint32_t>& lossy,
                     StuckOperation& stuck);

// Finds the stuck groups, each with its first stuck operation. `aborted`
// receives groups that were aborted before they were stuck. `first_mismatch`
// holds, by group, the first number on which its ranks disagree, or 0. It
// explains operations stuck there or later.
std::vector<StuckOperation> findStuckCollectives(
    const AbsenceEvidence& absence,
    const std::vector<std::uint64_t>& first_mismatch, std::uint64_t& under_way,
    std::vector<JobVerdict>& aborted);

}  // namespace traced
