// Who was ready last for each collective of a run.

#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/job/matched_calls.h"
#include "analysis/job/operation_index.h"
#include "analysis/job/ready_times.h"
#include "analysis/stream/clock_cursor.h"
#include "analysis/stream/stream_table.h"
#include "analysis/time_split/own_arrivals.h"

namespace traced {

// An instant on the common time line, with the interval that its clock is
// certainly in there; between instants of one clock, which it tells as
// `own_ns`, that is no doubt. By `early_ns` it may have been earlier.
struct CommonInstant {
  std::int64_t ns = 0;
  std::int64_t own_ns = 0;
  CertifiedNs certified;
  std::uint32_t clock = 0;
  std::int64_t early_ns = 0;
};

// A time between two instants, and the least and most it can be.
struct CertifiedTime {
  std::int64_t ns = 0;
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
};

// The latest of some instants of each clock, for the two clocks that are ahead:
// so for each clock the latest of all others is known.
class LatestByClock {
 public:
  // On its own clock, and as a bound on the common time line.
  void add(std::int64_t own_ns, std::int64_t certified_ns, std::uint32_t clock);

  struct One {
    std::int64_t own_ns = 0;
    std::int64_t certified_ns = 0;
    std::uint32_t clock = 0;
  };
  absl::Span<const One> all() const { return {latest_, count_}; }

 private:
  One latest_[2];
  std::size_t count_ = 0;
};

// Memory: a row per collective.
class ArrivalTable {
 public:
  struct Arrival {
    CommonInstant ready;
    std::uint32_t rank = 0;
  };
  struct Row {
    std::uint64_t signature = 0;
    // Of the ranks that others depend on, as well as it is known: who was ready
    // last and last but one.
    Arrival last, before_last;
    // When they were, at the earliest and at the latest.
    LatestByClock earliest, latest_by_clock;
    std::uint32_t arrived = 0;
    // Of all ranks with a part in it: those that were ready last, and how many
    // are known.
    CertifiedNs latest, before_latest;
    std::uint32_t present = 0;
    // How many ranks told their part in it, whether they know when they were
    // ready or not.
    std::uint32_t parts = 0;
    bool unusable = false;

    // How long after an instant the last one was ready; below 0: before.
    CertifiedTime lastAfter(const CommonInstant& instant) const;
    // Whether it is certain that all others were ready before the last one.
    bool isLastCertain() const;
    // All whose starts matter have arrived. `call`: of one of them.
    bool isComplete(const MatchedCall& call) const {
      return arrived == call.role.provable;
    }
    // Until when at the latest somebody with a part in an operation that ended
    // at `end` was ready before it did.
    std::int64_t lastBeforeNs(const MatchedCall& call, CertifiedNs end) const;
  };

  // A stream as the table sees it.
  struct Stream {
    // `groups`: of the stream's groups, their indices in the job's catalog.
    Stream(const StreamTable& seen, const v1::ClockModel& model,
           std::uint32_t clock_number, absl::Span<const std::uint32_t> groups)
        : table(seen),
          clock(model),
          clock_id(clock_number),
          calls(seen, groups),
          ready(readyTimes(seen)) {}
    // With ready times of its first operations, as many as are asked about.
    Stream(const StreamTable& seen, const v1::ClockModel& model,
           std::uint32_t clock_number, MatchedCalls matched,
           std::vector<ReadyTime> times)
        : table(seen),
          clock(model),
          clock_id(clock_number),
          calls(std::move(matched)),
          ready(std::move(times)) {}

    const StreamTable& table;
    ClockCursor clock;
    // Equal for streams that read one clock.
    std::uint32_t clock_id = 0;
    MatchedCalls calls;
    std::vector<ReadyTime> ready;
  };

  // `clock_id`: equal for streams that read one clock.
  void add(const OwnArrivals& arrivals, const v1::ClockModel& clock,
           std::uint32_t clock_id);

  // An instant of a stream; absent where nothing is certified.
  static std::optional<CommonInstant> common(const Stream& stream,
                                             Instant instant) {
    return common(stream.clock, stream.clock_id, instant);
  }
  static std::optional<CommonInstant> common(const Stream& stream,
                                             const ReadyTime& ready) {
    return common(stream.clock, stream.clock_id, ready.at, ready.earliest);
  }

  // The span of time in which ranks arrived, common time; 0 when none did.
  std::int64_t firstNs() const { return first_ns_; }
  std::int64_t lastNs() const { return last_ns_; }

 private:
  friend class ArrivalRows;

  const Row* rowAt(std::uint32_t index) const {
    const bool is_known = index != OperationIndex::kNone;
    return is_known && !rows_[index].unusable ? &rows_[index] : nullptr;
  }
  static std::optional<CommonInstant> common(const ClockCursor& clock,
                                             std::uint32_t clock_id,
                                             Instant instant);
  static std::optional<CommonInstant> common(const ClockCursor& clock,
                                             std::uint32_t clock_id, Instant at,
                                             Instant earliest);
  void arrive(Row& row, const Arrival& arrival);

  std::vector<Row> rows_;
  OperationIndex index_;
  bool any_ = false;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace traced
