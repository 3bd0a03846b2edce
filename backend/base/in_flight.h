// What shows that an operation is no longer in flight. The rule that uses it is
// OperationProgress::inFlight().

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

// Which record shows the end of a call that returned.
enum class EndShownBy : std::uint8_t {
  // Its call is not known.
  kUnknown,
  // It has no end of its own: a member of a batch, or a call in a graph.
  kNothing,
  // A future of the host reports it.
  kFuture,
  // The caller's wait, and nothing else.
  kWait,
  // The device or the engine may report it: see ReportedEnds.
  kReports,
};

// `Call`: v1::Call.
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

// The calls of one group and manner whose ends may be reported. The group keeps
// its order: a reported end proves that the calls before it have ended.
class ReportedCalls {
 public:
  // Bounds the calls that returned and wait for a report.
  static constexpr std::size_t kMaxPending = 1024;

  explicit ReportedCalls(CallMode manner) : manner_(manner) {}

  void returned(std::uint64_t id) {
    if (pending_.size() >= kMaxPending) return;
    pending_.insert(std::upper_bound(pending_.begin(), pending_.end(), id), id);
  }
  // Calls onHole(id) for each call that ended without a report before it.
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
  // No report is expected any longer.
  void forget(std::uint64_t id) {
    const auto found = std::lower_bound(pending_.begin(), pending_.end(), id);
    if (found != pending_.end() && *found == id) pending_.erase(found);
  }
  // Nobody follows it any longer, and its end is not known.
  void leaveUnknown(std::uint64_t id) {
    forget(id);
    unknown_before_ = std::max(unknown_before_, id + 1);
  }
  bool hasUnknown() const { return unknown_before_ > ended_before_; }
  // Whether a report is expected of each call that returns.
  bool reportsAll() const { return ends_.reliable(manner_) && ends_.unasked; }
  bool isFull() const { return pending_.size() >= kMaxPending; }

  // Of one that returned and has no reported end.
  InFlight stateOf(std::uint64_t id, bool waited) const {
    if (id < ended_before_) return InFlight::kNo;
    const bool is_shown = ends_.reliable(manner_) && (ends_.unasked || waited);
    return is_shown ? InFlight::kYes : InFlight::kUnknown;
  }

 private:
  CallMode manner_;
  ReportedEnds ends_;
  std::deque<std::uint64_t> pending_;
  std::uint64_t ended_before_ = 0;
  std::uint64_t unknown_before_ = 0;
};

}  // namespace traced
