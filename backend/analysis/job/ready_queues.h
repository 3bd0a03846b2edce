// Computes when an engine can start an operation, from what it was given
// before. ready_times.h lists what is known for which engine.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "analysis/job/ready_times.h"
#include "analysis/stream/observed_end.h"
#include "base/engine_traits.h"

namespace traced {

inline constexpr std::int64_t kUnknownEnd =
    std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::min();

// The last and second-last end of the operations that one queue gave to its
// workers.
struct LastEnds {
  std::int64_t last_ns = kNoEnd;
  std::int64_t second_ns = kNoEnd;

  std::int64_t nth(bool second) const { return second ? second_ns : last_ns; }
};

// The queue of one group's operations on the CPU.
struct GroupQueue {
  const EngineTraits* traits = nullptr;
  // Upper and lower bounds of the ends.
  LastEnds latest;
  LastEnds earliest;
  // The latest end that was only noticed by polling.
  std::int64_t polled_ns = kNoEnd;
  std::uint64_t last_seq = 0;

  // Sets the number of the next operation. Call before readyFor() and add().
  // Skipped numbers are lost records, which count as never ended.
  void noteNumber(std::uint64_t seq) {
    for (std::uint64_t lost = last_seq + 1; lost < seq; ++lost) {
      if (latest.second_ns == kUnknownEnd) break;
      addLatest(kUnknownEnd);
    }
    last_seq = std::max(last_seq, seq);
  }

  // Adds an operation. `future_before_work`: a worker of Gloo completes the
  // future before it is free. If only a wait showed the end, the time at which
  // the worker was free is unknown.
  void add(const AssembledOperation& op, bool future_before_work,
           const ReadyTime& ready) {
    const bool held =
        future_before_work && op.end_source == v1::END_SOURCE_WAIT;
    const bool known = op.ended.known() && !held;
    addLatest(known ? op.ended.ns() : kUnknownEnd);
    const EndBound bound = op.ended.known() ? endBoundOf(op) : EndBound::kSeen;
    addEarliest(bound == EndBound::kExact ? op.ended.ns()
                                          : ready.earliest.ns());
    if (known && bound == EndBound::kSeen) {
      polled_ns = std::max(polled_ns, op.ended.ns());
    }
  }

  // Returns when the queue is ready for an operation, which must not be added
  // yet. `waits_for_all`: it starts only after everything before it, as a
  // barrier does.
  ReadyTime readyFor(const AssembledOperation& op, bool waits_for_all) const {
    const std::int64_t issue_ns = op.issued.ns();
    const bool second = traits->two_workers && !waits_for_all;
    ReadyTime ready;
    ready.earliest = Instant(std::max(issue_ns, earliest.nth(second)));
    const std::int64_t free_ns = latest.nth(second);
    // A rank cannot end an operation before it was ready for it.
    if (op.ended.known() && !op.failed && op.ended.ns() < free_ns) {
      ready.latest = Instant(std::max(issue_ns, op.ended.ns()));
    } else if (free_ns != kUnknownEnd) {
      ready.latest = Instant(std::max(issue_ns, free_ns));
      if (polled_ns <= issue_ns) ready.at = ready.latest;
    }
    return ready;
  }

 private:
  // Operations leave the queue in order. When one has ended, all before it
  // have, except one that the other worker may be executing.
  void addLatest(std::int64_t end_ns) {
    latest.second_ns = std::min(end_ns, latest.last_ns);
    latest.last_ns =
        traits->two_workers ? std::max(end_ns, latest.last_ns) : end_ns;
  }
  void addEarliest(std::int64_t end_ns) {
    earliest.second_ns =
        std::max(earliest.second_ns, std::min(end_ns, earliest.last_ns));
    earliest.last_ns = std::max(end_ns, earliest.last_ns);
  }
};

// Readiness with engines of unknown order. An operation may run at once, or
// queue behind everything such engines were given before, in any group. Only if
// all of that has ended does it start when it is called.
class UnknownOrder {
 public:
  ReadyTime readyFor(const AssembledOperation& op) const {
    ReadyTime ready;
    ready.earliest = op.issued;
    if (last_ns_ <= op.issued.ns()) {
      ready.at = ready.latest = op.issued;
    } else if (!op.failed) {
      ready.latest = op.ended;
    }
    return ready;
  }

  void add(const AssembledOperation& op) {
    last_ns_ =
        std::max(last_ns_, op.ended.known() ? op.ended.ns() : kUnknownEnd);
  }

 private:
  std::int64_t last_ns_ = kNoEnd;
};

}  // namespace traced
