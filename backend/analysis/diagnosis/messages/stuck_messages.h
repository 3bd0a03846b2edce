// Messages that differ, that only one side has, or that were under way.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/stuck_operations/absence_evidence.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"

namespace traced {

// Of each pair: messages that differ are verdicts, those left over troubles.
struct PairFindings {
  std::vector<JobVerdict> verdicts;
  std::vector<StuckOperation> all_stuck;
};
PairFindings findPairTroubles(const AbsenceEvidence& absence);

// Of dumps: messages under way that bear no number by which their other side
// could be found. A pair of ranks whose dumps hold all messages has numbers.
std::vector<StuckOperation> findPendingMessages(const AbsenceEvidence& absence);
bool hasNumbers(const JobState& job, std::uint32_t source,
                std::uint32_t destination);

}  // namespace traced
