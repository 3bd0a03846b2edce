// The wait-for graph of stuck operations: one waits for another if a rank it
// misses is inside the other. An operation that waits for no other is a root
// cause. A cycle is a deadlock.

#pragma once

#include <cstdint>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/program/program_order.h"
#include "analysis/diagnosis/stuck_operations/stuck_operation.h"
#include "analysis/diagnosis/verdicts/verdict.h"

namespace traced {

// Edges by index of a stuck operation.
using Edges = std::vector<std::vector<std::uint32_t>>;

struct WaitEdges {
  // Includes edges to operations that only may hold another up.
  Edges all;
  // Only edges between operations that are stuck by themselves.
  Edges sure;
};

// Returns the edges between the stuck operations.
WaitEdges waitEdgesOf(const std::vector<StuckOperation>& all_stuck);

// Returns whether it is a message without a number whose other side may have
// ended its part.
bool isOneSided(const StuckOperation& stuck);

// A root cause. Equal root causes are merged into one verdict.
struct RootCause {
  // From strongest to weakest.
  enum class Proof : std::uint8_t {
    // A rank is missing, or has ended it.
    kByItself,
    // Only one side is inside a message without a number. The other may have
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

// Keeps the root causes with the strongest proof, because they may hold up the
// others. If one rank keeps several waiting, reports the first and mentions the
// others in its reasons.
std::vector<JobVerdict> mergeCauses(std::vector<RootCause> roots);

// Returns a verdict per root: the operation's own, or a deadlock for a cycle.
// Operations that only wait for a root are mentioned in it. Blames ranks that
// left the program's order, if known.
std::vector<JobVerdict> rootsOf(const JobState& job,
                                std::vector<StuckOperation> all_stuck,
                                ProgramOrder& order);

}  // namespace traced
