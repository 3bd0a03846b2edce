#include "analysis/job/ready_times.h"

#include <algorithm>
#include <limits>

#include "analysis/stream/observed_end.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

constexpr std::int64_t kUnknownEnd = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::min();

// The last and the last but one of the ends of what one queue gave to workers.
struct LastEnds {
  std::int64_t last_ns = kNoEnd;
  std::int64_t second_ns = kNoEnd;

  std::int64_t nth(bool second) const { return second ? second_ns : last_ns; }
};

// What runs the operations of one group on the CPU.
struct Engine {
  const EngineTraits* traits = nullptr;
  // When they ended at the latest, and at the earliest.
  LastEnds latest;
  LastEnds earliest;
  // When the last of them was seen to have ended by who looked.
  std::int64_t looked_ns = kNoEnd;
  std::uint64_t last_seq = 0;

  // Operations whose records are lost may run for ever, as far as is known.
  void noteNumber(std::uint64_t seq) {
    for (std::uint64_t lost = last_seq + 1; lost < seq; ++lost) {
      if (latest.second_ns == kUnknownEnd) break;
      addLatest(kUnknownEnd);
    }
    last_seq = std::max(last_seq, seq);
  }

  // `tells_future`: a worker of Gloo's tells the future of the end before it is
  // free; it is not when only a wait showed that.
  void add(const AssembledOperation& op, bool tells_future,
           const ReadyTime& ready) {
    const bool held = tells_future && op.end_source == v1::END_SOURCE_WAIT;
    const bool known = op.ended.known() && !held;
    addLatest(known ? op.ended.ns() : kUnknownEnd);
    const EndBound bound = op.ended.known() ? endBoundOf(op) : EndBound::kSeen;
    addEarliest(bound == EndBound::kExact ? op.ended.ns()
                                          : ready.earliest.ns());
    if (known && bound == EndBound::kSeen) {
      looked_ns = std::max(looked_ns, op.ended.ns());
    }
  }

  ReadyTime readyFor(const AssembledOperation& op, bool waits_for_all) const {
    const std::int64_t issue_ns = op.issued.ns();
    const bool second = traits->two_workers && !waits_for_all;
    ReadyTime ready;
    ready.earliest = Instant(std::max(issue_ns, earliest.nth(second)));
    const std::int64_t free_ns = latest.nth(second);
    // No rank has ended what it was not ready for.
    if (op.ended.known() && !op.failed && op.ended.ns() < free_ns) {
      ready.latest = Instant(std::max(issue_ns, op.ended.ns()));
    } else if (free_ns != kUnknownEnd) {
      ready.latest = Instant(std::max(issue_ns, free_ns));
      if (looked_ns <= issue_ns) ready.at = ready.latest;
    }
    return ready;
  }

 private:
  // Operations leave the queue one after the other: when one has ended, all
  // before it have, but for what the other worker may be in.
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

// What is not known to keep any order may run at once, or stand behind whatever
// such an engine was given before, in any group: only where all of that has
// ended it is begun when it is called.
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

// Whether the call is carried out where it is made, past the group's queue.
bool isNotQueued(v1::Operation op) {
  return isPointToPoint(op) || op == v1::OPERATION_MONITORED_BARRIER;
}

bool isOnCpu(const v1::Call& call) {
  return call.device() == v1::DEVICE_TYPE_CPU ||
         call.device() == v1::DEVICE_TYPE_UNSPECIFIED;
}

ReadyTime exactly(Instant at) { return {at, at, at}; }

// What a call says of when its operations are begun, worked out once.
struct Queue {
  enum class Order : std::uint8_t {
    kSimulated,
    // Nothing but a start that was observed.
    kOnlyStarts,
    kUnknown,
    kAtOnce,
    kInOrder,
  };
  Order order = Order::kSimulated;
  Engine* engine = nullptr;
  bool on_cpu = false;
  bool is_numbered = false;
  bool waits_for_all = false;
  bool tells_future = false;
};

Queue queueOf(const v1::Call& call, const StreamTable& table,
              std::vector<Engine>& engines) {
  Queue queue;
  if (call.simulated()) return queue;
  queue.order = Queue::Order::kOnlyStarts;
  const std::uint32_t group = table.groupOf(call);
  if (group == StreamDefinitions::kNone) return queue;
  const EngineTraits& traits = *engines[group].traits;
  queue.engine = &engines[group];
  queue.on_cpu = isOnCpu(call);
  queue.is_numbered = !isPointToPoint(call.op());
  queue.waits_for_all = call.op() == v1::OPERATION_BARRIER;
  queue.tells_future =
      traits.two_workers && call.async() && !endsOnlyInWait(traits, call.op());
  if (!traits.in_order) {
    queue.order = Queue::Order::kUnknown;
  } else if (queue.on_cpu) {
    queue.order =
        isNotQueued(call.op()) ? Queue::Order::kAtOnce : Queue::Order::kInOrder;
  }
  return queue;
}

class Readiness {
 public:
  explicit Readiness(const StreamTable& table)
      : engines_(table.definitions.groups().size()) {
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      engines_[i].traits = &table.definitions.groups()[i].engine();
    }
    for (const v1::Call& call : table.definitions.calls()) {
      queues_.push_back(queueOf(call, table, engines_));
    }
  }

  // The operations of the stream, in their order.
  ReadyTime next(const AssembledOperation& op) {
    if (op.call == AssembledOperation::kNoCall || !op.issued.known()) return {};
    const Queue& queue = queues_[op.call];
    ReadyTime ready;
    if (queue.order == Queue::Order::kSimulated) return ready;
    const bool started = op.started.known();
    if (started) ready = exactly(op.started);
    if (queue.order == Queue::Order::kOnlyStarts) return ready;
    if (queue.order == Queue::Order::kUnknown) {
      if (!started && queue.on_cpu) ready = unknown_.readyFor(op);
      unknown_.add(op);
      return ready;
    }
    Engine& engine = *queue.engine;
    if (queue.is_numbered && op.seq > 0) engine.noteNumber(op.seq);
    if (queue.order == Queue::Order::kAtOnce) return exactly(op.issued);
    if (!started) ready = engine.readyFor(op, queue.waits_for_all);
    if (!op.failed) engine.add(op, queue.tells_future, ready);
    return ready;
  }

 private:
  std::vector<Engine> engines_;
  // Per call of the definitions.
  std::vector<Queue> queues_;
  UnknownOrder unknown_;
};

}  // namespace

std::vector<ReadyTime> readyTimes(const StreamTable& table) {
  Readiness readiness(table);
  std::vector<ReadyTime> ready;
  ready.reserve(table.operations.size());
  for (const AssembledOperation& op : table.operations) {
    ready.push_back(readiness.next(op));
  }
  return ready;
}

}  // namespace traced
