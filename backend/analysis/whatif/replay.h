// Replays a job, in several variants at once.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/whatif/event_times.h"
#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

// The variants of one replay. What is unknown has its best estimate, or the
// value that makes the run shortest or longest.
enum Lane : std::size_t {
  kEstimate,
  kShortest,
  kLongest,
  // Like kShortest, but no unrecorded wait took place.
  kNoUnseenWaits,
};
inline constexpr std::size_t kLanes = 4;
using Lanes = std::array<double, kLanes>;

// How long one rank computes instead. Vectors have an element per event.
struct GapChange {
  // The estimate. nullptr: unchanged.
  const std::vector<float>* gaps = nullptr;
  // Multiplied with `gaps`: a lower bound.
  double low_factor = 1;
  // Multiplied with `high_factor`: an upper bound, as is the recorded gap.
  // nullptr: the estimate is exact.
  const std::vector<float>* largest = nullptr;
  double high_factor = 1;
};

// What differs from the recorded run. A vector may be empty.
struct Change {
  // Per rank.
  std::vector<GapChange> gaps;
  // Per meeting: multiplies its transfer time.
  std::vector<float> transfer_factor;
  // Replaces the transfer times of operations in which ranks meet, for each
  // Kind::transfer. Negative: unchanged.
  std::vector<float> transfer_ns;
  // Per rank: replaces its events.
  const std::vector<std::vector<Event>>* events = nullptr;
};

struct Replayed {
  // From the first event of any rank to the last, in ns.
  Lanes ns{};
  // Number of times that ranks waited for each other in a circle, which a real
  // run cannot do. The replay then let one of them continue.
  std::uint64_t forced = 0;

  double low() const;
  double high() const;
};

// Per rank and event, in ns after ReplayJob::beginNs().
using ReplayedTimes = std::vector<std::vector<EventTime>>;

// Takes linear time. Thread safe. `times`: stores the estimated times, unless
// null.
Replayed replay(const ReplayJob& job, const Change& change,
                ReplayedTimes* times = nullptr);

}  // namespace traced::whatif
