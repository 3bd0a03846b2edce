#include "cli/diagnose/rank_processes.h"

namespace traced {
namespace {

ProcessNow::Doing doingOf(const Activity& activity) {
  using Doing = ProcessNow::Doing;
  if (activity.stopped) return Doing::kStopped;
  if (activity.on_disk) return Doing::kOnDisk;
  return activity.busy() ? Doing::kComputes : Doing::kSleeps;
}

}  // namespace

void RankProcesses::look(const std::vector<RingReading>& rings) {
  seen_.clear();
  for (const RingReading& ring : rings) {
    if (!ring.alive) continue;
    seen_[ring.rank] = {ring.pid, processes_.look(ring.pid, ring.path)};
  }
}

bool RankProcesses::mayJoin(std::uint32_t rank) const {
  const auto found = seen_.find(rank);
  if (found == seen_.end() || found->second.look.hidden) return false;
  const auto& activity = found->second.look.activity;
  return !activity || activity->busy();
}

std::optional<ProcessNow> RankProcesses::now(std::uint32_t rank) const {
  const auto found = seen_.find(rank);
  if (found == seen_.end()) return std::nullopt;
  const auto& [pid, look] = found->second;
  if (look.hidden) return ProcessNow{rank};
  if (!look.activity) return std::nullopt;
  return ProcessNow{rank, doingOf(*look.activity), pid, look.activity->cpu_s,
                    look.activity->span_s};
}

}  // namespace traced
