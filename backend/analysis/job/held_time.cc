#include "analysis/job/held_time.h"

#include <algorithm>
#include <iterator>

#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

bool anyOverlap(const std::vector<TimeWindow>& sorted) {
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].begin_ns < sorted[i - 1].end_ns) return true;
  }
  return false;
}

}  // namespace

HeldTime::HeldTime(const StreamTable& table) : span_(operationSpan(table)) {
  std::vector<TimeWindow> windows;
  const auto add = [&](Instant begin, Instant end) {
    const TimeWindow window = cutTo(span_, begin, end);
    if (window.begin_ns >= window.end_ns) return;
    // A call and its wait are often adjacent.
    if (!windows.empty() && windows.back().end_ns == window.begin_ns) {
      windows.back().end_ns = window.end_ns;
    } else {
      windows.push_back(window);
    }
  };
  for (const AssembledOperation& op : table.operations) {
    if (table.isSimulated(op)) continue;
    add(op.issued, op.returned);
    add(op.blockedFrom(), op.blockedUntil());
  }
  std::sort(windows.begin(), windows.end(),
            [](const TimeWindow& a, const TimeWindow& b) {
              return a.begin_ns < b.begin_ns;
            });
  if (!anyOverlap(windows)) return;
  std::vector<std::int64_t> ends;
  ends.reserve(windows.size());
  for (const TimeWindow& window : windows) ends.push_back(window.end_ns);
  std::sort(ends.begin(), ends.end());
  auto begin = windows.begin();
  auto end = ends.begin();
  std::uint32_t threads = 0;
  while (end != ends.end()) {
    const bool begins = begin != windows.end() && begin->begin_ns < *end;
    const std::int64_t ns = begins ? begin->begin_ns : *end;
    threads += begins ? 1 : -1;
    if (begins) {
      ++begin;
    } else {
      ++end;
    }
    if (!changes_.empty() && changes_.back().ns == ns) changes_.pop_back();
    changes_.push_back({ns, threads, 0});
  }
  double divided_ns = 0;
  for (std::size_t i = 0; i + 1 < changes_.size(); ++i) {
    changes_[i].divided_ns = divided_ns;
    if (changes_[i].threads == 0) continue;
    divided_ns +=
        static_cast<double>(lengthOf({changes_[i].ns, changes_[i + 1].ns})) /
        changes_[i].threads;
  }
  changes_.back().divided_ns = divided_ns;
}

std::uint64_t HeldTime::of(const AssembledOperation& op) const {
  return shareOf(op.issued, op.returned) +
         shareOf(op.blockedFrom(), op.blockedUntil());
}

std::uint64_t HeldTime::shareOf(Instant begin, Instant end) const {
  const TimeWindow window = cutTo(span_, begin, end);
  if (window.begin_ns >= window.end_ns) return 0;
  if (changes_.empty()) return lengthOf(window);
  return static_cast<std::uint64_t>(dividedUntil(window.end_ns) -
                                    dividedUntil(window.begin_ns));
}

double HeldTime::dividedUntil(std::int64_t ns) const {
  const auto after = std::upper_bound(
      changes_.begin(), changes_.end(), ns,
      [](std::int64_t at, const Change& change) { return at < change.ns; });
  if (after == changes_.begin()) return 0;
  const Change& change = *std::prev(after);
  if (change.threads == 0) return change.divided_ns;
  return change.divided_ns +
         static_cast<double>(lengthOf({change.ns, ns})) / change.threads;
}

namespace {

using Window = UnseenWaits::Window;

const v1::Call& callOf(const AssembledOperation& op, const StreamTable& table) {
  const v1::Call* call = table.callOf(op);
  return call ? *call : v1::Call::default_instance();
}

}  // namespace

bool hasUnseenWait(const AssembledOperation& op, const StreamTable& table,
                   const Batches& batches) {
  return !batches.hasMember(op) && mayHaveUnseenWait(op, table);
}

bool mayHaveUnseenWait(const AssembledOperation& op, const StreamTable& table) {
  const v1::Call& call = callOf(op, table);
  return call.graph_plus_1() == 0 &&
         op.mayHaveUnseenWait(waitingFor(table.engineOf(call), call));
}

Instant unseenWaitBegin(const AssembledOperation& op,
                        const StreamTable& table) {
  const v1::Call& call = callOf(op, table);
  return op.unseenWaitBegin(waitingFor(table.engineOf(call), call));
}

// An operation that ends only in a wait has no future, so the program can only
// wait for its Work.
Instant unseenWaitEnd(const AssembledOperation& op, const StreamTable& table) {
  const v1::Call& call = callOf(op, table);
  return op.unseenWaitEnd(endsOnlyInWait(table.engineOf(call), call.op()));
}

UnseenWaits::UnseenWaits(const StreamTable& table) {
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = table.callOf(op);
    if (call && call->simulated()) continue;
    addSeen(op.issued, op.returned);
    addSeen(op.blockedFrom(), op.blockedUntil());
  }
  unite(seen_);
}

// Merges adjacent windows: a call and its wait are often adjacent.
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
  const Instant begin = unseenWaitBegin(op, table);
  Instant end = unseenWaitEnd(op, table);
  if (!end.known()) end = table.last;
  return windowBetween(begin, end);
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
