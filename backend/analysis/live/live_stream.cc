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

AssembledOperation* findIn(std::vector<AssembledOperation>& operations,
                           std::uint64_t id) {
  const auto found =
      std::lower_bound(operations.begin(), operations.end(), id,
                       [](const AssembledOperation& op, std::uint64_t at) {
                         return op.id < at;
                       });
  return found != operations.end() && found->id == id ? &*found : nullptr;
}

}  // namespace

LiveStream::LiveStream(const v1::Header& header)
    : table_(tableOf(header)), ready_times_(table_) {}

void LiveStream::define(v1::Payload& definitions) {
  table_.definitions.add(definitions);
}

void LiveStream::add(const IssueRow& row) {
  std::vector<AssembledOperation>& operations = table_.operations;
  // Only of a ring that somebody tampered with.
  if (!operations.empty() && operations.back().id >= row.op) return;
  AssembledOperation& op = operations.emplace_back();
  op.id = row.op;
  apply(row, table_.definitions.call(row.call), op);
  if (op.call == AssembledOperation::kNoCall) {
    unknown_.push_back({row.op, row.call, row.stack});
  }
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
  std::vector<AssembledOperation>& operations = table_.operations;
  // Mostly the latest, the one that was named before, or the one behind it.
  if (!operations.empty() && operations.back().id == id) {
    return &operations.back();
  }
  for (std::size_t i = near_; i < std::min(near_ + 2, operations.size()); ++i) {
    if (operations[i].id != id) continue;
    near_ = i;
    return &operations[i];
  }
  AssembledOperation* op = findIn(operations, id);
  if (!op) return findIn(left_open_, id);
  near_ = static_cast<std::size_t>(op - operations.data());
  return op;
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
    lost_ += op->call == AssembledOperation::kNoCall;
  }
  unknown_.clear();
}

// Whoever waits for it, or lets go of it, is the last to say anything of it.
bool LiveStream::isOver(const AssembledOperation& op) {
  if (op.failed || op.over) return true;
  const bool let_go = op.wait_ended.known() || op.released.known();
  return let_go && op.ended.known();
}

// Nobody waits for it any more where that is seen, or it has ended.
bool LiveStream::isOpen(const AssembledOperation& op) {
  return !op.ended.known() && !op.failed && !op.released.known() &&
         !op.wait_ended.known();
}

// A worker of Gloo's may be about to tell when it ended, which a wait has only
// seen later.
bool LiveStream::mayEndBetter(const AssembledOperation& op,
                              std::int64_t now_ns) {
  constexpr std::uint64_t kLongEnoughNs = 100'000'000;
  if (op.end_source != v1::END_SOURCE_WAIT) return false;
  const auto since_ns = between(op.wait_ended, Instant(now_ns));
  return since_ns && *since_ns < kLongEnoughNs;
}

void LiveStream::settle(std::int64_t now_ns) {
  std::erase_if(left_open_, [](const auto& op) { return !isOpen(op); });
  std::vector<AssembledOperation>& operations = table_.operations;
  const std::size_t most =
      operations.size() - std::min(operations.size(), kMostOperations);
  while (ready_.size() < operations.size()) {
    const AssembledOperation& op = operations[ready_.size()];
    if (op.call == AssembledOperation::kNoCall && !knowsAll()) break;
    const auto age_ns = between(op.issued, Instant(now_ns));
    const bool is_old = age_ns && *age_ns > kLongestNs;
    const bool is_over = isOver(op) && !mayEndBetter(op, now_ns);
    if (!is_over && !is_old && ready_.size() >= most) break;
    ready_.push_back(ready_times_.next(op));
  }
}

void LiveStream::leaveOpen(const AssembledOperation& op) {
  constexpr std::size_t kMost = 1024;
  if (left_open_.size() == kMost) left_open_.erase(left_open_.begin());
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
      if (isOpen(operations[i])) leaveOpen(operations[i]);
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
