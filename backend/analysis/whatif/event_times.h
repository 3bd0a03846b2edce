// The recorded times of a rank's events.

#pragma once

#include <algorithm>
#include <cstddef>

#include "analysis/whatif/replay_job.h"

namespace traced::whatif {

// In common time, in ns.
struct EventTime {
  // The end of the event before.
  double after_ns = 0;
  // After the gap: when the rank joined, or began to wait.
  double at_ns = 0;
  double end_ns = 0;
};

// Returns when a meeting ended, as far as the model explains it.
inline double explainedEndNs(const Meeting& meeting) {
  return static_cast<double>(meeting.ready_ns) + meeting.transfer_ns;
}

// Calls visit(index, event, time) for each event of a rank, in order.
template <typename Visit>
void visitTimes(const ReplayJob& job, const RankEvents& rank, Visit&& visit) {
  double now_ns = static_cast<double>(rank.begin_ns);
  for (std::size_t i = 0; i < rank.events.size(); ++i) {
    const Event& event = rank.events[i];
    EventTime time{now_ns, now_ns + event.gap_ns, 0};
    time.end_ns = time.at_ns;
    if (event.is_wait && !event.is_unseen) {
      const double ended_ns = explainedEndNs(job.meetings[event.meeting]);
      time.end_ns = std::max(time.at_ns, ended_ns) + event.lag_ns;
    }
    visit(i, event, time);
    now_ns = time.end_ns;
  }
}

}  // namespace traced::whatif
