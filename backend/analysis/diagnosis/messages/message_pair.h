// The messages of one ordered pair of ranks in one group, as the rules see
// them.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/messages/stuck_messages.h"
#include "analysis/diagnosis/stuck_operations/absence_evidence.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"

namespace traced {

struct PairCase {
  const AbsenceEvidence& absence;
  PairKey key;
  const MessagePair& messages;
  // Members of its group without a trace; see JobState::Membership.
  const std::vector<std::uint32_t>& absent;

  const JobState& job() const { return absence.job(); }
  const EngineTraits& engine() const {
    return job().catalog.groups()[key.group].engine();
  }
  MessageAt message(std::uint64_t seq) const {
    return {key.group, key.source, key.destination, seq};
  }
  // About one message; names both sides.
  JobVerdict verdict(std::uint64_t seq, const char* op) const;
  // Whether both sides came to their ends, and all that they did is known.
  bool bothClosed() const;
  // What a rank's failure said, if it was in this message.
  void reportFailure(std::uint32_t rank, JobVerdict& verdict) const;
};

// Messages that the two sides gave differently. False where there are none.
bool findDifference(const PairCase& pair, PairFindings& findings);

// Messages that only one side has, or that failed.
void findLeftOver(const PairCase& pair, PairFindings& findings);

// A rank that sent a message nobody receives, while another waits for one from
// it that was never sent, took the wrong peer: unless the one it sent to waits
// for it, too, so that it has not come to the other message yet.
void blameWrongPeers(std::vector<StuckOperation>& all_stuck);

}  // namespace traced
