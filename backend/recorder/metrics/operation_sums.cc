#include "recorder/metrics/operation_sums.h"

#include <algorithm>
#include <utility>

namespace traced {
namespace {

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
    default:
      return;
  }
}

void OperationSums::issued(OpId id, const IssueRecord& issue) {
  const std::int64_t last_ns = figures_.last_issue_ns.value_or(issue.issue_ns);
  figures_.last_issue_ns = std::max(last_ns, issue.issue_ns);
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
  ++figures_.in_flight;
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
  if (op->in_flight && (op->isThrough() || op->ended)) {
    op->in_flight = false;
    --figures_.in_flight;
  }
  if (op->isThrough()) count(*op);
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

bool OperationSums::settle(FollowedOperation& op, std::int64_t now_ns) {
  const bool may_end_better =
      op.end_is_of_wait && now_ns - op.wait_end_ns < kBetterEndNs;
  const bool all_is_known =
      op.failed || (op.isThrough() && op.ended && !may_end_better);
  if (all_is_known || now_ns - op.issue_ns > kLongestNs) {
    count(op);
    addTimes(op);
  }
  return op.times_added && !op.in_flight;
}

void OperationSums::makeSlow(const FollowedOperation& op) {
  if (slow_.size() >= kMostSlow) forgetOldest();
  slow_.push_back(op);
  if (near_ > 0) --near_;
}

// Many at a time, as those behind them move.
void OperationSums::forgetOldest() {
  const auto until = slow_.begin() + kMostSlow / 4;
  for (auto op = slow_.begin(); op != until; ++op) {
    count(*op);
    addTimes(*op);
    figures_.in_flight -= op->in_flight;
  }
  slow_.erase(slow_.begin(), until);
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
  tellOldest();
  return figures_;
}

void OperationSums::tellOldest() {
  figures_.oldest.clear();
  const std::uint64_t wanted =
      std::min<std::uint64_t>(figures_.in_flight, RankFigures::kMostTold);
  const auto tellOf = [&](const auto& operations) {
    for (const FollowedOperation& op : operations) {
      if (figures_.oldest.size() == wanted) return;
      if (!op.in_flight) continue;
      figures_.oldest.push_back(
          tellOperation(op.id, op.call.facts, op.seq, op.issue_ns, known_));
    }
  };
  tellOf(slow_);
  tellOf(young_);
}

}  // namespace traced
