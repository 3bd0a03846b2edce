// FollowedOperation is what the records of one operation have told so far, put
// together by the rules by which readers put its rows together
// (analysis/stream/apply_rows.h).

#pragma once

#include <cstdint>

#include "recorder/chunks/told_operation.h"
#include "recorder/ring/record.h"

namespace traced {

// What is needed of a call.
struct FollowedCall {
  std::uint32_t id = 0;  // 0: none
  CallFacts facts;
  bool is_followed = false;
};

struct FollowedOperation {
  OpId id = 0;
  FollowedCall call;
  std::uint64_t seq = 0;
  std::int64_t issue_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t wait_end_ns = 0;
  std::uint64_t own_call_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t stall_ns_plus_1 = 0;
  bool returned = false;
  bool ended = false;
  bool end_is_of_wait = false;
  bool waited = false;
  bool let_go = false;
  bool failed = false;
  // Of who adds it up.
  bool in_flight = true;
  bool counted = false;
  bool times_added = false;

  void apply(const ReturnRecord& record);
  void apply(const DoneRecord& record);
  void apply(const WaitRecord& record);
  void apply(const ReturnAndWaitRecord& record);
  void apply(const ReleaseRecord&) { let_go = true; }

  // The program is.
  bool isThrough() const { return waited || let_go || failed; }
  // Of one that did not fail.
  std::uint64_t completionNs() const;
  std::uint64_t exposedWaitNs() const;
};

// Time that would run backwards is none.
constexpr std::uint64_t lastedNs(std::int64_t from_ns, std::int64_t to_ns) {
  return to_ns > from_ns ? static_cast<std::uint64_t>(to_ns - from_ns) : 0;
}

}  // namespace traced
