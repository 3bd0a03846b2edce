// Who was ready last for each collective of a run.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "analysis/clock_models.h"
#include "analysis/clocks/evidence_table.h"
#include "analysis/clocks/matched_calls.h"
#include "analysis/stream_table.h"
#include "analysis/time_split/ready_times.h"

namespace traced {

// An instant on the common time line, with the interval that its clock is
// certainly in there; between instants of one clock that is no doubt. By
// `early_ns` it may have been earlier, on its own clock.
struct CommonInstant {
  std::int64_t ns = 0;
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

CertifiedTime timeBetween(const CommonInstant& from, const CommonInstant& to);

// Memory: a row per collective.
class ArrivalTable {
 public:
  struct Arrival {
    CommonInstant ready;
    std::uint32_t rank = 0;
  };
  struct Row {
    std::uint64_t signature = 0;
    // Of the ranks that others depend on.
    Arrival last, before_last;
    std::uint32_t arrived = 0;
    // Of all ranks with a part in it: those that were ready last, and how many
    // are known.
    CertifiedNs latest, before_latest;
    std::uint32_t present = 0;
    bool unusable = false;
  };

  // A stream as the table sees it.
  struct Stream {
    const StreamTable& table;
    const v1::ClockModel& clock;
    // Equal for streams that read one clock.
    std::uint32_t clock_id = 0;
    MatchedCalls calls;
    std::vector<ReadyTime> ready;
  };

  void add(const Stream& stream);

  // The row of an operation, if all whose starts matter have arrived and all
  // called the same; nullptr otherwise.
  const Row* complete(const AssembledOperation& op,
                      const MatchedCall& call) const;

  // Until when at the latest somebody with a part in an operation that ended at
  // `end` was ready before it did.
  std::int64_t lastBeforeNs(const AssembledOperation& op,
                            const MatchedCall& call, CertifiedNs end) const;

  // An instant of a stream; absent where nothing is certified.
  static std::optional<CommonInstant> common(const Stream& stream,
                                             Instant instant);
  static std::optional<CommonInstant> common(const Stream& stream,
                                             const ReadyTime& ready);

  // The span of time in which ranks arrived, common time; 0 when none did.
  std::int64_t firstNs() const { return first_ns_; }
  std::int64_t lastNs() const { return last_ns_; }

 private:
  const Row* find(const AssembledOperation& op, const MatchedCall& call) const;
  void arrive(Row& row, const Arrival& arrival);

  std::vector<Row> rows_;
  absl::flat_hash_map<OperationKey, std::uint32_t> index_;
  bool any_ = false;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace traced
