#include "recorder/metrics/followed_operation.h"

#include <utility>

namespace traced {

void FollowedOperation::apply(const ReturnRecord& record) {
  if (returned) return;
  returned = true;
  own_call_ns = lastedNs(issue_ns, record.return_ns);
  failed |= record.outcome == Outcome::kThrew;
}

// No source tells an end too early: of several the earliest is the best.
void FollowedOperation::apply(const DoneRecord& record) {
  const bool is_first = !ended || end_is_of_wait;
  if (!is_first && record.end_ns >= end_ns) return;
  if (is_first) failed |= record.outcome == Outcome::kThrew;
  ended = true;
  end_is_of_wait = record.source == EndSource::kWait;
  end_ns = record.end_ns;
}

// A second one is about the same wait; it may have found out the stall.
void FollowedOperation::apply(const WaitRecord& record) {
  if (stall_ns_plus_1 == 0) stall_ns_plus_1 = record.stall_ns_plus_1;
  if (waited) return;
  waited = true;
  wait_ns = record.wait_ns;
  wait_end_ns = record.begin_ns + static_cast<std::int64_t>(record.wait_ns);
  failed |= record.outcome != Outcome::kOk;
  if (!record.saw_end || record.outcome == Outcome::kThrew || ended) return;
  ended = end_is_of_wait = true;
  end_ns = wait_end_ns;
}

void FollowedOperation::apply(const ReturnAndWaitRecord& record) {
  apply(record.returned());
  apply(record.waited());
}

void FollowedOperation::apply(const ReleaseRecord& record) {
  if (!std::exchange(let_go, true)) release_ns = record.release_ns;
}

std::uint64_t FollowedOperation::completionNs() const {
  return ended ? lastedNs(issue_ns, end_ns) : 0;
}

bool FollowedOperation::hasUnseenWait() const {
  if (waited || shownBy() == EndShownBy::kNothing) return false;
  if (!ended) return !failed;
  return !returned || end_ns > returnNs();
}

// Without a future, the program can only wait for the Work.
std::optional<std::int64_t> FollowedOperation::unseenWaitEndNs() const {
  if (ended) return end_ns;
  if (let_go && call.has_no_future) return release_ns;
  return std::nullopt;
}

std::uint64_t FollowedOperation::exposedWaitNs() const {
  if (stall_ns_plus_1 > 0) return stall_ns_plus_1 - 1;
  return waited ? wait_ns : 0;
}

}  // namespace traced
