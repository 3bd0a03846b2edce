#include "analysis/whatif/transfer_times.h"

#include <algorithm>
#include <vector>

#include "analysis/job/dependency.h"
#include "analysis/stream/operation_kinds.h"

namespace traced::whatif {
namespace {

using Part = Meeting::Part;

// Tolerance for the time at which a record was written.
constexpr std::int64_t kRecordNs = 1'000;

std::vector<bool> groupsThatBuffer(const ReplayJob& job) {
  std::vector<bool> buffers(job.groups.size() + 1);
  const auto tolerance_ns =
      static_cast<std::int64_t>(job.doubts.clock_ns) + kRecordNs;
  for (const Meeting& send : job.meetings) {
    if (send.part != Part::kSend || !send.has_end) continue;
    const Meeting& message = job.meetings[send.parent];
    if (message.joins < 2) continue;
    if (send.end_ns < message.ready_ns - tolerance_ns) {
      buffers[std::min<std::size_t>(job.kinds[send.kind].group,
                                    job.groups.size())] = true;
    }
  }
  return buffers;
}

void takeEarlier(Meeting& meeting, std::int64_t end_ns, bool late) {
  if (meeting.has_end && meeting.end_ns <= end_ns) return;
  meeting.has_end = true;
  meeting.end_ns = end_ns;
  meeting.late_end = late;
}

// Makes the sends of engines that do not buffer end with their receives.
void joinSends(ReplayJob& job) {
  const std::vector<bool> buffers = groupsThatBuffer(job);
  for (Meeting& send : job.meetings) {
    if (send.part != Part::kSend) continue;
    const std::size_t group =
        std::min<std::size_t>(job.kinds[send.kind].group, job.groups.size());
    Meeting& message = job.meetings[send.parent];
    if (buffers[group] || message.joins < 2) {
      send.part = Part::kIndependent;
    } else if (send.has_end) {
      takeEarlier(message, send.end_ns, send.late_end);
    }
  }
  for (RankEvents& rank : job.ranks) {
    for (Event& event : rank.events) {
      const Meeting& meeting = job.meetings[event.meeting];
      if (event.is_wait && meeting.part == Part::kSend) {
        event.meeting = meeting.parent;
      }
    }
  }
}

// A receiver's part may begin after the root's data arrived.
void joinReceivers(ReplayJob& job) {
  for (const Meeting& receiver : job.meetings) {
    if (receiver.part != Part::kReceiver || !receiver.has_end) continue;
    Meeting& whole = job.meetings[receiver.parent];
    if (whole.joins == 0) continue;
    const std::int64_t ready_ns = std::max(whole.ready_ns, receiver.ready_ns);
    takeEarlier(
        whole,
        whole.ready_ns + std::max<std::int64_t>(receiver.end_ns - ready_ns, 0),
        receiver.late_end);
  }
}

void findLooseEnds(ReplayJob& job) {
  for (Meeting& meeting : job.meetings) {
    const Kind& kind = job.kinds[meeting.kind];
    meeting.is_loose = meeting.part == Part::kWhole
                           ? !isPointToPoint(kind.op) &&
                                 whoHoldsUp(kind.op) != HoldsUp::kAnyRank
                           : meeting.part != Part::kSend;
  }
}

void setTransfer(Meeting& meeting, double ns, double clock_ns) {
  ns = std::max(ns, 0.0);
  meeting.transfer_ns = static_cast<float>(ns);
  const bool may_be_shorter =
      meeting.late_end || meeting.incomplete || meeting.is_loose;
  meeting.low_ns =
      may_be_shorter ? 0.0F : static_cast<float>(std::max(0.0, ns - clock_ns));
  meeting.high_ns = static_cast<float>(ns + clock_ns);
}

}  // namespace

void findTransferTimes(ReplayJob& job) {
  joinSends(job);
  joinReceivers(job);
  findLooseEnds(job);
  for (Meeting& meeting : job.meetings) {
    if (!meeting.has_end) continue;
    setTransfer(meeting,
                static_cast<double>(meeting.end_ns) -
                    static_cast<double>(meeting.ready_ns),
                meeting.joins > 1 ? 2.0 * meeting.clock_ns : 0.0);
  }
  // A receiver needs the same time for its part.
  for (Meeting& receiver : job.meetings) {
    if (receiver.part != Part::kReceiver) continue;
    const Meeting& whole = job.meetings[receiver.parent];
    if (whole.joins == 0) {
      receiver.low_ns = 0;
      continue;
    }
    receiver.transfer_ns = whole.transfer_ns;
    receiver.low_ns = whole.low_ns;
    receiver.high_ns = whole.high_ns;
  }
}

}  // namespace traced::whatif
