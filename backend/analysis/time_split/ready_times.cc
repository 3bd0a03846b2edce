#include "analysis/time_split/ready_times.h"

#include <algorithm>
#include <limits>

#include "analysis/observed_end.h"
#include "analysis/operation_kinds.h"

namespace traced {
namespace {

constexpr std::int64_t kUnknownEnd = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::min();

// The last and the last but one of some ends.
struct LastEnds {
  std::int64_t last_ns = kNoEnd;
  std::int64_t second_ns = kNoEnd;

  void add(std::int64_t end_ns) {
    second_ns = std::max(second_ns, std::min(end_ns, last_ns));
    last_ns = std::max(last_ns, end_ns);
  }
  std::int64_t nth(bool second) const { return second ? second_ns : last_ns; }
};

// What runs the operations of one group on the CPU.
struct Engine {
  bool has_two_workers = false;
  // When they ended at the latest, and at the earliest.
  LastEnds latest;
  LastEnds earliest;
  // Until when an operation may have run of which no more is known.
  std::int64_t unsure_until_ns = kNoEnd;
  std::uint64_t last_seq = 0;

  // Operations whose records are lost may run for ever, as far as is known.
  void noteNumber(std::uint64_t seq) {
    for (std::uint64_t lost = last_seq + 1; lost < seq; ++lost) {
      if (latest.second_ns == kUnknownEnd) break;
      latest.add(kUnknownEnd);
    }
    last_seq = std::max(last_seq, seq);
  }

  // Who ran to its end left its worker free; a barrier left all of them free.
  void forgetLost(std::int64_t end_ns, bool waited_for_all) {
    if (latest.second_ns == kUnknownEnd) latest.second_ns = end_ns;
    if (waited_for_all) latest.last_ns = std::min(latest.last_ns, end_ns);
  }

  void add(const AssembledOperation& op, const ReadyTime& ready,
           bool waits_for_all) {
    const EndBound bound = op.ended.known() ? endBoundOf(op) : EndBound::kSeen;
    if (bound == EndBound::kSeen) {
      const std::int64_t until = op.ended.known() ? op.ended.ns() : kUnknownEnd;
      unsure_until_ns = std::max(unsure_until_ns, until);
      return;
    }
    forgetLost(op.ended.ns(), waits_for_all);
    latest.add(op.ended.ns());
    const Instant began = ready.at.known() ? ready.earliest : op.issued;
    earliest.add(bound == EndBound::kExact ? op.ended.ns() : began.ns());
  }

  ReadyTime readyFor(const AssembledOperation& op, bool waits_for_all) const {
    const std::int64_t issue_ns = op.issued.ns();
    if (unsure_until_ns > issue_ns) return {};
    const bool second = has_two_workers && !waits_for_all;
    if (latest.nth(second) == kUnknownEnd) return {};
    return {Instant(std::max(issue_ns, latest.nth(second))),
            Instant(std::max(issue_ns, earliest.nth(second)))};
  }
};

// Whether the call is carried out where it is made, past the group's queue.
bool isNotQueued(v1::Operation op) {
  return isPointToPoint(op) || op == v1::OPERATION_MONITORED_BARRIER;
}

bool isOnCpu(const v1::Call& call) {
  return call.device() == v1::DEVICE_TYPE_CPU ||
         call.device() == v1::DEVICE_TYPE_UNSPECIFIED;
}

}  // namespace

std::vector<ReadyTime> readyTimes(const StreamTable& table) {
  const std::vector<GroupDefinition>& groups = table.definitions.groups();
  std::vector<Engine> engines(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    engines[i].has_two_workers = groups[i].engine().two_workers;
  }
  std::vector<ReadyTime> ready(table.operations.size());
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const AssembledOperation& op = table.operations[i];
    const v1::Call* call = table.callOf(op);
    if (!call || call->simulated() || !op.issued.known()) continue;
    if (op.started.known()) ready[i] = {op.started, op.started};
    const std::uint32_t group = table.groupOf(*call);
    if (group == StreamDefinitions::kNone || !isOnCpu(*call)) continue;
    const bool is_barrier = call->op() == v1::OPERATION_BARRIER;
    if (!isPointToPoint(call->op()) && op.seq > 0) {
      engines[group].noteNumber(op.seq);
    }
    if (isNotQueued(call->op())) {
      ready[i] = {op.issued, op.issued};
      continue;
    }
    if (!op.started.known()) {
      ready[i] = engines[group].readyFor(op, is_barrier);
    }
    if (!op.failed) engines[group].add(op, ready[i], is_barrier);
  }
  return ready;
}

}  // namespace traced
