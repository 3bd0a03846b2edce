#include "analysis/whatif/replay_job.h"

#include <algorithm>
#include <limits>

namespace traced::whatif {

absl::Span<const Event> RankEvents::of(const std::vector<Step>& parts,
                                       std::size_t index) const {
  const std::uint32_t first = parts[index].first_event;
  return absl::Span<const Event>(events).subspan(first,
                                                 endOf(parts, index) - first);
}

std::int64_t ReplayJob::beginNs() const {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  for (const RankEvents& rank : ranks) {
    if (!rank.events.empty()) begin_ns = std::min(begin_ns, rank.begin_ns);
  }
  return events() == 0 ? 0 : begin_ns;
}

std::int64_t ReplayJob::endNs() const {
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
  for (const RankEvents& rank : ranks) {
    if (!rank.events.empty()) end_ns = std::max(end_ns, rank.end_ns);
  }
  return events() == 0 ? 0 : end_ns;
}

double ReplayJob::measuredErrorNs() const {
  float clock_ns = 0;
  for (const RankEvents& rank : ranks) {
    clock_ns = std::max(clock_ns, rank.clock_ns);
  }
  return 2.0 * clock_ns;
}

std::size_t ReplayJob::events() const {
  std::size_t count = 0;
  for (const RankEvents& rank : ranks) count += rank.events.size();
  return count;
}

}  // namespace traced::whatif
