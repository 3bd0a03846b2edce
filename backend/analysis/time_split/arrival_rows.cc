#include "analysis/time_split/arrival_rows.h"

namespace traced {

ArrivalRows::ArrivalRows(const ArrivalTable& arrivals,
                         const ArrivalTable::Stream& stream)
    : arrivals_(arrivals), stream_(stream) {
  of_call_.reserve(stream.calls.all().size());
  for (const MatchedCall& call : stream.calls.all()) {
    of_call_.push_back(call.usable ? arrivals.index_.knownNumbersOf(call.key)
                                   : nullptr);
  }
}

}  // namespace traced
