#include "recorder/metrics/operation_sums.h"

#include <algorithm>
#include <utility>

#include "ring_io/chunks/record_rows.h"

namespace traced {
namespace {

std::uint64_t nsBetween(Instant from, Instant to) {
  return between(from, to).value_or(0);
}

}  // namespace

void OperationSums::update(const Ring::Record& record) {
  if (record.kind == RecordKind::kRetireGroup) {
    return retired(record.as<DefinitionHead>().id);
  }
  forEachRow(record, [this](const auto& row) { add(row); });
}

void OperationSums::add(const IssueRow& row) {
  const std::int64_t last_ns = figures_.last_issue_ns.value_or(row.issue_ns);
  figures_.last_issue_ns = std::max(last_ns, row.issue_ns);
  last_id_ = row.op;
  const FollowedCall& call = callOf(row.call);
  if (!call.is_followed) return;
  if (young_.size() == kMaxYoung) {
    makeSlow(young_.front());
    young_.pop_front();
  }
  FollowedOperation& op = young_.emplace_back();
  op.id = row.op;
  op.call = call;
  op.apply(row);
}

const FollowedCall& OperationSums::callOf(std::uint32_t id) {
  FollowedCall& call = calls_[id % calls_.size()];
  if (call.id == id) return call;
  call = {};
  const v1::Call* const known = known_.call(id);
  if (!known) return call;
  call.id = id;
  call.facts = factsOf(*known);
  // A call that is only estimated communicates nothing.
  call.is_followed = !known->simulated();
  const v1::Group* const group = known_.group(known->group());
  if (!group) return call;
  const EngineTraits engine =
      engineTraits(group->backend(), group->backend_class());
  call.shown = endShownBy(*known, engine, false);
  call.has_no_future = endsOnlyInWait(engine, call.facts.operation);
  call.waiting = waitingFor(engine, *known);
  if (call.shown == EndShownBy::kReports) {
    const CallMode mode = modeOf(*known);
    call.reported_key = modeKey(known->group(), mode);
    reported_.try_emplace(call.reported_key, mode);
  }
  return call;
}

FollowedOperation* OperationSums::find(OpId id) {
  if (young_.empty() || id < young_.front().id) {
    const auto found = firstFrom(slow_, id);
    return found != slow_.end() && found->id == id ? &*found : nullptr;
  }
  const auto found = findNear(young_, near_, id);
  return found != young_.end() ? &*found : nullptr;
}

template <ProgressRow Row>
void OperationSums::add(const Row& row) {
  FollowedOperation* const op = find(row.op);
  if (!op) return;
  const bool had_returned = op->returned.known();
  const bool had_failed = op->failed;
  op->apply(row);
  if (!had_returned && op->returned.known()) {
    figures_.own_call_ns += nsBetween(op->issued, op->returned);
    blocked_.add(op->issued.ns(), op->returned.ns());
  }
  figures_.failed += op->failed && !had_failed;
  if (ReportedCalls* const calls = reportedOf(*op)) learn(row, *op, *calls);
  if (op->isAbandoned() || op->failed) count(*op);
}

ReportedCalls* OperationSums::reportedOf(const FollowedOperation& op) {
  if (op.shownBy() != EndShownBy::kReports) return nullptr;
  const auto found = reported_.find(op.call.reported_key);
  return found == reported_.end() ? nullptr : &found->second;
}

InFlight OperationSums::inFlight(const FollowedOperation& op) {
  return op.inFlight(op.shownBy(), reportedOf(op), op.id < may_lack_before_);
}

void OperationSums::retired(std::uint32_t group) {
  const std::uint64_t first = modeKey(group, CallMode{});
  for (std::uint64_t key = first; key < first + kCallModes; ++key) {
    reported_.erase(key);
  }
  for (FollowedCall& call : calls_) {
    if (call.facts.group == group) call = {};
  }
}

void OperationSums::add(const MarkRow& row) {
  if (row.kind != v1::MARK_KIND_STEP) return;
  if (figures_.step) {
    figures_.step_ns =
        nsBetween(Instant(figures_.step_began_ns), Instant(row.mark_ns));
  }
  figures_.step = row.value;
  figures_.step_began_ns = row.mark_ns;
}

void OperationSums::count(FollowedOperation& op) {
  if (std::exchange(op.counted, true)) return;
  ++figures_.operations;
  figures_.bytes += op.call.facts.bytes;
}

void OperationSums::addTimes(FollowedOperation& op) {
  if (std::exchange(op.times_added, true)) return;
  if (between(op.blockedFrom(), op.blockedUntil())) {
    blocked_.add(op.blockedFrom().ns(), op.blockedUntil().ns());
  }
  if (op.failed) return;
  figures_.completion_ns += nsBetween(op.issued, op.ended);
  figures_.exposed_wait_ns += op.exposedNs().value_or(0);
}

// Called once per operation, when it is dropped.
void OperationSums::addUnseenWait(const FollowedOperation& op) {
  if (op.shownBy() == EndShownBy::kNothing ||
      !op.mayHaveUnseenWait(op.call.waiting)) {
    return;
  }
  ++figures_.waits_unknown;
  const Instant begin = op.unseenWaitBegin(op.call.waiting);
  const Instant end = op.unseenWaitEnd(op.call.has_no_future);
  if (end.known()) {
    unseen_waits_.add(begin.ns(), end.ns());
  } else {
    unseen_waits_.addOpen(begin.ns());
  }
}

bool OperationSums::settle(FollowedOperation& op, std::int64_t now_ns) {
  const bool all_is_known =
      op.failed || (op.isSettled() && !op.mayEndBetter(now_ns));
  if (all_is_known || now_ns - op.issued.ns() > op.kMaxDurationNs) {
    count(op);
    addTimes(op);
  }
  if (!op.times_added) return false;
  const InFlight state = inFlight(op);
  if (state == InFlight::kNo) addUnseenWait(op);
  if (state == InFlight::kUnknown) leave(op);
  return state != InFlight::kYes;
}

// Adds what is known of an operation that will be dropped.
void OperationSums::leave(FollowedOperation& op) {
  count(op);
  addTimes(op);
  addUnseenWait(op);
  const InFlight state = inFlight(op);
  ReportedCalls* const reported = reportedOf(op);
  if (state == InFlight::kYes) left_out_ = true;
  if (state == InFlight::kUnknown && reported) reported->leaveUnknown(op.id);
}

void OperationSums::makeSlow(const FollowedOperation& op) {
  if (slow_.size() >= kMaxSlow) makeRoom();
  slow_.push_back(op);
  if (near_ > 0) --near_;
}

// Frees many entries at a time. Keeps the first ones in flight, because a hang
// starts with them.
void OperationSums::makeRoom() {
  constexpr std::size_t kPart = kMaxSlow / 4;
  const auto oldest_end = slow_.begin() + kPart;
  const auto kept_end =
      std::remove_if(slow_.begin(), oldest_end, [&](FollowedOperation& op) {
        const bool stays = inFlight(op) == InFlight::kYes;
        if (!stays) leave(op);
        return !stays;
      });
  slow_.erase(kept_end, oldest_end);
  if (slow_.size() < kMaxSlow - kPart / 2) return;
  while (slow_.size() > kMaxSlow - kPart) {
    leave(slow_.back());
    slow_.pop_back();
  }
}

const RankFigures& OperationSums::figures(std::int64_t now_ns) {
  std::erase_if(slow_,
                [&](FollowedOperation& op) { return settle(op, now_ns); });
  while (!young_.empty()) {
    FollowedOperation& op = young_.front();
    if (!settle(op, now_ns)) {
      if (now_ns - op.issued.ns() < op.kBetterEndNs) break;
      makeSlow(op);
    }
    young_.pop_front();
  }
  near_ = 0;
  figures_.polled_ns = now_ns;
  countInFlight();
  // All operations without a known end have ended by now.
  if (!figures_.may_have_more_in_flight) unseen_waits_.close(now_ns);
  figures_.communication_ns = blocked_.ns();
  figures_.unseen_wait_ns = unseen_waits_.ns();
  figures_.unseen_wait_is_bounded = !unseen_waits_.isOpen();
  return figures_;
}

void OperationSums::countInFlight() {
  figures_.in_flight = 0;
  figures_.oldest.clear();
  bool is_unknown = left_out_;
  for (const auto& [key, calls] : reported_) is_unknown |= calls.hasUnknown();
  const auto addAll = [&](const auto& operations) {
    for (const FollowedOperation& op : operations) {
      const InFlight state = inFlight(op);
      is_unknown |= state == InFlight::kUnknown;
      if (state != InFlight::kYes) continue;
      ++figures_.in_flight;
      if (figures_.oldest.size() == RankFigures::kMaxReported) continue;
      figures_.oldest.push_back(
          summarize(op.id, op.call.facts, op.seq, op.issued.ns(), known_));
    }
  };
  addAll(slow_);
  addAll(young_);
  figures_.may_have_more_in_flight = is_unknown;
}

}  // namespace traced
