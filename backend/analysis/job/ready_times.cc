#include "analysis/job/ready_times.h"

#include <deque>

#include "analysis/job/ready_queues.h"
#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

// Returns whether the call bypasses the group's queue and runs immediately.
bool isNotQueued(v1::Operation op) {
  return isPointToPoint(op) || op == v1::OPERATION_MONITORED_BARRIER;
}

bool isOnCpu(const v1::Call& call) {
  return call.device() == v1::DEVICE_TYPE_CPU ||
         call.device() == v1::DEVICE_TYPE_UNSPECIFIED;
}

ReadyTime exactly(Instant at) { return {at, at, at}; }

}  // namespace

struct ReadyTimes::Readiness {
  // How the operations of a call are ordered, computed once per call.
  struct CallOrder {
    enum class Order : std::uint8_t {
      kSimulated,
      // Only an observed start counts.
      kOnlyStarts,
      kUnknown,
      kAtOnce,
      kInOrder,
    };
    Order order = Order::kSimulated;
    GroupQueue* queue = nullptr;
    bool on_cpu = false;
    bool is_numbered = false;
    bool waits_for_all = false;
    bool future_before_work = false;
  };

  explicit Readiness(const StreamTable& of) : table(of) { learn(); }

  // Adds groups and calls that were defined since the last call.
  void learn() {
    const StreamDefinitions& definitions = table.definitions;
    while (queues.size() < definitions.groups().size()) {
      const GroupDefinition& group = definitions.groups()[queues.size()];
      queues.emplace_back().traits = &group.engine();
    }
    while (orders.size() < definitions.calls().size()) {
      orders.push_back(orderOf(definitions.calls()[orders.size()]));
    }
  }

  CallOrder orderOf(const v1::Call& call) {
    CallOrder order;
    if (call.simulated()) return order;
    order.order = CallOrder::Order::kOnlyStarts;
    const std::uint32_t group = table.groupOf(call);
    if (group == StreamDefinitions::kNone) return order;
    const EngineTraits& traits = *queues[group].traits;
    order.queue = &queues[group];
    order.on_cpu = isOnCpu(call);
    order.is_numbered = !isPointToPoint(call.op());
    order.waits_for_all = call.op() == v1::OPERATION_BARRIER;
    order.future_before_work = traits.two_workers && call.async() &&
                               !endsOnlyInWait(traits, call.op());
    if (!traits.in_order) {
      order.order = CallOrder::Order::kUnknown;
    } else if (order.on_cpu) {
      order.order = isNotQueued(call.op()) ? CallOrder::Order::kAtOnce
                                           : CallOrder::Order::kInOrder;
    }
    return order;
  }

  const StreamTable& table;
  // Addresses are stable.
  std::deque<GroupQueue> queues;
  // Indexed like the calls of the definitions.
  std::vector<CallOrder> orders;
  UnknownOrder unknown;
};

ReadyTimes::ReadyTimes(const StreamTable& table)
    : readiness_(std::make_unique<Readiness>(table)) {}

ReadyTimes::~ReadyTimes() = default;

ReadyTime ReadyTimes::next(const AssembledOperation& op) {
  using Order = Readiness::CallOrder::Order;
  ReadyTime ready;
  if (op.call == AssembledOperation::kNoCall || !op.issued.known()) {
    return ready;
  }
  if (op.call >= readiness_->orders.size()) readiness_->learn();
  const Readiness::CallOrder& call = readiness_->orders[op.call];
  if (call.order == Order::kSimulated) return ready;
  const bool started = op.started.known();
  if (started) ready = exactly(op.started);
  if (call.order == Order::kOnlyStarts) return ready;
  if (call.order == Order::kUnknown) {
    UnknownOrder& unknown = readiness_->unknown;
    if (!started && call.on_cpu) ready = unknown.readyFor(op);
    unknown.add(op);
    return ready;
  }
  GroupQueue& queue = *call.queue;
  if (call.is_numbered && op.seq > 0) queue.noteNumber(op.seq);
  if (call.order == Order::kAtOnce) return exactly(op.issued);
  if (!started) ready = queue.readyFor(op, call.waits_for_all);
  if (!op.failed) queue.add(op, call.future_before_work, ready);
  return ready;
}

std::vector<ReadyTime> readyTimes(const StreamTable& table) {
  ReadyTimes times(table);
  std::vector<ReadyTime> ready;
  ready.reserve(table.operations.size());
  for (const AssembledOperation& op : table.operations) {
    ready.push_back(times.next(op));
  }
  return ready;
}

}  // namespace traced
