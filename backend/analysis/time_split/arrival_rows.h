// ArrivalRows are the rows of an ArrivalTable as one stream asks for them:
// where those of a call are is looked up once.

#pragma once

#include <vector>

#include "analysis/time_split/arrival_table.h"

namespace traced {

// Several threads may ask, each for streams of its own.
class ArrivalRows {
 public:
  // When all that is asked for has arrived. Both must outlive it.
  ArrivalRows(const ArrivalTable& arrivals, const ArrivalTable::Stream& stream);

  const ArrivalTable::Stream& stream() const { return stream_; }

  // The row of an operation of the stream, if all ranks called the same;
  // nullptr otherwise. Only of one that has a MatchedCall.
  const ArrivalTable::Row* find(const AssembledOperation& op) const {
    const std::size_t shard = arrivals_.shardOf(op.seq);
    const std::uint32_t index = OperationIndex::find(
        of_call_[op.call * arrivals_.shards_.size() + shard],
        arrivals_.inShard(op.seq));
    if (index == OperationIndex::kNone) return nullptr;
    const ArrivalTable::Row& row = arrivals_.shards_[shard].row(index);
    return row.unusable ? nullptr : &row;
  }

 private:
  const ArrivalTable& arrivals_;
  const ArrivalTable::Stream& stream_;
  // Per call of the stream, and shard.
  std::vector<const OperationIndex::Numbers*> of_call_;
};

}  // namespace traced
