#include "recorder/metrics/operation_sums.h"

#include <algorithm>
#include <utility>

namespace traced {
namespace {

std::uint64_t keyOf(std::uint32_t group, CallManner manner) {
  return std::uint64_t{group} * kCallManners +
         static_cast<std::uint64_t>(manner);
}

template <typename Operations>
auto firstFrom(Operations& operations, OpId id) {
  return std::lower_bound(operations.begin(), operations.end(), id,
                          [](const auto& op, OpId at) { return op.id < at; });
}

}  // namespace

void OperationSums::see(const Ring::Record& record) {
  switch (record.kind) {
    case RecordKind::kIssue:
      return issued(record.position, record.as<IssueRecord>());
    case RecordKind::kReturn:
      return apply(record.as<ReturnRecord>());
    case RecordKind::kDone:
      return apply(record.as<DoneRecord>());
    case RecordKind::kWait:
      return apply(record.as<WaitRecord>());
    case RecordKind::kReturnAndWait:
      return apply(record.as<ReturnAndWaitRecord>());
    case RecordKind::kRelease:
      return apply(record.as<ReleaseRecord>());
    case RecordKind::kMark:
      return marked(record.as<MarkRecord>());
    case RecordKind::kRetireGroup:
      return retired(record.as<DefinitionHead>().id);
    default:
      return;
  }
}

void OperationSums::issued(OpId id, const IssueRecord& issue) {
  const std::int64_t last_ns = figures_.last_issue_ns.value_or(issue.issue_ns);
  figures_.last_issue_ns = std::max(last_ns, issue.issue_ns);
  last_id_ = id;
  const FollowedCall& call = callOf(issue.call);
  if (!call.is_followed) return;
  if (young_.size() == kMostYoung) {
    makeSlow(young_.front());
    young_.pop_front();
  }
  FollowedOperation& op = young_.emplace_back();
  op.id = id;
  op.call = call;
  op.seq = issue.seq;
  op.issue_ns = issue.issue_ns;
  op.in_batch = issue.batch > 0;
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
  if (call.shown == EndShownBy::kReports) {
    const CallManner manner = mannerOf(*known);
    call.reported_key = keyOf(known->group(), manner);
    reported_.try_emplace(call.reported_key, manner);
  }
  return call;
}

FollowedOperation* OperationSums::find(OpId id) {
  if (young_.empty() || id < young_.front().id) {
    const auto found = firstFrom(slow_, id);
    return found != slow_.end() && found->id == id ? &*found : nullptr;
  }
  // Mostly the latest, the one that was named before, or the one behind it.
  if (young_.back().id == id) return &young_.back();
  for (std::size_t i = near_; i < std::min(near_ + 2, young_.size()); ++i) {
    if (young_[i].id != id) continue;
    near_ = i;
    return &young_[i];
  }
  const auto found = firstFrom(young_, id);
  if (found == young_.end() || found->id != id) return nullptr;
  near_ = static_cast<std::size_t>(found - young_.begin());
  return &*found;
}

template <typename Record>
void OperationSums::apply(const Record& record) {
  FollowedOperation* const op = find(record.op);
  if (!op) return;
  const bool had_returned = op->returned;
  const bool had_failed = op->failed;
  op->apply(record);
  if (!had_returned) figures_.own_call_ns += op->own_call_ns;
  figures_.failed += op->failed && !had_failed;
  learnFrom(record, *op);
  if (op->isThrough()) count(*op);
}

ReportedCalls* OperationSums::reportedOf(const FollowedOperation& op) {
  if (op.shownBy() != EndShownBy::kReports) return nullptr;
  const auto found = reported_.find(op.call.reported_key);
  return found == reported_.end() ? nullptr : &found->second;
}

InFlight OperationSums::inFlight(const FollowedOperation& op) {
  return op.inFlight(reportedOf(op), op.id < may_lack_before_);
}

void OperationSums::learnFrom(const ReturnRecord&,
                              const FollowedOperation& op) {
  ReportedCalls* const reported = reportedOf(op);
  if (reported && !op.failed && !op.ended) reported->returned(op.id);
}

void OperationSums::learnFrom(const DoneRecord& record,
                              const FollowedOperation& op) {
  ReportedCalls* const reported = reportedOf(op);
  if (!reported) return;
  const bool by_device = record.source == EndSource::kDeviceEvent ||
                         record.source == EndSource::kCompletionHook ||
                         record.source == EndSource::kDeviceWait;
  if (by_device) {
    reported->ended(op.id, record.source != EndSource::kDeviceWait);
  } else {
    reported->forget(op.id);
  }
}

void OperationSums::learnFrom(const WaitRecord&, const FollowedOperation& op) {
  if (!op.failed && !op.ended) return;
  if (ReportedCalls* const reported = reportedOf(op)) reported->forget(op.id);
}

void OperationSums::learnFrom(const ReturnAndWaitRecord& record,
                              const FollowedOperation& op) {
  learnFrom(record.returned(), op);
  learnFrom(record.waited(), op);
}

void OperationSums::retired(std::uint32_t group) {
  for (std::uint64_t how = 0; how < kCallManners; ++how) {
    reported_.erase(std::uint64_t{group} * kCallManners + how);
  }
  for (FollowedCall& call : calls_) {
    if (call.facts.group == group) call = {};
  }
}

void OperationSums::marked(const MarkRecord& mark) {
  if (mark.kind != MarkKind::kStep) return;
  if (figures_.step) {
    figures_.step_ns = lastedNs(figures_.step_began_ns, mark.mark_ns);
  }
  figures_.step = mark.value;
  figures_.step_began_ns = mark.mark_ns;
}

void OperationSums::count(FollowedOperation& op) {
  if (std::exchange(op.counted, true)) return;
  ++figures_.operations;
  figures_.bytes += op.call.facts.bytes;
}

void OperationSums::addTimes(FollowedOperation& op) {
  if (std::exchange(op.times_added, true) || op.failed) return;
  figures_.completion_ns += op.completionNs();
  figures_.exposed_wait_ns += op.exposedWaitNs();
}

// Once for each operation: when nobody follows it any longer.
void OperationSums::addUnseenWait(const FollowedOperation& op) {
  if (!op.hasUnseenWait()) return;
  ++figures_.waits_unknown;
  if (const auto end_ns = op.unseenWaitEndNs()) {
    unseen_waits_.add(op.returnNs(), *end_ns);
  } else {
    unseen_waits_.addOpen(op.returnNs());
  }
}

bool OperationSums::settle(FollowedOperation& op, std::int64_t now_ns) {
  const bool may_end_better =
      op.end_is_of_wait && now_ns - op.wait_end_ns < kBetterEndNs;
  const bool all_is_known =
      op.failed || (op.isThrough() && op.ended && !may_end_better);
  if (all_is_known || now_ns - op.issue_ns > kLongestNs) {
    count(op);
    addTimes(op);
  }
  if (!op.times_added) return false;
  const InFlight state = inFlight(op);
  if (state == InFlight::kNo) addUnseenWait(op);
  if (state == InFlight::kUnknown) leave(op);
  return state != InFlight::kYes;
}

// Nobody follows it any longer.
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
  if (slow_.size() >= kMostSlow) makeRoom();
  slow_.push_back(op);
  if (near_ > 0) --near_;
}

// Many at a time. Keeps the first ones that are in flight, as a hang begins
// with them.
void OperationSums::makeRoom() {
  constexpr std::size_t kPart = kMostSlow / 4;
  const auto oldest_end = slow_.begin() + kPart;
  const auto kept_end =
      std::remove_if(slow_.begin(), oldest_end, [&](FollowedOperation& op) {
        const bool stays = inFlight(op) == InFlight::kYes;
        if (!stays) leave(op);
        return !stays;
      });
  slow_.erase(kept_end, oldest_end);
  if (slow_.size() < kMostSlow - kPart / 2) return;
  while (slow_.size() > kMostSlow - kPart) {
    leave(slow_.back());
    slow_.pop_back();
  }
}

const RankFigures& OperationSums::look(std::int64_t now_ns) {
  std::erase_if(slow_,
                [&](FollowedOperation& op) { return settle(op, now_ns); });
  while (!young_.empty()) {
    FollowedOperation& op = young_.front();
    if (!settle(op, now_ns)) {
      if (now_ns - op.issue_ns < kBetterEndNs) break;
      makeSlow(op);
    }
    young_.pop_front();
  }
  near_ = 0;
  figures_.looked_ns = now_ns;
  countInFlight();
  // All operations without a known end have ended by now.
  if (!figures_.may_have_more_in_flight) unseen_waits_.close(now_ns);
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
      if (figures_.oldest.size() == RankFigures::kMostTold) continue;
      figures_.oldest.push_back(
          tellOperation(op.id, op.call.facts, op.seq, op.issue_ns, known_));
    }
  };
  addAll(slow_);
  addAll(young_);
  figures_.may_have_more_in_flight = is_unknown;
}

}  // namespace traced
