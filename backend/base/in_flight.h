// Decides what proves that an operation is no longer in flight.
// OperationProgress::inFlight() applies the rule.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/engine_traits.h"
#include "base/operation.h"
#include "base/reported_ends.h"

namespace traced {

enum class InFlight : std::uint8_t { kNo, kYes, kUnknown };

// The record that shows the end of a call that returned.
enum class EndShownBy : std::uint8_t {
  // The definition of the call is missing.
  kUnknown,
  // The call has no end of its own: a member of a batch, a call in a graph, or
  // a simulated one.
  kNothing,
  // A host future reports the end.
  kFuture,
  // Only the caller's wait shows the end.
  kWait,
  // The device or the engine may report the end: see ReportedEnds.
  kReports,
};

// Returns which record shows the end of `call`. `Call` is v1::Call.
// `in_batch`: its issue row names a batch. The batch's own call names one too.
template <typename Call>
EndShownBy endShownBy(const Call& call, const EngineTraits& engine,
                      bool in_batch) {
  const auto op = static_cast<Operation>(call.op());
  const bool is_member = in_batch && op != Operation::kCoalesced;
  if (is_member || call.simulated() || call.graph_plus_1() > 0) {
    return EndShownBy::kNothing;
  }
  if (!engine.on_host) return EndShownBy::kReports;
  return call.async() && !endsOnlyInWait(engine, op) ? EndShownBy::kFuture
                                                     : EndShownBy::kWait;
}

// ReportedCalls tracks the calls of one group and mode whose ends may be
// reported. A group executes its calls in order, so a reported end proves that
// all earlier calls have ended. Ids are issue ids. Not thread safe.
class ReportedCalls {
 public:
  // Maximum number of returned calls that wait for a report. Further calls are
  // not tracked.
  static constexpr std::size_t kMaxPending = 1024;

  explicit ReportedCalls(CallMode mode) : mode_(mode) {}

  // Tracks a call that returned, until its end is reported.
  void returned(std::uint64_t id) {
    if (pending_.size() >= kMaxPending) return;
    pending_.insert(std::upper_bound(pending_.begin(), pending_.end(), id), id);
  }
  // Records a reported end. Calls onHole(id) for each earlier call that
  // therefore ended without a report. `by_itself`: the end was reported
  // although the caller had not waited.
  template <typename OnHole>
  void ended(std::uint64_t id, bool by_itself, OnHole&& onHole) {
    while (!pending_.empty() && pending_.front() < id) {
      const std::uint64_t hole = pending_.front();
      pending_.pop_front();
      ends_.hole();
      onHole(hole);
    }
    if (!pending_.empty() && pending_.front() == id) pending_.pop_front();
    ended_before_ = std::max(ended_before_, id);
    ends_.ended(by_itself);
  }
  // Stops expecting a report for `id`.
  void forget(std::uint64_t id) {
    const auto found = std::lower_bound(pending_.begin(), pending_.end(), id);
    if (found != pending_.end() && *found == id) pending_.erase(found);
  }
  // Stops tracking `id` while its end is unknown.
  void leaveUnknown(std::uint64_t id) {
    forget(id);
    unknown_before_ = std::max(unknown_before_, id + 1);
  }
  // Returns whether an untracked call may still be in flight.
  bool hasUnknown() const { return unknown_before_ > ended_before_; }
  // Returns whether a report is expected for each call that returns, even
  // without a wait.
  bool reportsAll() const { return ends_.reliable(mode_) && ends_.unasked; }
  bool isFull() const { return pending_.size() >= kMaxPending; }

  // Returns the state of a call that returned and has no reported end.
  // `waited`: its caller has waited for it.
  InFlight stateOf(std::uint64_t id, bool waited) const {
    if (id < ended_before_) return InFlight::kNo;
    const bool is_shown = ends_.reliable(mode_) && (ends_.unasked || waited);
    return is_shown ? InFlight::kYes : InFlight::kUnknown;
  }

 private:
  CallMode mode_;
  ReportedEnds ends_;
  std::deque<std::uint64_t> pending_;
  std::uint64_t ended_before_ = 0;
  std::uint64_t unknown_before_ = 0;
};

}  // namespace traced
