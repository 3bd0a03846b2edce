// The messages of one ordered pair of ranks in one group, as the rules see
// them.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/messages/stuck_messages.h"
#include "analysis/diagnosis/stuck_operations/absence_evidence.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"

namespace traced {

// Refers to all arguments, which must outlive it.
struct PairCase {
  const AbsenceEvidence& absence;
  PairKey key;
  const MessagePair& messages;
  // Members of its group without a trace. See JobState::Membership.
  const std::vector<std::uint32_t>& absent;

  const JobState& job() const { return absence.job(); }
  const EngineTraits& engine() const {
    return job().catalog.groups()[key.group].engine();
  }
  // Returns how verdicts name message `seq` of this pair. Neither side needs to
  // have it.
  MessageAt message(std::uint64_t seq) const {
    return {key.group, key.source, key.destination, seq};
  }
  // Returns a verdict about one message that names both sides.
  JobVerdict verdict(std::uint64_t seq, const char* op) const;
  // Returns whether both sides closed their traces and no record was lost.
  bool bothClosed() const;
  // Adds the rank's first failure to the verdict if it was in this message.
  void reportFailure(std::uint32_t rank, JobVerdict& verdict) const;
};

// Reports the first message that the two sides called differently. Returns
// false if none.
bool findDifference(const PairCase& pair, PairFindings& findings);

// Finds messages that only one side has, or that failed. Finds none if a side
// lacks records.
void findLeftOver(const PairCase& pair, PairFindings& findings);

// Blames the other side of a message, which left no dump. Requires that a
// missing dump is evidence (AbsenceEvidence::expectsDumps).
void blameWithoutDump(std::uint32_t peer, StuckOperation& stuck);

// Blames a rank that sent to the wrong peer: nobody receives its message, and
// another rank waits for one that it never sent. Does not blame it if the
// receiver is itself waiting for the sender, because the receiver may simply
// not have reached the message yet.
void blameWrongPeers(std::vector<StuckOperation>& all_stuck);

}  // namespace traced
