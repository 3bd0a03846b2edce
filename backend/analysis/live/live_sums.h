// LiveSums adds up the operations of a running job, since observation began and
// over the latest interval.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/figures/samples.h"
#include "analysis/live/time_buckets.h"
#include "analysis/report/report.h"
#include "base/cover_bound.h"
#include "traced/v1/definitions.pb.h"

namespace traced {

struct LiveSums {
  // Limits on the number of keys. Operations with further keys are counted
  // under one key without an operation.
  static constexpr std::size_t kMaxKinds = 90;
  static constexpr std::size_t kMaxSizes = 400;

  // How late a rank was for others, since observation began.
  struct Lateness {
    // Number of operations with a certain last rank, and how often it was this
    // rank.
    std::uint64_t ready_times = 0;
    std::uint64_t last = 0;
    // How much later it was than the second last rank, summed over those.
    std::uint64_t behind_ns = 0;
    // The same, times the number of ranks that waited.
    std::uint64_t caused_ns = 0;
  };
  struct OfRank {
    CallTotals totals;
    Lateness lateness;
    // Time in calls and waits, each instant once.
    CoverBound blocked;
    // An upper bound of the time in which the program waited without a recorded
    // wait.
    CoverBound unseen_waits;
  };
  // A rank's time in the collectives of a group, each instant once, and from
  // its first call to its last end.
  struct OfGroup {
    CoverBound inside;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;

    void add(std::int64_t issue_ns, std::int64_t end_ns) {
      if (inside.ns() == 0) first_ns = issue_ns;
      inside.add(issue_ns, end_ns);
      last_ns = std::max(last_ns, end_ns);
    }
    // Returns its time between these collectives.
    std::uint64_t betweenNs() const {
      const auto all = static_cast<std::uint64_t>(last_ns - first_ns);
      return all > inside.ns() ? all - inside.ns() : 0;
    }
  };
  // Sums of the latest interval that had such operations.
  struct OfSize {
    TimeSum completion;
    // Sum of the bus bandwidths in GB/s, and how many operations have one.
    double busbw_gbs = 0;
    std::uint64_t with_busbw = 0;
    // LiveJob::intervals() in that interval.
    std::uint64_t interval = 0;
  };

  // Operation, and index of the group in the job's catalog. nullopt is the
  // combined key.
  using Kind = std::pair<std::optional<v1::Operation>, std::uint32_t>;
  // Same with the message size in bytes.
  using Size =
      std::tuple<std::optional<v1::Operation>, std::uint32_t, std::uint64_t>;

  std::map<Kind, CallTotals> kinds;
  std::map<Size, OfSize> sizes;
  std::map<std::uint32_t, OfRank> ranks;
  // By rank, and index of the group in the job's catalog, below kMaxGroups.
  static constexpr std::uint32_t kMaxGroups = 16;
  std::map<std::pair<std::uint32_t, std::uint32_t>, OfGroup> groups;
  // Distributions per operation.
  struct Times {
    TimeBuckets completion, wait_for_peers;
  };
  std::map<v1::Operation, Times> times;
  // How often kind() and size() returned the sums of the combined key.
  std::uint64_t folded_kinds = 0;
  std::uint64_t folded_sizes = 0;

  // Return the sums of a key, adding them if needed. Beyond the limits they
  // return the sums of the combined key. References stay valid.
  CallTotals& kind(v1::Operation op, std::uint32_t group);
  OfSize& size(v1::Operation op, std::uint32_t group, std::uint64_t bytes);
};

}  // namespace traced
