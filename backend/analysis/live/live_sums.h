// LiveSums adds up the operations of a job that runs: since it is watched, and
// of the latest interval.

#pragma once

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
  // Keys are bounded: what is beyond is under no operation.
  static constexpr std::size_t kMaxKinds = 90;
  static constexpr std::size_t kMaxSizes = 400;

  // How late a rank was for others, since it is watched.
  struct Lateness {
    // Operations in which it is certain who was last, and those in which it
    // was this one.
    std::uint64_t ready_times = 0;
    std::uint64_t last = 0;
    std::uint64_t behind_ns = 0;
    // What all others together waited for it.
    std::uint64_t caused_ns = 0;
  };
  struct OfRank {
    CallTotals totals;
    Lateness lateness;
    // The time in which the program may have waited without a recorded wait.
    CoverBound unseen_waits;
  };
  // Of the latest interval that had any.
  struct OfSize {
    TimeSum completion;
    double busbw_gbs = 0;  // the sum of those that have one
    std::uint64_t with_busbw = 0;
    std::uint64_t interval = 0;
  };

  // Operation and group, as an index into the job's catalog.
  using Kind = std::pair<std::optional<v1::Operation>, std::uint32_t>;
  // And the bytes of a message, which a reader puts into words.
  using Size =
      std::tuple<std::optional<v1::Operation>, std::uint32_t, std::uint64_t>;

  std::map<Kind, CallTotals> kinds;
  std::map<Size, OfSize> sizes;
  std::map<std::uint32_t, OfRank> ranks;
  // Of each operation.
  struct Times {
    TimeBuckets completion, wait_for_peers;
  };
  std::map<v1::Operation, Times> times;
  // Kinds and sizes that were asked for and are not told apart.
  std::uint64_t folded_kinds = 0;
  std::uint64_t folded_sizes = 0;

  // They stay where they are.
  CallTotals& kind(v1::Operation op, std::uint32_t group);
  OfSize& size(v1::Operation op, std::uint32_t group, std::uint64_t bytes);
};

}  // namespace traced
