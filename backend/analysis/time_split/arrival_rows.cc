#include "analysis/time_split/arrival_rows.h"

namespace traced {

ArrivalRows::ArrivalRows(const ArrivalTable& arrivals,
                         const ArrivalTable::Stream& stream)
    : arrivals_(arrivals), stream_(stream) {
  of_call_.reserve(arrivals.shards_.size() * stream.calls.all().size());
  for (const MatchedCall& call : stream.calls.all()) {
    for (const ArrivalTable::Shard& shard : arrivals.shards_) {
      of_call_.push_back(call.usable ? shard.index.knownNumbersOf(call.key)
                                     : nullptr);
    }
  }
}

}  // namespace traced
