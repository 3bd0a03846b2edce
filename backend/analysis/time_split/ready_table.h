// When each rank arrived at each collective of a run, and who was ready last.

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
#include "analysis/time_split/ready_row.h"

namespace traced {

// OwnReadyTimes is what one stream tells an ReadyTable, on its own clock: what
// is kept of it until that is aligned.
//
// Memory: 32 bytes per operation.
class OwnReadyTimes {
 public:
  // `groups`: of the stream's groups, their indices in the job's catalog.
  OwnReadyTimes(const StreamTable& table,
                absl::Span<const std::uint32_t> groups);
  // Of the first operations of the stream, as many as `ready` has.
  OwnReadyTimes(const StreamTable& table, const MatchedCalls& calls,
                absl::Span<const ReadyTime> ready);

  // An operation that has a MatchedCall, and when the rank was ready for it.
  struct Part {
    std::uint64_t seq = 0;
    Instant at;
    Instant earliest;
    std::uint32_t call = 0;
    bool failed = false;
  };
  const std::vector<Part>& parts() const { return parts_; }
  // By the calls of the parts.
  const std::vector<MatchedCall>& calls() const { return calls_.all(); }
  std::uint32_t rank() const { return rank_; }
  std::size_t bytes() const {
    return sizeof(*this) + parts_.size() * sizeof(Part) +
           calls().size() * sizeof(MatchedCall);
  }

 private:
  std::uint32_t rank_;
  MatchedCalls calls_;
  std::vector<Part> parts_;
};

// Who was ready last for each collective of a run.
//
// Memory: a row per collective.
class ReadyTable {
 public:
  // `threads`: how many add a stream together.
  explicit ReadyTable(std::size_t threads = 1)
      : shard_bits_(std::bit_width(threads) - 1),
        shards_(std::bit_floor(threads)) {}

  using Row = ReadyRow;

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
  void add(const OwnReadyTimes& ready_times, const v1::ClockModel& clock,
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
  friend class ReadyRows;

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
  Span add(std::optional<std::size_t> only, const OwnReadyTimes& ready_times,
           const v1::ClockModel& clock, std::uint32_t clock_id);

  int shard_bits_;
  std::vector<Shard> shards_;
  Span arrived_;
};

// ReadyRows are the rows of an ReadyTable as one stream asks for them:
// where those of a call are is looked up once.
//
// Several threads may ask, each for streams of its own.
class ReadyRows {
 public:
  // When all that is asked for has arrived. Both must outlive it.
  ReadyRows(const ReadyTable& ready_times, const ReadyTable::Stream& stream);

  const ReadyTable::Stream& stream() const { return stream_; }

  // The row of an operation of the stream, if all ranks called the same;
  // nullptr otherwise. Only of one that has a MatchedCall.
  const ReadyTable::Row* find(const AssembledOperation& op) const {
    const std::size_t shard = ready_times_.shardOf(op.seq);
    const std::uint32_t index = OperationIndex::find(
        of_call_[op.call * ready_times_.shards_.size() + shard],
        ready_times_.inShard(op.seq));
    if (index == OperationIndex::kNone) return nullptr;
    const ReadyTable::Row& row = ready_times_.shards_[shard].row(index);
    return row.unusable ? nullptr : &row;
  }

 private:
  const ReadyTable& ready_times_;
  const ReadyTable::Stream& stream_;
  // Per call of the stream, and shard.
  std::vector<const OperationIndex::Numbers*> of_call_;
};

}  // namespace traced
