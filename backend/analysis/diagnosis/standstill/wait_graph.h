// The wait-for graph between operations that stand still: one waits for another
// if a rank it misses is inside the other. What waits for nothing else is a
// root cause; a cycle is a deadlock.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/program/program_order.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// By index of a trouble.
using Edges = std::vector<std::vector<std::uint32_t>>;

struct WaitEdges {
  // Also those to what only may hold an operation up.
  Edges all;
  // Between what stands still by itself.
  Edges sure;
};

WaitEdges waitEdgesOf(const std::vector<StuckOperation>& all_stuck);

// A message that has no number, of which the other side may have ended its
// part.
bool isOneSided(const StuckOperation& stuck);

// Root causes that come to the same are one verdict.
struct RootCause {
  // From the strongest to the weakest.
  enum class Proof : std::uint8_t {
    // Somebody is missing, or has ended it.
    kByItself,
    // Only one side is inside a message that has no number: the other may have
    // ended it.
    kOneSided,
    // A rank that it needs left no dump.
    kWithoutDump,
    // It may be held up by something that was not recorded.
    kMayBeHeldUp,
  };

  JobVerdict verdict;
  Proof proof = Proof::kByItself;
};

// Beside those with the strongest proof the others are taken to be held up by
// them. Of those that one and the same rank keeps waiting the first is told,
// and the others in its evidence.
std::vector<JobVerdict> mergeCauses(std::vector<RootCause> roots);

// A verdict for every root: the trouble's own where it stands alone, a deadlock
// for a cycle. Operations that only wait for a root are told in its evidence.
// Culprits are those who left the order of the program, as far as that tells.
std::vector<JobVerdict> rootsOf(const JobState& job,
                                std::vector<StuckOperation> all_stuck,
                                ProgramOrder& order);

}  // namespace traced
