// FollowedOperation is what the records of one operation have told so far, put
// together by the rules by which readers put its rows together
// (analysis/stream/apply_rows.h).

#pragma once

#include <cstdint>
#include <optional>

#include "base/in_flight.h"
#include "ring_io/chunks/told_operation.h"
#include "ring_io/ring/record.h"

namespace traced {

// What is needed of a call.
struct FollowedCall {
  std::uint32_t id = 0;  // 0: none
  CallFacts facts;
  bool is_followed = false;
  EndShownBy shown = EndShownBy::kUnknown;
  // Its group and manner, for EndShownBy::kReports.
  std::uint64_t reported_key = 0;
  bool has_no_future = false;
};

struct FollowedOperation {
  OpId id = 0;
  FollowedCall call;
  std::uint64_t seq = 0;
  std::int64_t issue_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t wait_end_ns = 0;
  std::int64_t release_ns = 0;
  std::uint64_t own_call_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t stall_ns_plus_1 = 0;
  bool returned = false;
  bool ended = false;
  bool end_is_of_wait = false;
  bool waited = false;
  bool let_go = false;
  bool failed = false;
  bool in_batch = false;
  // Of who adds it up.
  bool counted = false;
  bool times_added = false;

  void apply(const ReturnRecord& record);
  void apply(const DoneRecord& record);
  void apply(const WaitRecord& record);
  void apply(const ReturnAndWaitRecord& record);
  void apply(const ReleaseRecord& record);

  bool isMember() const {
    return in_batch && call.facts.operation != Operation::kCoalesced;
  }
  EndShownBy shownBy() const {
    return isMember() ? EndShownBy::kNothing : call.shown;
  }
  // `calls`: those of its group and manner, if that is known.
  InFlight inFlight(const ReportedCalls* calls, bool may_lack_records) const {
    return traced::inFlight(id,
                            {.returned = returned,
                             .waited = waited,
                             .released = let_go,
                             .is_over = ended || failed,
                             .may_lack_records = may_lack_records},
                            shownBy(), calls);
  }
  // The program is.
  bool isThrough() const { return waited || let_go || failed; }
  // Of one that did not fail.
  std::uint64_t completionNs() const;
  std::uint64_t exposedWaitNs() const;
  // Returns whether the program may have waited for it without a recorded
  // wait, as hasUnseenWait() of analysis/job/unseen_waits.h does.
  bool hasUnseenWait() const;
  // Returns when such a wait ended at the latest, if a record shows it.
  std::optional<std::int64_t> unseenWaitEndNs() const;
  std::int64_t returnNs() const {
    return issue_ns + static_cast<std::int64_t>(own_call_ns);
  }
};

// Time that would run backwards is none.
constexpr std::uint64_t lastedNs(std::int64_t from_ns, std::int64_t to_ns) {
  return to_ns > from_ns ? static_cast<std::uint64_t>(to_ns - from_ns) : 0;
}

}  // namespace traced
