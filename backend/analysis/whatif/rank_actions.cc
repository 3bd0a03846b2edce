#include "analysis/whatif/rank_actions.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "analysis/job/held_time.h"
#include "analysis/stream/batches.h"
#include "analysis/stream/clock_cursor.h"
#include "analysis/stream/observed_end.h"

namespace traced::whatif {
namespace {

// A wait that is shorter may have ended before its operation was seen to end.
constexpr std::uint64_t kBlockedNs = 10'000;

// The clock error where nothing is certified.
constexpr float kUnknownClockNs = 1e18F;

bool isOnDevice(const StreamTable& table, const v1::Call& call) {
  return table.engineOf(call).on_streams &&
         call.device() != v1::DEVICE_TYPE_CPU;
}

class Reader {
 public:
  Reader(const StreamTable& table, const v1::ClockModel& clock)
      : table_(table), clock_(clock), batches_(table) {}

  RankActions read() {
    actions_.actions.reserve(2 * table_.operations.size());
    actions_.ends.resize(table_.operations.size());
    for (std::uint32_t i = 0; i < table_.operations.size(); ++i) add(i);
    sort();
    return std::move(actions_);
  }

 private:
  std::int64_t common(Instant instant) const {
    return clock_.commonNs(instant.ns());
  }

  void add(std::uint32_t index) {
    const AssembledOperation& op = table_.operations[index];
    const v1::Call* call = table_.callOf(op);
    if (!call || call->simulated() || call->graph_plus_1() > 0) return;
    if (op.failed) {
      ++actions_.failed;
      return;
    }
    if (batches_.hasMember(op)) return addMember(index);
    if (const Batch* batch = batches_.of(op); batch && batch->end == &op) {
      return endBatch(op);
    }
    const bool on_device = isOnDevice(table_, *call);
    const bool timed = op.started.known() && op.ended.known();
    if (on_device && !timed) ++actions_.untimed;
    const bool by_device = on_device && timed;
    join(index, by_device ? op.started : op.issued);
    setEnd(index, op, table_.engineOf(*call).on_host);
    if (table_.isInFlight(op)) ++actions_.unfinished;
    if (by_device) {
      waitOnDevice(index, op);
    } else {
      waitOnHost(index, op);
    }
  }

  // Returns the maximum error of a common time.
  float clockErrorNs(Instant at, std::int64_t ns) const {
    if (clock_.model().knot_size() == 0 &&
        clock_.model().source() != v1::CLOCK_SOURCE_WALL_CLOCK) {
      return 0;
    }
    const auto certified = clock_.certifiedNs(at.ns());
    if (!certified) return kUnknownClockNs;
    return static_cast<float>(
        std::max(static_cast<double>(certified->high_ns - ns),
                 static_cast<double>(ns - certified->low_ns)));
  }

  void add(std::uint32_t index, Instant begin, Instant end, bool is_unseen) {
    Action& action = actions_.actions.emplace_back();
    action.begin_ns = common(begin);
    action.end_ns = common(end);
    action.op = index;
    action.is_wait = true;
    action.is_unseen = is_unseen;
  }

  void join(std::uint32_t index, Instant at) {
    const std::int64_t ns = common(at);
    Action& action = actions_.actions.emplace_back();
    action.begin_ns = action.end_ns = ns;
    action.clock_ns = clockErrorNs(at, ns);
    action.op = index;
  }

  void wait(std::uint32_t index, Instant begin, Instant end) {
    if (!between(begin, end)) return;
    add(index, begin, end, false);
  }

  // `wait_shows_end`: a wait returns only after the operation has ended. The
  // report of an end may come after the waiting thread continued.
  void setEnd(std::uint32_t index, const AssembledOperation& op,
              bool wait_shows_end) {
    if (!op.ended.known()) return;
    Instant ended = op.ended;
    if (wait_shows_end && op.wait_ended.known() &&
        ended.isAfter(op.wait_ended)) {
      ended = op.wait_ended;
    }
    const std::uint64_t blocked_ns =
        between(op.wait_began, op.wait_ended).value_or(0);
    const bool seen_by_wait = op.wait_ended.known() &&
                              !ended.isAfter(op.wait_ended) &&
                              blocked_ns > kBlockedNs;
    const bool late = endBoundOf(op) == EndBound::kSeen && !seen_by_wait;
    const bool reported = endBoundOf(op) != EndBound::kSeen;
    actions_.ends[index] = {common(ended), common(op.ended), true, late,
                            reported};
  }

  void waitOnHost(std::uint32_t index, const AssembledOperation& op) {
    if (op.wait_ended.known()) return wait(index, op.wait_began, op.wait_ended);
    if (between(op.ended, op.returned)) {
      return wait(index, op.issued, op.returned);
    }
    if (hasUnseenWait(op, table_, batches_)) {
      addUnseen(index, op.issued, unseenWaitEnd(op, table_));
    }
  }

  // A wait stalls the stream and not the host.
  void waitOnDevice(std::uint32_t index, const AssembledOperation& op) {
    if (op.stall_ns_plus_1 == 0) return addUnseen(index, op.started, op.ended);
    const auto stall_ns = static_cast<std::int64_t>(
        std::min<std::uint64_t>(op.stall_ns_plus_1 - 1, 1ULL << 60));
    const std::int64_t begin_ns =
        std::max(wrappingDifference(op.ended.ns(), stall_ns), op.started.ns());
    wait(index, Instant(begin_ns), op.ended);
  }

  void addUnseen(std::uint32_t index, Instant begin, Instant end) {
    if (!between(begin, end)) return;
    add(index, begin, end, true);
    actions_.ends[index].unseen_wait = true;
  }

  // The members of a batch end with it.
  void addMember(std::uint32_t index) {
    const AssembledOperation& op = table_.operations[index];
    join(index, op.issued);
    setEnd(index, *batches_.of(op)->end, false);
    members_[op.batch].push_back(index);
  }

  void endBatch(const AssembledOperation& end) {
    const auto found = members_.find(end.batch);
    if (found == members_.end()) return;
    for (const std::uint32_t member : found->second) {
      waitOnHost(member, end);
    }
    members_.erase(found);
  }

  void sort() {
    std::vector<Action>& actions = actions_.actions;
    const auto comes_first = [](const Action& a, const Action& b) {
      if (a.end_ns != b.end_ns) return a.end_ns < b.end_ns;
      if (a.begin_ns != b.begin_ns) return a.begin_ns < b.begin_ns;
      if (a.op != b.op) return a.op < b.op;
      return a.is_wait < b.is_wait;
    };
    std::stable_sort(actions.begin(), actions.end(), comes_first);
  }

  const StreamTable& table_;
  const ClockCursor clock_;
  const Batches batches_;
  RankActions actions_;
  absl::flat_hash_map<std::uint64_t, std::vector<std::uint32_t>> members_;
};

}  // namespace

RankActions rankActions(const StreamTable& table, const v1::ClockModel& clock) {
  return Reader(table, clock).read();
}

}  // namespace traced::whatif
