#include "analysis/time_split/rank_time.h"

#include <algorithm>
#include <limits>

#include "analysis/job/held_time.h"
#include "analysis/stream/batches.h"
#include "analysis/stream/losses.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/time_split/certified_times.h"

namespace traced {
namespace {

// Calls visit() with each value whose instant is in the window. Moves `next`
// past them.
template <typename Values, typename InstantOf, typename Visit>
void forEachWithin(const Values& values, InstantOf instantOf,
                   const TimeWindow& window, std::size_t& next, Visit visit) {
  for (; next < values.size() && instantOf(values[next]) < window.end_ns;
       ++next) {
    if (instantOf(values[next]) >= window.begin_ns) visit(values[next]);
  }
}

}  // namespace

RankTime::RankTime(const StreamTable& table,
                   const std::vector<ReadyTime>* ready)
    : table_(table), ready_(ready) {}

void RankTime::add(std::size_t operation, const OperationSplit& split,
                   bool unseen) {
  const AssembledOperation& op = table_.operations[operation];
  added_[kCall].add(windowBetween(op.issued, op.returned));
  if (ready_) {
    added_[kHidden].add(windowBetween((*ready_)[operation].at, op.ended));
  }
  addBlocked(operation, split);
  is_stuck_ |= isStuckIn(op);
  for (const Instant at : {op.issued, op.returned, op.wait_ended}) {
    if (at.isAfter(latest_)) latest_ = at;
  }
  if (!unseen) return;
  const TimeWindow window = UnseenWaits::windowOf(op, table_);
  added_[kMayWait].add(window);
  unseen_.push_back({op.issued.ns(), window});
  const v1::Call* call = table_.callOf(op);
  can_estimate_ &= op.ended.known() && call &&
                   !waitingFor(table_.engineOf(*call), *call).on_stream;
}

void RankTime::addBlocked(std::size_t operation, const OperationSplit& split) {
  const AssembledOperation& op = table_.operations[operation];
  TimeWindow blocked = windowBetween(op.blockedFrom(), op.blockedUntil());
  if (blocked.begin_ns == blocked.end_ns && between(op.ended, op.returned)) {
    blocked = windowBetween(op.issued, op.returned);
  }
  if (!ready_ || !split.wait_for_peers) return added_[kUndecided].add(blocked);
  const TimeWindow waiting = windowAt(
      (*ready_)[operation].at,
      static_cast<std::int64_t>(notBelowZero(split.wait_for_peers->ns)));
  const std::int64_t all_ready_ns =
      std::clamp(waiting.end_ns, blocked.begin_ns, blocked.end_ns);
  added_[kWaitForPeers].add({blocked.begin_ns, all_ready_ns});
  added_[split.transfer ? kTransfer : kUndecided].add(
      {all_ready_ns, blocked.end_ns});
  const std::uint64_t off_ns =
      std::min(offByNs(*split.wait_for_peers), lengthOf(blocked));
  if (off_ns > 0) {
    uncertain_.emplace_back(std::min(all_ready_ns, blocked.end_ns - 1), off_ns);
  }
}

// For an operation that is asynchronous or blocks a stream, it is unknown
// whether the program waits: kMayWait covers that.
bool RankTime::isStuckIn(const AssembledOperation& op) const {
  if (!table_.isInFlight(op)) return false;
  const v1::Call& call = *table_.callOf(op);
  return !op.returned.known() ||
         (waitsAtOnce(call) && !op.wait_ended.known() &&
          !waitingFor(table_.engineOf(call), call).on_stream);
}

void RankTime::addUnderWay() {
  if (is_stuck_) added_[kUndecided].add(windowBetween(latest_, table_.last));
}

void RankTime::addUnrecorded() {
  for (const Pause& pause : table_.marks.pauses()) {
    added_[kMayWait].add(windowBetween(pause.began, pause.ended));
  }
  // A pause at the end sets `lost_before` too, without any loss.
  Losses losses;
  losses.add(table_);
  if (!losses.any()) return;
  // Records are complete from the issue of this operation on.
  Instant complete = table_.last;
  for (const AssembledOperation& op : table_.operations) {
    if (op.id >= table_.lost_before && between(op.issued, complete)) {
      complete = op.issued;
    }
  }
  const Instant start(table_.header.started().monotonic_ns());
  added_[kMayWait].add(windowBetween(start, complete));
}

void RankTime::finish() {
  addUnderWay();
  addUnrecorded();
  for (std::size_t state = 0; state < kStates; ++state) {
    windows_[state] = std::move(added_[state]).windows();
  }
  std::sort(uncertain_.begin(), uncertain_.end());
  std::sort(unseen_.begin(), unseen_.end(),
            [](const Unseen& a, const Unseen& b) {
              return a.issued_ns < b.issued_ns;
            });
}

std::vector<TimeBreakdown> RankTime::over(
    absl::Span<const TimeWindow> windows) const {
  std::vector<TimeBreakdown> all;
  all.reserve(windows.size());
  std::array<std::size_t, kStates> next{};
  std::size_t next_uncertain = 0;
  std::size_t next_unseen = 0;
  for (const TimeWindow& window : windows) {
    std::array<std::uint64_t, kStates + 1> spent_ns{};
    for (std::int64_t at_ns = window.begin_ns; at_ns < window.end_ns;) {
      const auto [state, until_ns] = stateAt(at_ns, next);
      const TimeWindow part{at_ns, std::min(until_ns, window.end_ns)};
      spent_ns[state] += lengthOf(part);
      at_ns = part.end_ns;
    }
    TimeBreakdown& times = all.emplace_back();
    times.exposed_wait_for_peers_ns = spent_ns[kWaitForPeers];
    times.exposed_transfer_ns = spent_ns[kTransfer];
    times.undecided_ns = spent_ns[kUndecided];
    times.calls_ns = spent_ns[kCall];
    times.may_wait_ns = spent_ns[kMayWait];
    times.hidden_ns = spent_ns[kHidden];
    times.computing_ns = spent_ns[kStates];
    forEachWithin(
        uncertain_, [](const Amount& amount) { return amount.first; }, window,
        next_uncertain,
        [&](const Amount& amount) { times.uncertain_ns += amount.second; });
    times.uncertain_ns =
        std::min(times.uncertain_ns,
                 times.exposed_wait_for_peers_ns + times.exposed_transfer_ns);
    forEachWithin(
        unseen_, [](const Unseen& unseen) { return unseen.issued_ns; }, window,
        next_unseen, [&](const Unseen&) { ++times.waits_unknown; });
  }
  return all;
}

std::vector<TimeBreakdown> RankTime::over(
    const std::vector<StepWindow>& steps) const {
  std::vector<TimeWindow> windows;
  windows.reserve(steps.size());
  for (const StepWindow& step : steps) windows.push_back(step.window);
  return over(absl::MakeConstSpan(windows));
}

std::optional<std::uint64_t> RankTime::estimatedWaitNs(
    const std::vector<StepWindow>& steps) const {
  if (steps.empty() || !can_estimate_) return std::nullopt;
  std::vector<TimeWindow> windows;
  std::size_t next = 0;
  for (const StepWindow& step : steps) {
    TimeWindow waiting;
    forEachWithin(
        unseen_, [](const Unseen& unseen) { return unseen.issued_ns; },
        step.window, next,
        [&](const Unseen& unseen) {
          waiting.begin_ns = unseen.window.begin_ns;
          waiting.end_ns = std::max(waiting.end_ns, unseen.window.end_ns);
        });
    waiting.end_ns = std::min(waiting.end_ns, step.window.end_ns);
    if (waiting.begin_ns < waiting.end_ns) windows.push_back(waiting);
  }
  std::uint64_t sum_ns = 0;
  for (const TimeBreakdown& time : over(absl::MakeConstSpan(windows))) {
    sum_ns += time.may_wait_ns;
  }
  return sum_ns;
}

RankTime::Stay RankTime::stateAt(std::int64_t ns,
                                 std::array<std::size_t, kStates>& next) const {
  Stay stay{kStates, std::numeric_limits<std::int64_t>::max()};
  for (std::size_t state = 0; state < kStates; ++state) {
    const std::vector<TimeWindow>& all = windows_[state];
    std::size_t& i = next[state];
    while (i < all.size() && all[i].end_ns <= ns) ++i;
    if (i == all.size()) continue;
    if (all[i].begin_ns <= ns) {
      return {state, std::min(stay.until_ns, all[i].end_ns)};
    }
    stay.until_ns = std::min(stay.until_ns, all[i].begin_ns);
  }
  return stay;
}

std::vector<std::optional<TimeBreakdown>> timesOfSteps(const StreamTable& table,
                                                       const RankTime& time) {
  const std::vector<StepWindow> windows = stepWindows(table);
  const std::vector<TimeBreakdown> times = time.over(windows);
  std::vector<std::optional<TimeBreakdown>> all;
  std::size_t next = 0;
  for (const Marks::Step& step : table.marks.steps()) {
    std::optional<TimeBreakdown>& of_step = all.emplace_back();
    if (!between(step.began, step.ended)) continue;
    const std::int64_t begin_ns = step.began.ns();
    while (next < windows.size() && windows[next].window.begin_ns < begin_ns) {
      ++next;
    }
    const bool is_found = next < windows.size() && windows[next].ended &&
                          windows[next].window.begin_ns == begin_ns &&
                          windows[next].number == step.number;
    if (is_found) of_step = times[next];
  }
  return all;
}

RankTime rankTimeOf(const ReadyRows& ready_times) {
  const ReadyTable::Stream& stream = ready_times.stream();
  const StreamTable& table = stream.table;
  const Batches batches(table);
  RankTime time(table, &stream.ready);
  for (std::size_t i = 0; i < table.operations.size(); ++i) {
    const AssembledOperation& op = table.operations[i];
    if (table.isSimulated(op)) continue;
    time.add(i, splitTime(ready_times, i), hasUnseenWait(op, table, batches));
  }
  time.finish();
  return time;
}

}  // namespace traced
