#include "recorder/metrics/operation_sums.h"

#include <algorithm>
#include <utility>

#include "recorder/chunks/operation_name.h"

namespace traced {
namespace {

// Time that would run backwards adds nothing.
std::uint64_t lasted(std::int64_t from_ns, std::int64_t to_ns) {
  return to_ns > from_ns ? static_cast<std::uint64_t>(to_ns - from_ns) : 0;
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
    case RecordKind::kReturn: {
      const auto told = record.as<ReturnRecord>();
      return change(told.op, [&](Followed& op) { returned(op, told); });
    }
    case RecordKind::kDone: {
      const auto told = record.as<DoneRecord>();
      return change(told.op, [&](Followed& op) { done(op, told); });
    }
    case RecordKind::kWait: {
      const auto told = record.as<WaitRecord>();
      return change(told.op, [&](Followed& op) { waited(op, told); });
    }
    case RecordKind::kReturnAndWait: {
      const auto told = record.as<ReturnAndWaitRecord>();
      return change(told.op, [&](Followed& op) {
        returned(op, told.returned());
        waited(op, told.waited());
      });
    }
    case RecordKind::kRelease:
      return change(record.as<ReleaseRecord>().op,
                    [](Followed& op) { op.let_go = true; });
    case RecordKind::kMark:
      return marked(record.as<MarkRecord>());
    default:
      return;
  }
}

void OperationSums::issued(OpId id, const IssueRecord& issue) {
  const std::int64_t last_ns = figures_.last_issue_ns.value_or(issue.issue_ns);
  figures_.last_issue_ns = std::max(last_ns, issue.issue_ns);
  const Call& call = callOf(issue.call);
  if (!call.is_followed) return;
  if (young_.size() == kMostYoung) {
    makeSlow(young_.front());
    young_.pop_front();
  }
  Followed& op = young_.emplace_back();
  op.id = id;
  op.call = call;
  op.seq = issue.seq;
  op.issue_ns = issue.issue_ns;
  ++figures_.in_flight;
}

const OperationSums::Call& OperationSums::callOf(std::uint32_t id) {
  Call& call = calls_[id % calls_.size()];
  if (call.id == id) return call;
  call = {};
  const v1::Call* const known = known_.call(id);
  if (!known) return call;
  call.id = id;
  call.group = known->group();
  call.peer = static_cast<std::int64_t>(known->peer_global_plus_1()) - 1;
  call.bytes = std::max(known->bytes_in(), known->bytes_out());
  call.operation = static_cast<Operation>(known->op());
  // A call that is only estimated communicates nothing.
  call.is_followed = !known->simulated();
  return call;
}

OperationSums::Followed* OperationSums::find(OpId id) {
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

template <typename Change>
void OperationSums::change(OpId id, Change change) {
  Followed* const op = find(id);
  if (!op) return;
  change(*op);
  advance(*op);
}

// The rules are those by which readers put the rows of an operation together.
void OperationSums::returned(Followed& op, const ReturnRecord& record) {
  if (op.returned) return;
  op.returned = true;
  figures_.own_call_ns += lasted(op.issue_ns, record.return_ns);
  if (record.outcome == Outcome::kThrew) fail(op);
}

void OperationSums::done(Followed& op, const DoneRecord& record) {
  const bool is_first = !op.ended || op.end_is_of_wait;
  if (is_first && record.outcome == Outcome::kThrew) fail(op);
  if (!is_first && record.end_ns >= op.end_ns) return;
  op.ended = true;
  op.end_is_of_wait = record.source == EndSource::kWait;
  op.end_ns = record.end_ns;
}

void OperationSums::waited(Followed& op, const WaitRecord& record) {
  if (op.stall_ns_plus_1 == 0) op.stall_ns_plus_1 = record.stall_ns_plus_1;
  if (op.waited) return;
  op.waited = true;
  op.wait_ns = record.wait_ns;
  op.wait_end_ns = record.begin_ns + static_cast<std::int64_t>(record.wait_ns);
  if (record.outcome != Outcome::kOk) fail(op);
  if (!record.saw_end || record.outcome == Outcome::kThrew || op.ended) return;
  op.ended = op.end_is_of_wait = true;
  op.end_ns = op.wait_end_ns;
}

void OperationSums::fail(Followed& op) {
  if (!std::exchange(op.failed, true)) ++figures_.failed;
}

void OperationSums::marked(const MarkRecord& mark) {
  if (mark.kind != MarkKind::kStep) return;
  if (figures_.step) {
    figures_.step_ns = lasted(figures_.step_began_ns, mark.mark_ns);
  }
  figures_.step = mark.value;
  figures_.step_began_ns = mark.mark_ns;
}

void OperationSums::advance(Followed& op) {
  const bool is_through = op.waited || op.let_go || op.failed;
  if (op.in_flight && (is_through || op.ended)) {
    op.in_flight = false;
    --figures_.in_flight;
  }
  if (is_through) count(op);
}

void OperationSums::count(Followed& op) {
  if (std::exchange(op.counted, true)) return;
  ++figures_.operations;
  figures_.bytes += op.call.bytes;
}

void OperationSums::addTimes(Followed& op) {
  if (std::exchange(op.is_over, true) || op.failed) return;
  if (op.ended) figures_.completion_ns += lasted(op.issue_ns, op.end_ns);
  if (op.stall_ns_plus_1 > 0) {
    figures_.exposed_wait_ns += op.stall_ns_plus_1 - 1;
  } else if (op.waited) {
    figures_.exposed_wait_ns += op.wait_ns;
  }
}

bool OperationSums::settle(Followed& op, std::int64_t now_ns) {
  const bool is_through = op.waited || op.let_go;
  const bool may_end_better =
      op.end_is_of_wait && now_ns - op.wait_end_ns < kBetterEndNs;
  const bool is_over = op.failed ||
                       (is_through && op.ended && !may_end_better) ||
                       now_ns - op.issue_ns > kLongestNs;
  if (is_over) {
    count(op);
    addTimes(op);
  }
  return op.is_over && !op.in_flight;
}

// It is not yet over.
void OperationSums::makeSlow(const Followed& op) {
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
  std::erase_if(slow_, [&](Followed& op) { return settle(op, now_ns); });
  while (!young_.empty()) {
    Followed& op = young_.front();
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
    for (const Followed& op : operations) {
      if (figures_.oldest.size() == wanted) return;
      if (op.in_flight) figures_.oldest.push_back(tell(op));
    }
  };
  tellOf(slow_);
  tellOf(young_);
}

OperationInFlight OperationSums::tell(const Followed& op) const {
  OperationInFlight told;
  told.op = op.id;
  told.operation = operationName(op.call.operation);
  if (const v1::Group* const group = known_.group(op.call.group)) {
    told.group_name = group->name();
    told.group_desc = group->desc();
  }
  told.seq = op.seq;
  told.bytes = op.call.bytes;
  told.peer = op.call.peer;
  told.issue_ns = op.issue_ns;
  return told;
}

}  // namespace traced
