#include "analysis/pictures/rank_waits.h"

#include <algorithm>

namespace traced {

void RankWaits::add(const ReadyTable::Stream& stream, std::size_t operation,
                    const OperationSplit& split, const TimeWindow& span) {
  if (!split.wait_for_peers) return;
  const auto add = [&span](CoveredTime& time, const TimeWindow& window) {
    time.add(cutTo(span, Instant(window.begin_ns), Instant(window.end_ns)));
  };
  const CertifiedTime& wait = *split.wait_for_peers;
  const TimeWindow waiting = waitingWindow(stream, operation, split);
  add(all, waiting);
  const auto [low_ns, high_ns] =
      std::minmax({wait.ns, wait.low_ns, wait.high_ns});
  const Instant ready = stream.ready[operation].at;
  add(uncertain, {windowAt(ready, std::max<std::int64_t>(low_ns, 0)).end_ns,
                  windowAt(ready, std::max<std::int64_t>(high_ns, 0)).end_ns});
  if (!split.awaited || split.awaited->ns == 0) return;
  const auto before = [&waiting](std::uint64_t ns) {
    return windowAt(Instant(waiting.end_ns), -static_cast<std::int64_t>(ns));
  };
  ForOne& one = for_one[split.awaited->rank];
  add(one.likely, before(split.awaited->ns));
  add(one.certain, before(split.awaited->certain_ns));
}

}  // namespace traced
