#include "analysis/job/unseen_waits.h"

#include <algorithm>

#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

using Window = UnseenWaits::Window;

bool endsOnlyInWait(const AssembledOperation& op, const StreamTable& table) {
  const v1::Call* call = table.callOf(op);
  return call && endsOnlyInWait(table.engineOf(*call), call->op());
}

}  // namespace

bool hasUnseenWait(const AssembledOperation& op, const StreamTable& table,
                   const Batches& batches) {
  if (batches.hasMember(op)) return false;
  const v1::Call* call = table.callOf(op);
  return mayHaveUnseenWait(op, call ? *call : v1::Call::default_instance());
}

bool mayHaveUnseenWait(const AssembledOperation& op, const v1::Call& call) {
  return op.mayHaveUnseenWait() && call.graph_plus_1() == 0;
}

// What ends only in a wait has no future: its Work is all there is to wait
// for.
Instant unseenWaitEnd(const AssembledOperation& op, const StreamTable& table) {
  return op.unseenWaitEnd(endsOnlyInWait(op, table));
}

UnseenWaits::UnseenWaits(const StreamTable& table) {
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = table.callOf(op);
    if (call && call->simulated()) continue;
    addSeen(op.issued, op.returned);
    addSeen(op.wait_began, op.wait_ended);
  }
  unite(seen_);
}

// A call and its wait often touch.
void UnseenWaits::addSeen(Instant begin, Instant end) {
  if (between(begin, end).value_or(0) == 0) return;
  if (!seen_.empty() && seen_.back().end_ns == begin.ns()) {
    seen_.back().end_ns = end.ns();
  } else {
    seen_.push_back({begin.ns(), end.ns()});
  }
}

Window UnseenWaits::windowOf(const AssembledOperation& op,
                             const StreamTable& table) {
  const Instant begin = op.returned.known() ? op.returned : op.issued;
  Instant end = unseenWaitEnd(op, table);
  if (!between(begin, end)) end = table.last;
  if (!between(begin, end)) return {};
  return {begin.ns(), end.ns()};
}

std::uint64_t UnseenWaits::atMostNs(std::vector<Window>& windows) const {
  unite(windows);
  std::uint64_t sum = 0;
  auto seen = seen_.begin();
  for (const Window& window : windows) {
    std::int64_t from_ns = window.begin_ns;
    while (seen != seen_.end() && seen->end_ns <= from_ns) ++seen;
    for (; seen != seen_.end() && seen->begin_ns < window.end_ns; ++seen) {
      if (seen->begin_ns > from_ns) sum += lengthOf({from_ns, seen->begin_ns});
      from_ns = std::max(from_ns, seen->end_ns);
      if (seen->end_ns >= window.end_ns) break;
    }
    if (from_ns < window.end_ns) sum += lengthOf({from_ns, window.end_ns});
  }
  return sum;
}

}  // namespace traced
