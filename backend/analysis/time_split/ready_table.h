// Collects when each rank was ready for each collective of a run, and which
// rank was last.

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

// OwnReadyTimes keeps the ready times of one stream on its own clock until that
// clock is aligned.
//
// Memory: 32 bytes per operation.
class OwnReadyTimes {
 public:
  // Copies what it needs from `table`. `groups`: catalog index of each of the
  // stream's groups.
  OwnReadyTimes(const StreamTable& table,
                absl::Span<const std::uint32_t> groups);
  // Takes ready times for the first `ready.size()` operations of the stream.
  OwnReadyTimes(const StreamTable& table, const MatchedCalls& calls,
                absl::Span<const ReadyTime> ready);

  // An operation with a MatchedCall, and when the rank was ready for it.
  struct Part {
    std::uint64_t seq = 0;
    Instant at;
    Instant earliest;
    std::uint32_t call = 0;
    bool failed = false;
  };
  const std::vector<Part>& parts() const { return parts_; }
  // Indexed by Part::call.
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

// ReadyTable finds the last ready rank of each collective of a run.
//
// Memory: a row per collective.
class ReadyTable {
 public:
  // `threads`: how many threads add a stream together.
  explicit ReadyTable(std::size_t threads = 1)
      : shard_bits_(std::bit_width(threads) - 1),
        shards_(std::bit_floor(threads)) {}

  using Row = ReadyRow;

  // A stream, prepared for the table. The stream and its clock model must
  // outlive it. Not thread safe, because ClockCursor caches.
  struct Stream {
    // Computes all ready times. `clock_number` becomes `clock_id`. `groups`:
    // catalog index of each of the stream's groups.
    Stream(const StreamTable& seen, const v1::ClockModel& model,
           std::uint32_t clock_number, absl::Span<const std::uint32_t> groups)
        : table(seen),
          clock(model),
          clock_id(clock_number),
          calls(seen, groups),
          ready(readyTimes(seen)) {}
    // Takes ready times computed before, for the first `times.size()`
    // operations. Do not split later operations.
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

  // Adds one stream. `clock_id` is equal for streams that read one clock. Not
  // thread safe.
  void add(const OwnReadyTimes& ready_times, const v1::ClockModel& clock,
           std::uint32_t clock_id);

  // Convert an instant of a stream, or a ready time, to common time. Return
  // nullopt if it is unknown, if the clock has no certified interval there, or
  // if it is so large (in a damaged file) that differences could overflow.
  static std::optional<CommonInstant> common(const Stream& stream,
                                             Instant instant) {
    return common(stream.clock, stream.clock_id, instant);
  }
  static std::optional<CommonInstant> common(const Stream& stream,
                                             const ReadyTime& ready) {
    return common(stream.clock, stream.clock_id, ready.at, ready.earliest);
  }

  // First and last ready time in common time; 0 if none is known.
  std::int64_t firstNs() const { return span_.any() ? span_.first_ns : 0; }
  std::int64_t lastNs() const { return span_.any() ? span_.last_ns : 0; }

 private:
  friend class ReadyRows;

  // Same for an instant on `clock`.
  static std::optional<CommonInstant> common(const ClockCursor& clock,
                                             std::uint32_t clock_id,
                                             Instant instant);
  // Same for a ready time. Also returns nullopt unless `earliest` is known and
  // at most `at`.
  static std::optional<CommonInstant> common(const ClockCursor& clock,
                                             std::uint32_t clock_id, Instant at,
                                             Instant earliest);

  // Distributes operations over shards by blocks of sequence numbers, in turn.
  // The numbers within a shard have no gaps.
  struct Shard {
    // Rows are stored in pages, so their addresses are stable.
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
  // Adds to one shard only, or to all. Returns the span of the ready times
  // added.
  Span add(std::optional<std::size_t> only, const OwnReadyTimes& ready_times,
           const v1::ClockModel& clock, std::uint32_t clock_id);

  int shard_bits_;
  std::vector<Shard> shards_;
  Span span_;
};

// ReadyRows looks up the rows of a ReadyTable for one stream. It caches the
// index of each call.
//
// Not thread safe. Threads may share the table, but each needs its own
// ReadyRows and its own Stream.
class ReadyRows {
 public:
  // Construct after all streams were added. Both arguments must outlive it.
  ReadyRows(const ReadyTable& ready_times, const ReadyTable::Stream& stream);

  const ReadyTable::Stream& stream() const { return stream_; }

  // Returns the row of an operation. Returns nullptr if no rank added the
  // operation, if it failed on a rank, or if ranks called different things. The
  // operation must have a MatchedCall.
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
  // Per call of the stream and shard.
  std::vector<const OperationIndex::Numbers*> of_call_;
};

}  // namespace traced
