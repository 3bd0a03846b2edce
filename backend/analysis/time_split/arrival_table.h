// Who was ready last for each collective of a run.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/job/matched_calls.h"
#include "analysis/job/operation_index.h"
#include "analysis/job/ready_times.h"
#include "analysis/stream/clock_cursor.h"
#include "analysis/stream/stream_table.h"
#include "analysis/time_split/arrival_row.h"
#include "analysis/time_split/own_arrivals.h"

namespace traced {

// Memory: a row per collective.
class ArrivalTable {
 public:
  // `threads`: how many add a stream together.
  explicit ArrivalTable(std::size_t threads = 1)
      : shard_bits_(std::bit_width(threads) - 1),
        shards_(std::bit_floor(threads)) {}

  using Row = ArrivalRow;

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
  std::int64_t firstNs() const {
    return arrived_.any() ? arrived_.first_ns : 0;
  }
  std::int64_t lastNs() const { return arrived_.any() ? arrived_.last_ns : 0; }

 private:
  friend class ArrivalRows;

  static std::optional<CommonInstant> common(const ClockCursor& clock,
                                             std::uint32_t clock_id,
                                             Instant instant);
  static std::optional<CommonInstant> common(const ClockCursor& clock,
                                             std::uint32_t clock_id, Instant at,
                                             Instant earliest);

  // Operations of which numbers are in the same block are in the same shard:
  // blocks are dealt out in turn. A shard numbers its own without gaps.
  struct Shard {
    // Pages of rows: they stay where they are.
    static constexpr std::size_t kRows = 256;
    std::vector<std::unique_ptr<Row[]>> pages;
    std::uint32_t count = 0;
    OperationIndex index;

    Row& row(std::uint32_t number) {
      return pages[number / kRows][number % kRows];
    }
    const Row& row(std::uint32_t number) const {
      return pages[number / kRows][number % kRows];
    }
    Row& append();
  };
  static constexpr int kBlockBits = 10;
  std::size_t shardOf(std::uint64_t seq) const {
    return (seq >> kBlockBits) & (shards_.size() - 1);
  }
  std::uint64_t inShard(std::uint64_t seq) const {
    const std::uint64_t block = seq >> (kBlockBits + shard_bits_);
    return block << kBlockBits | (seq & ((1u << kBlockBits) - 1));
  }

  struct Span {
    std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();

    bool any() const { return first_ns <= last_ns; }
    void add(const Span& other);
  };
  // What goes to one shard, or to any.
  Span add(std::optional<std::size_t> only, const OwnArrivals& arrivals,
           const v1::ClockModel& clock, std::uint32_t clock_id);

  int shard_bits_;
  std::vector<Shard> shards_;
  Span arrived_;
};

}  // namespace traced
