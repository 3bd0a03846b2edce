// Compares transfers between some ranks with those between others.

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

// The duration of one transfer: from when the last rank it depends on was
// ready, to its end. The true value is between the bounds, which are equal if
// clocks and ends are exact.
struct Transfer {
  std::int64_t at_ns = 0;
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
};

// The ranks involved: both ends of messages, one rank within a collective, or
// the members of a group.
struct TransferLink {
  std::vector<std::uint32_t> ranks;
  // One of the groups in which the transfers were seen.
  std::uint32_t group = 0;
  // Sorted by `at_ns`.
  std::vector<Transfer> transfers;
};

// Comparable links: same operation, same bytes, and all within a host or all
// between hosts.
struct ComparedLinks {
  using Kind = SlowTransfers::Link;
  // Links with fewer transfers, and sets with fewer links, are not judged.
  static constexpr std::size_t kMinTransfers = 16;
  static constexpr std::size_t kMinLinks = 3;

  Kind kind = Kind::kPairs;
  // "64 KiB" for pairs, otherwise for example "all_reduce (4 KiB float32,
  // sum)".
  std::string what;
  // Set for pairs only.
  bool between_hosts = false;
  // The name of the collective. Empty for messages.
  std::string op;
  // Members of the compared groups without a trace. Set for pairs only.
  std::vector<std::uint32_t> absent;
  std::vector<TransferLink> links;
};

// Which ranks' readiness the end of a collective depends on, on every other
// rank. kOther: its transfers are not comparable.
enum class EndWaits : std::uint8_t { kForAll, kForRoot, kOther };
EndWaits waitsOf(const Signature& signature);

// Returns the transfer that began at an unknown instant between `earliest_ns`
// and `latest_ns`, and ended at `end_ns`. Absent if it ended before
// `earliest_ns`: a record or a clock is wrong.
std::optional<Transfer> transferBetween(std::int64_t earliest_ns,
                                        std::int64_t latest_ns,
                                        std::int64_t end_ns);

// Adds the pairs of ranks, by the bytes of their messages.
void addMessageLinks(const JobState& job, std::vector<ComparedLinks>& all);

// Adds the ranks of each group within one collective, and groups of one size
// with the same collective. Skips groups with members without a trace.
void addCollectiveLinks(const JobState& job, std::vector<ComparedLinks>& all);

// Collects the durations of transfers. Returns only sets with at least
// kMinLinks links of at least kMinTransfers transfers.
std::vector<ComparedLinks> comparedLinks(const JobState& job);

}  // namespace traced
