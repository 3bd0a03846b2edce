// Where links come from: messages, and collectives.

#pragma once

#include <optional>
#include <vector>

#include "analysis/diagnosis/slow_peers/transfer_links.h"
#include "analysis/job/signature.h"

namespace traced {

// Whose readiness the end of a collective waits for on every other rank, where
// its transfers can be compared.
enum class Waits : std::uint8_t { kForAll, kForRoot, kOther };
Waits waitsOf(const Signature& signature);

// Of what began between the two instants. Absent where it would have ended
// before: a record or a clock is wrong.
std::optional<Transfer> transferBetween(std::int64_t earliest_ns,
                                        std::int64_t latest_ns,
                                        std::int64_t end_ns);

// Pairs of ranks, by the bytes of their messages.
void addMessageLinks(const JobState& job, std::vector<ComparedLinks>& all);

// The ranks of a group within one collective, and groups of one size that make
// the same collective.
void addCollectiveLinks(const JobState& job, std::vector<ComparedLinks>& all);

}  // namespace traced
