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

namespace traced {

// An instant on the common time line, with the interval it is certainly in.
// Between instants of one clock there is no doubt.
struct CommonInstant {
  std::int64_t ns = 0;
  CertifiedNs certified;
  std::uint32_t clock = 0;
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
    bool unusable = false;
  };

  // A stream as the table sees it.
  struct Stream {
    const StreamTable& table;
    const v1::ClockModel& clock;
    // Equal for streams that read one clock.
    std::uint32_t clock_id = 0;
    MatchedCalls calls;
    std::vector<Instant> ready;
  };

  void add(const Stream& stream);

  // The row of an operation, if all whose starts matter have arrived and all
  // called the same; nullptr otherwise.
  const Row* complete(const AssembledOperation& op,
                      const MatchedCall& call) const;

  // An instant of a stream; absent where nothing is certified.
  static std::optional<CommonInstant> common(const Stream& stream,
                                             Instant instant);

  // The span of time in which ranks arrived, common time; 0 when none did.
  std::int64_t firstNs() const { return first_ns_; }
  std::int64_t lastNs() const { return last_ns_; }

 private:
  void arrive(Row& row, const Arrival& arrival);

  std::vector<Row> rows_;
  absl::flat_hash_map<OperationKey, std::uint32_t> index_;
  bool any_ = false;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace traced
