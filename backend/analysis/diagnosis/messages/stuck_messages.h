// Finds messages that differ, that only one side has, or that were pending.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/stuck_operations/absence_evidence.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"

namespace traced {

// Findings about all pairs: messages that differ are verdicts, unmatched ones
// are stuck operations.
struct PairFindings {
  std::vector<JobVerdict> verdicts;
  std::vector<StuckOperation> all_stuck;
};
// Judges all pairs of ranks whose messages have numbers.
PairFindings findStuckMessages(const AbsenceEvidence& absence);

// Finds pending messages of dumps that have no number to match the other side.
// A pair of ranks with complete dumps has numbers. Empty if the source knows
// ages.
std::vector<StuckOperation> findPendingMessages(const AbsenceEvidence& absence);
// Returns false if one of the ranks left only a partial dump. Numbers then
// cannot match the two sides. A rank without a trace does not matter.
bool hasNumbers(const JobState& job, std::uint32_t source,
                std::uint32_t destination);

}  // namespace traced
