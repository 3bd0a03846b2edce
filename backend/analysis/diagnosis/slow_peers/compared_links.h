// What transfers between some ranks are compared with: those between others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnosis/job_state/job_state.h"
#include "analysis/diagnosis/verdicts/facts/times.h"
#include "analysis/job/signature.h"

namespace traced {

// How long one took: from when the last of those it depends on was ready to its
// end. It is certainly in between, in which case both bounds are equal where
// clocks and ends are exact.
struct Transfer {
  std::int64_t at_ns = 0;
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
};

// Who takes part: the two ends of messages, one rank within a collective, or
// the members of a group.
struct TransferLink {
  std::vector<std::uint32_t> ranks;
  // One of theirs in which they were seen.
  std::uint32_t group = 0;
  // In the order of `at_ns`.
  std::vector<Transfer> transfers;
};

// Links that carry the same: kind of operation, bytes, and within a host or
// between hosts.
struct ComparedLinks {
  using Kind = SlowTransfers::Link;
  // Fewer say nothing.
  static constexpr std::size_t kMinTransfers = 16;
  static constexpr std::size_t kMinLinks = 3;

  Kind kind = Kind::kPairs;
  // Of pairs "64 KiB", else "all_reduce (4 KiB float32, sum)".
  std::string what;
  // Of pairs.
  bool between_hosts = false;
  // The name of the collective, "" of messages.
  std::string op;
  // Whose traces are not there, of the groups that are looked at.
  std::vector<std::uint32_t> absent;
  std::vector<TransferLink> links;
};

// Whose readiness the end of a collective waits for on every other rank, where
// its transfers can be compared.
enum class EndWaits : std::uint8_t { kForAll, kForRoot, kOther };
EndWaits waitsOf(const Signature& signature);

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

// Gathers how long transfers took, of links of which enough is known to be
// compared, and only where there are several.
std::vector<ComparedLinks> comparedLinks(const JobState& job);

}  // namespace traced
