#include "analysis/live/live_stream.h"

#include <algorithm>
#include <utility>

namespace traced {
namespace {

StreamTable tableOf(const v1::Header& header) {
  StreamTable table;
  table.header = header;
  return table;
}

}  // namespace

LiveStream::LiveStream(const v1::Header& header)
    : table_(tableOf(header)), ready_times_(table_) {}

void LiveStream::define(v1::Payload& definitions) {
  table_.definitions.add(definitions);
}

void LiveStream::add(const IssueRow& row) {
  std::vector<AssembledOperation>& operations = table_.operations;
  // Happens only if the ring was tampered with.
  if (!operations.empty() && operations.back().id >= row.op) return;
  AssembledOperation& op = operations.emplace_back();
  op.id = row.op;
  op.issue(row, table_.definitions.call(row.call));
  if (op.call == AssembledOperation::kNoCall) {
    unknown_.push_back({row.op, row.call, row.stack});
  }
  addEndsOf(op.call);
  last_id_ = op.id;
  if (op.issued.isAfter(last_issue_)) last_issue_ = op.issued;
}

void LiveStream::add(const MarkRow& row) {
  if (row.kind != v1::MARK_KIND_STEP) return;
  const Instant at(row.mark_ns);
  if (const auto took = between(steps_.began, at)) steps_.last_ns = *took;
  steps_.began = at;
  steps_.number = row.value;
  ++steps_.begun;
}

AssembledOperation* LiveStream::find(std::uint64_t id) {
  const auto op = findNear(table_.operations, near_, id);
  if (op != table_.operations.end()) return &*op;
  const auto left = firstFrom(left_open_, id);
  return left != left_open_.end() && left->id == id ? &*left : nullptr;
}

v1::Payload LiveStream::unknown() const {
  v1::Payload named;
  for (const Unknown& one : unknown_) {
    named.mutable_issued()->add_call(one.call);
    named.mutable_issued()->add_stack(one.stack);
  }
  return named;
}

void LiveStream::resolve(v1::Payload definitions) {
  define(definitions);
  for (const Unknown& one : unknown_) {
    AssembledOperation* op = find(one.op);
    if (!op) continue;
    op->call = table_.definitions.call(one.call);
    addEndsOf(op->call);
    lost_ += op->call == AssembledOperation::kNoCall;
  }
  unknown_.clear();
}

void LiveStream::addEndsOf(std::uint32_t index) {
  if (index == AssembledOperation::kNoCall) return;
  if (index >= ends_of_call_.size()) ends_of_call_.resize(index + 1);
  Ends& ends = ends_of_call_[index];
  if (ends.shown != EndShownBy::kUnknown) return;
  const v1::Call& call = table_.definitions.calls()[index];
  ends.shown = endShownBy(call, table_.engineOf(call), false);
  if (ends.shown != EndShownBy::kReports) return;
  const CallMode mode = modeOf(call);
  ends.reported =
      &reported_.try_emplace(modeKey(call.group(), mode), mode).first->second;
}

LiveStream::Ends LiveStream::endsOf(const AssembledOperation& op) const {
  if (op.call >= ends_of_call_.size()) return {};
  const bool is_member =
      op.batch > 0 && table_.callOf(op)->op() != v1::OPERATION_COALESCED;
  return is_member ? Ends{EndShownBy::kNothing} : ends_of_call_[op.call];
}

InFlight LiveStream::inFlight(const AssembledOperation& op) const {
  const Ends ends = endsOf(op);
  return op.inFlight(ends.shown, ends.reported, op.id < may_lack_before_);
}

bool LiveStream::mayHaveMoreInFlight() const {
  const auto is_unknown = [this](const AssembledOperation& op) {
    return inFlight(op) == InFlight::kUnknown;
  };
  const auto has_unknown = [](const auto& each) {
    return each.second.hasUnknown();
  };
  return left_out_ ||
         std::any_of(reported_.begin(), reported_.end(), has_unknown) ||
         std::any_of(table_.operations.begin(), table_.operations.end(),
                     is_unknown);
}

void LiveStream::settle(std::int64_t now_ns) {
  left_flight_.clear();
  std::erase_if(left_open_, [this](const AssembledOperation& op) {
    const InFlight state = inFlight(op);
    ReportedCalls* const reported = endsOf(op).reported;
    if (state == InFlight::kUnknown && reported) reported->leaveUnknown(op.id);
    if (state != InFlight::kYes) left_flight_.push_back(op);
    return state != InFlight::kYes;
  });
  std::vector<AssembledOperation>& operations = table_.operations;
  const std::size_t most =
      operations.size() - std::min(operations.size(), kMaxOperations);
  while (ready_.size() < operations.size()) {
    const AssembledOperation& op = operations[ready_.size()];
    if (op.call == AssembledOperation::kNoCall && !knowsAll()) break;
    const auto age_ns = between(op.issued, Instant(now_ns));
    const bool is_old = age_ns && *age_ns > AssembledOperation::kMaxDurationNs;
    const bool is_over = op.isSettled() && !op.mayEndBetter(now_ns);
    if (!is_over && !is_old && ready_.size() >= most) break;
    ready_.push_back(ready_times_.next(op));
  }
}

// Keeps the earliest operations, as a hang begins with them.
void LiveStream::leaveOpen(const AssembledOperation& op) {
  constexpr std::size_t kMax = 16384;
  const InFlight state = inFlight(op);
  if (state == InFlight::kYes && left_open_.size() == kMax) left_out_ = true;
  ReportedCalls* const reported = endsOf(op).reported;
  if (state == InFlight::kUnknown && reported) reported->leaveUnknown(op.id);
  if (state != InFlight::kYes || left_open_.size() == kMax) return;
  const auto place =
      std::upper_bound(left_open_.begin(), left_open_.end(), op.id,
                       [](std::uint64_t id, const AssembledOperation& each) {
                         return id < each.id;
                       });
  left_open_.insert(place, op);
}

void LiveStream::forget(const std::vector<bool>& counted) {
  std::vector<AssembledOperation>& operations = table_.operations;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    if (counted[i]) {
      leaveOpen(operations[i]);
      continue;
    }
    operations[kept] = operations[i];
    ready_[kept++] = ready_[i];
  }
  operations.erase(
      operations.begin() + static_cast<std::ptrdiff_t>(kept),
      operations.begin() + static_cast<std::ptrdiff_t>(ready_.size()));
  ready_.resize(kept);
}

}  // namespace traced
