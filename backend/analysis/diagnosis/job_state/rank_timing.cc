#include "analysis/diagnosis/job_state/rank_timing.h"

#include <algorithm>
#include <functional>

#include "analysis/stream/observed_end.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

// Maximum number of future releases to remember.
constexpr std::size_t kMaxComing = 1024;

bool ended(const AssembledOperation& op) {
  return op.ended.known() && differencesFit(op.ended.ns());
}

bool endedWell(const AssembledOperation& op) { return ended(op) && !op.failed; }

// Returns whether the program may have waited for the operation through a
// future, which records no wait. Includes failed operations.
bool mayWaitByFuture(const AssembledOperation& op) {
  return ended(op) && endBoundOf(op) == EndBound::kReported &&
         !op.wait_began.known();
}

}  // namespace

RankTiming::RankTiming(const StreamTable& table)
    : table_(table),
      ready_(table),
      engines_(table.definitions.groups().size()) {}

Timing RankTiming::message(const AssembledOperation& op,
                           const ReadyTime& ready) const {
  Timing timing = timed(op, (ready.at.known() ? ready.at : op.issued).ns());
  if (!ready.at.known()) timing.took_ns = Timing::kUnknown;
  return timing;
}

std::optional<Timing> RankTiming::collective(const AssembledOperation& op,
                                             const ReadyTime& ready,
                                             std::uint32_t group) const {
  const Engine& engine = engines_[group];
  const std::int64_t issue_ns = op.issued.ns();
  const bool queues = ready.earliest.known() && !op.started.known();
  Instant latest = ready.latest;
  if (queues && !latest.known()) return std::nullopt;
  if (!latest.known()) latest = op.issued;
  Timing timing = timed(op, latest.ns());
  timing.called_ns = issue_ns;
  if (endedWell(op)) timing.ended_ns = op.ended.ns();
  if (ready.earliest.known()) {
    timing.early_ns = wrappingDifference(timing.ready_ns, ready.earliest.ns());
  }
  const bool queued = queues && latest.isAfter(op.issued);
  if (!ready.earliest.known() || queued) timing.took_ns = Timing::kUnknown;
  const v1::Call* call = table_.callOf(op);
  const bool waits_itself = call && waitsAtOnce(*call);
  timing.unseen_wait = !waits_itself && mayWaitByFuture(op);
  timing.called_ahead = engine.ended_ns > issue_ns;
  timing.since_call = ownTimeSince(engine.called, issue_ns);
  if (engine.released.at_ns >= engine.called.at_ns) {
    timing.since_release = ownTimeSince(engine.released, issue_ns);
    timing.release_is_seen = engine.release_is_seen;
    timing.unseen_wait |= !engine.release_is_seen;
  }
  return timing;
}

OwnTime RankTiming::ownTimeSince(const ProgramTime& place,
                                 std::int64_t until_ns) const {
  if (place.at_ns == kNever || !differencesFit(until_ns)) return {};
  const std::int64_t most_ns =
      until_ns - place.at_ns - (now_.waits_ns - place.waits_ns);
  const std::int64_t other_ns = now_.other_ns + mayWaitNs(until_ns);
  return {most_ns, most_ns - (other_ns - place.other_ns)};
}

// Returns how much of the time since `now_` the program may have spent in an
// unrecorded wait. Such waits exist if the next ends come from futures, or if
// too many ends were pending to be remembered.
std::int64_t RankTiming::mayWaitNs(std::int64_t until_ns) const {
  if (now_.at_ns == kNever) return 0;
  if (non_waits_ == 0) until_ns = std::min(until_ns, forgotten_until_ns_);
  if (until_ns <= now_.at_ns) return 0;
  return until_ns - now_.at_ns;
}

Timing RankTiming::timed(const AssembledOperation& op,
                         std::int64_t ready_ns) const {
  Timing timing;
  timing.seq = op.seq;
  timing.ready_ns = ready_ns;
  if (op.failed || !op.ended.known() || !differencesFit(op.ended.ns()) ||
      !differencesFit(ready_ns) || op.ended.ns() < ready_ns) {
    return timing;
  }
  timing.took_ns = op.ended.ns() - ready_ns;
  if (const Instant watched = watchedSince(op); watched.known()) {
    timing.unseen_ns =
        std::clamp(watched.ns(), ready_ns, op.ended.ns()) - ready_ns;
  }
  return timing;
}

void RankTiming::reach(const AssembledOperation& op) { passTo(op.issued.ns()); }

void RankTiming::done(const AssembledOperation& op, std::uint32_t group) {
  const std::int64_t issue_ns = op.issued.ns();
  if (!differencesFit(issue_ns)) return;
  now_.other_ns += mayWaitNs(issue_ns);
  now_.at_ns = std::max(now_.at_ns, issue_ns);
  if (group != kMessage) {
    Engine& engine = engines_[group];
    engine.called = now_;
    engine.called.at_ns = issue_ns;
    if (op.ended.known()) {
      engine.ended_ns = std::max(engine.ended_ns, op.ended.ns());
    }
  }
  expect(op, group);
}

// Queues when the program is released from `op`. A recorded wait releases it if
// the wait lasted until the end. Without one, it may have waited for the
// future.
void RankTiming::expect(const AssembledOperation& op, std::uint32_t group) {
  if (op.wait_began.known() && op.wait_ended.known()) {
    if (!differencesFit(op.wait_began.ns()) ||
        !differencesFit(op.wait_ended.ns()))
      return;
    const bool to_the_end = endedWell(op) && !op.wait_began.isAfter(op.ended) &&
                            (endBoundOf(op) == EndBound::kReported ||
                             !op.ended.isAfter(op.wait_ended));
    expect({op.wait_ended.ns(), op.wait_began.ns(), group, true,
            to_the_end && group != kMessage});
  } else if (mayWaitByFuture(op)) {
    expect(
        {op.ended.ns(), 0, group, false, endedWell(op) && group != kMessage});
  }
}

void RankTiming::expect(const Coming& coming) {
  if (coming_.size() == kMaxComing) {
    forgotten_until_ns_ = std::max(forgotten_until_ns_, coming.at_ns);
    return;
  }
  coming_.push_back(coming);
  non_waits_ += !coming.is_wait;
  if (coming_.size() == 1) return;
  std::push_heap(coming_.begin(), coming_.end(), std::greater<>());
}

void RankTiming::passTo(std::int64_t until_ns) {
  while (!coming_.empty() && coming_.front().at_ns <= until_ns) {
    if (coming_.size() > 1) {
      std::pop_heap(coming_.begin(), coming_.end(), std::greater<>());
    }
    const Coming next = coming_.back();
    coming_.pop_back();
    if (!next.is_wait) {
      unwaited_.push_back(next);
      continue;
    }
    passUnwaited(next.began_ns);
    // A future may report an end after the next wait has begun. Until this wait
    // began, the program may have waited for any operation that ended since.
    pass(next);
    forgetUnwaited(unwaited_.end());
  }
  passUnwaited(until_ns);
}

// Processes unrecorded waits whose operation ended by `until_ns`. Operations
// that ended during a wait for something else did not delay the program.
void RankTiming::passUnwaited(std::int64_t until_ns) {
  if (unwaited_.empty()) return;
  const auto end = std::find_if(
      unwaited_.begin(), unwaited_.end(),
      [&](const Coming& operation) { return operation.at_ns > until_ns; });
  std::for_each(unwaited_.begin(), end,
                [this](const Coming& operation) { pass(operation); });
  forgetUnwaited(end);
}

void RankTiming::forgetUnwaited(std::vector<Coming>::iterator end) {
  if (unwaited_.empty()) return;
  non_waits_ -= static_cast<std::size_t>(end - unwaited_.begin());
  unwaited_.erase(unwaited_.begin(), end);
}

void RankTiming::pass(const Coming& coming) {
  const std::int64_t passed_ns = coming.at_ns - now_.at_ns;
  // The program has already passed this point.
  if (passed_ns <= 0) return;
  if (coming.is_wait) {
    now_.other_ns += mayWaitNs(std::min(coming.began_ns, coming.at_ns));
    now_.waits_ns +=
        std::clamp<std::int64_t>(coming.at_ns - coming.began_ns, 0, passed_ns);
  } else {
    now_.other_ns += passed_ns;
  }
  now_.at_ns = coming.at_ns;
  if (!coming.releases) return;
  Engine& engine = engines_[coming.group];
  engine.released = now_;
  engine.release_is_seen = coming.is_wait;
}

}  // namespace traced
