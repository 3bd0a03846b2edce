#include "cli/diagnose/rank_processes.h"

#include "absl/strings/str_format.h"

namespace traced {
namespace {

const char* verbOf(const Activity& activity) {
  if (activity.stopped) return "is stopped by a signal";
  if (activity.on_disk) return "waits for a disk";
  return activity.busy() ? "computes" : "sleeps";
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

std::string RankProcesses::sentence(std::uint32_t rank) const {
  const auto found = seen_.find(rank);
  if (found == seen_.end()) return "";
  const auto& [pid, look] = found->second;
  if (look.hidden) {
    return absl::StrFormat(
        "What the process of rank %d does cannot be seen from here: it is in "
        "another container, or another user's.",
        rank);
  }
  if (!look.activity) return "";
  return absl::StrFormat(
      "The process of rank %d (%d) %s: %.2f s of processor time in %.2f s.",
      rank, pid, verbOf(*look.activity), look.activity->cpu_s,
      look.activity->span_s);
}

}  // namespace traced
