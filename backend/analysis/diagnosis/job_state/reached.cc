#include "analysis/diagnosis/job_state/reached.h"

#include <algorithm>

#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

std::size_t indexOf(CallMode mode) { return static_cast<std::size_t>(mode); }

bool hasReportedEnd(const AssembledOperation& op) {
  return op.ended.known() && isReported(op.end_source);
}

}  // namespace

bool DeviceEndCoverage::hasEnd(const AssembledOperation& op,
                               const v1::Call& call) {
  return call.graph_plus_1() == 0 &&
         (op.batch == 0 || call.op() == v1::OPERATION_COALESCED);
}

DeviceEndCoverage::DeviceEndCoverage(const StreamTable& table)
    : table_(table), coverage_(table.definitions.groups().size()) {
  for (const AssembledOperation& op : table.operations) {
    const v1::Call* call = table.callOf(op);
    const std::uint32_t group =
        call ? table.groupOf(*call) : StreamDefinitions::kNone;
    if (group == StreamDefinitions::kNone || !hasEnd(op, *call)) continue;
    if (Coverage* const waits = byWaits(group, *call)) {
      if (op.ended.known()) {
        waits->ended(op.id, true);
      } else if (!op.failed) {
        ++waits->since;
      }
    }
    Coverage& reported = coverage_[group][indexOf(modeOf(*call))];
    if (hasReportedEnd(op)) {
      reported.ended(op.id, op.end_source != v1::END_SOURCE_DEVICE_WAIT);
    } else if (!op.ended.known() && !op.failed) {
      ++reported.since;
    }
  }
}

void DeviceEndCoverage::Coverage::ended(std::uint64_t op, bool by_itself) {
  if (since > 0) ends.hole();
  since = 0;
  last_ended = op;
  ends.ended(by_itself);
}

DeviceEndCoverage::Coverage* DeviceEndCoverage::byWaits(std::uint32_t group,
                                                        const v1::Call& call) {
  if (table_.engineOf(call).isKnown() || !waitsAtOnce(call)) return nullptr;
  return &coverage_by_waits_[{group, call.op()}];
}

bool DeviceEndCoverage::isStuck(const AssembledOperation& op,
                                const v1::Call& call) {
  const std::uint32_t group = table_.groupOf(call);
  if (group == StreamDefinitions::kNone || !hasEnd(op, call)) return false;
  // A thread in a wait issues nothing. A single missing end, after calls that
  // all returned, shows that this call has not returned.
  const Coverage* const waits = byWaits(group, call);
  if (waits && waits->ends.in_a_row > 0 && !waits->ends.had_holes) {
    return waits->since == 1 && !op.wait_ended.known();
  }
  const CallMode mode = modeOf(call);
  const Coverage& reported = coverage_[group][indexOf(mode)];
  // An operation before one that ended has ended too, because a group executes
  // in order.
  if (!reported.ends.reliable(mode) || op.id < reported.last_ended)
    return false;
  if (!reported.ends.unasked && !op.wait_ended.known()) return false;
  // A process that exits may lose the device's last end times.
  return !table_.closed || table_.marks.deviceTimes().untimed == 0;
}

namespace {

// Returns whether the operation closes a coalesced batch and therefore ends
// with it.
bool isBatch(const StreamTable& table, const AssembledOperation& op) {
  const v1::Call* call = table.callOf(op);
  return call && call->op() == v1::OPERATION_COALESCED;
}

}  // namespace

ReachedRule::ReachedRule(const StreamTable& table, bool whole)
    : table_(table), whole_(whole) {}

// Returns whether the call has not returned, or blocks its thread until the
// end.
bool ReachedRule::holdsItsThread(const AssembledOperation& op) const {
  if (op.failed || op.released.known()) return false;
  const v1::Call* call = table_.callOf(op);
  return !op.returned.known() ||
         (call && waitsAtOnce(*call) && table_.engineOf(*call).on_host);
}

void ReachedRule::scan() {
  for (const AssembledOperation& op : table_.operations) {
    Thread& thread = threads_[op.thread];
    if (op.wait_ended.known()) {
      thread.wait_end_ns = std::max(thread.wait_end_ns, op.wait_ended.ns());
    } else if (holdsItsThread(op)) {
      thread.held_by = &op;
    }
    if (op.batch > 0 && isBatch(table_, op)) batches_[op.batch] = &op;
  }
  scanned_ = true;
}

Reached ReachedRule::notEnded(const AssembledOperation& op) {
  if (!table_.capabilities.has(SourceCapability::kEnds))
    return Reached::kNotObserved;
  // NCCL's watchdog also retires operations that it gives up, and these never
  // ended.
  if (op.over && table_.engineOf(*table_.callOf(op)).on_host) {
    return Reached::kNotObserved;
  }
  if (!scanned_) scan();
  if (!whole_ && op.id < table_.lost_before) return Reached::kNotObserved;
  const v1::Call& call = *table_.callOf(op);
  const bool in_batch = op.batch > 0 && call.op() != v1::OPERATION_COALESCED;
  if (in_batch && (op.returned.known() || table_.snapshot)) {
    return reachedByBatch(op.batch);
  }
  if (!op.returned.known()) return Reached::kInside;
  const EngineTraits& engine = table_.engineOf(call);
  if (!engine.on_host) {
    if (!device_) device_.emplace(table_);
    if (device_->isStuck(op, call)) return Reached::kInside;
    // With an unknown engine, an operation may end without the other ranks.
    const bool unseen = engine.on_streams && !table_.snapshot &&
                        DeviceEndCoverage::hasEnd(op, call);
    return unseen ? Reached::kUnseen : Reached::kNotObserved;
  }
  if (call.async() && !endsOnlyInWait(engine, call.op())) {
    return Reached::kInside;
  }
  if (op.wait_ended.known()) return Reached::kNotObserved;
  if (op.released.known()) return Reached::kNotObserved;
  if (waitsAtOnce(call)) return Reached::kInside;
  return mayBeWaitedFor(op) ? Reached::kPerhapsInside : Reached::kNotObserved;
}

// Returns how far a member of a batch got: as far as its batch. If the batch
// was never closed, it has not begun.
Reached ReachedRule::reachedByBatch(std::uint64_t batch) {
  const auto parent = batches_.find(batch);
  if (parent == batches_.end()) return Reached::kNotObserved;
  return reached(*parent->second);
}

// Returns whether a thread may be waiting for the operation. True if it was
// issued after the thread's last wait, or is one of the last operations
// overall.
bool ReachedRule::mayBeWaitedFor(const AssembledOperation& op) const {
  constexpr std::size_t kLast = 64;
  const Thread& thread = threads_.at(op.thread);
  // A thread that is blocked in a later operation does not wait for this one.
  if (thread.held_by && thread.held_by->id > op.id) return false;
  if (op.issued.ns() >= thread.wait_end_ns) return true;
  const std::vector<AssembledOperation>& all = table_.operations;
  const std::uint64_t from = all[all.size() - std::min(kLast, all.size())].id;
  return op.id >= from;
}

}  // namespace traced
