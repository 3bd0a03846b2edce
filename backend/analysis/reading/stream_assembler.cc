#include "analysis/reading/stream_assembler.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/stream/operation_kinds.h"

namespace traced {
namespace {

// Returns the index of the first operation whose id is not less than `id`. The
// last operation's id must not be less. Searches from `near` in doubling steps,
// as the result is usually close.
std::size_t indexNear(const std::vector<AssembledOperation>& operations,
                      std::size_t near, std::uint64_t id) {
  const auto isBefore = [&](std::size_t i) { return operations[i].id < id; };
  std::size_t low = std::min(near, operations.size() - 1);
  std::size_t high = low;
  for (std::size_t step = 1; low > 0 && !isBefore(low); step *= 2) {
    high = low;
    low -= std::min(step, low);
  }
  for (std::size_t step = 1; isBefore(high); step *= 2) {
    low = high;
    high = std::min(high + step, operations.size() - 1);
  }
  const auto begin = operations.begin();
  const auto found = std::partition_point(
      begin + static_cast<std::ptrdiff_t>(low),
      begin + static_cast<std::ptrdiff_t>(high),
      [id](const AssembledOperation& op) { return op.id < id; });
  return static_cast<std::size_t>(found - begin);
}

}  // namespace

// Keeps the latest accounts. Counters only grow, so the largest are the latest.
// This holds also for chunks without rows, whose positions do not order them.
// Records deleted by retention move from stored to dropped.
void StreamAssembler::takeAccounts(const v1::Accounts& accounts) {
  const auto age = [](const v1::Accounts& each) {
    return std::tuple(each.produced(), each.closed(), each.recovered(),
                      ~each.stored());
  };
  table_.closed |= accounts.closed();
  if (age(accounts) >= age(table_.accounts)) table_.accounts = accounts;
}

// Later values fill in fields that earlier ones lack.
void StreamAssembler::takeProcessEnd(const v1::ProcessEnd& seen) {
  v1::ProcessEnd end = seen;
  end.MergeFrom(table_.process_end);
  table_.process_end = std::move(end);
}

// Adds the calls defined by the last chunk.
void StreamAssembler::noteCalls() {
  const std::vector<v1::Call>& calls = table_.definitions.calls();
  for (std::size_t i = calls_.size(); i < calls.size(); ++i) {
    CallSummary& summary = calls_.emplace_back();
    summary.simulated = calls[i].simulated();
    if (isPointToPoint(calls[i].op())) continue;
    const auto next = static_cast<std::uint32_t>(last_seqs_.size());
    const auto [place, is_new] =
        counter_of_group_.try_emplace(calls[i].group(), next);
    if (is_new) last_seqs_.push_back(0);
    summary.counter = place->second;
  }
}

[[gnu::always_inline]] inline void StreamAssembler::noteCall(
    const AssembledOperation& op) {
  const CallSummary& call = calls_[op.call];
  table_.simulated += call.simulated;
  if (call.counter == 0 || op.seq == 0) return;
  std::uint64_t& last = last_seqs_[call.counter];
  table_.in_seq_order &= op.seq >= last;
  last = op.seq;
}

// Applies an issue row to an operation.
[[gnu::always_inline]] inline void StreamAssembler::applyIssue(
    const IssueRow& row, AssembledOperation& op) {
  op.issue(row, table_.definitions.callInChunk(row.call));
  issued_ += op.issued.known();
  if (op.call != AssembledOperation::kNoCall) noteCall(op);
}

[[gnu::always_inline]] inline void StreamAssembler::take(const IssueRow& row) {
  updateLast(Instant(row.issue_ns));
  if (!isLatest(row.op)) return takeKnown(row);
  std::vector<AssembledOperation>& operations = table_.operations;
  // Copying a blank operation is faster than constructing one.
  AssembledOperation& op = operations.emplace_back(blank_);
  op.id = row.op;
  here_ = &op;
  next_ = operations.size();
  applyIssue(row, op);
}

// Handles an operation that has other rows before its issue row, or two issue
// rows.
void StreamAssembler::takeKnown(const IssueRow& row) {
  table_.in_seq_order = false;
  AssembledOperation& op = operation(row.op);
  if (!op.issued.known()) applyIssue(row, op);
}

template <ProgressRow Row>
[[gnu::always_inline]] inline void StreamAssembler::take(const Row& row) {
  updateLast(Instant(row.lastNs()));
  operation(row.op).apply(row);
}

void StreamAssembler::take(const MethodRow& row) {
  table_.addMethod(row, operation(row.op));
}

[[gnu::always_inline]] inline void StreamAssembler::take(const MarkRow& row) {
  updateLast(Instant(row.mark_ns));
  table_.marks.add(row);
}

void StreamAssembler::take(const FunctionRow& row) {
  updateLast(Instant(row.at_ns));
  table_.functions.push_back(row);
}

void StreamAssembler::take(const ThreadSampleRow& row) {
  updateLast(Instant(row.sample_ns));
  table_.thread_samples.push_back(row);
}

void StreamAssembler::add(v1::Payload& payload, PackedRows* rows) {
  ++table_.chunks;
  table_.definitions.add(payload);
  noteCalls();
  if (payload.has_accounts()) takeAccounts(payload.accounts());
  if (payload.has_process_end()) takeProcessEnd(payload.process_end());
  if (payload.has_anchor())
    updateLast(Instant(payload.anchor().monotonic_ns()));
  const bool agree = rows ? rows->columnsAgree() : columnsAgree(payload);
  if (!agree) {
    ++table_.broken_tables;
    return;
  }
  const auto takeRow = [this](const auto& row) __attribute__((always_inline)) {
    take(row);
  };
  if (rows) {
    rows->forEachRow(payload.anchor().monotonic_ns(), takeRow);
  } else {
    forEachRow(payload, takeRow);
  }
  table_.rows_found += rows ? rows->rowCount() : rowCount(payload);
}

// Chunks may contain the rows of an operation in any order, so the first row of
// an id creates it. The tables of a chunk mostly contain the same ids in the
// same order. Callers try the next operation first, and this function then
// searches nearby.
void StreamAssembler::search(std::uint64_t id) {
  std::vector<AssembledOperation>& operations = table_.operations;
  if (!ordered_) return searchUnordered(id);
  if (operations.empty() || operations.back().id < id) {
    next_ = operations.size();
    operations.emplace_back().id = id;
    return;
  }
  next_ = indexNear(operations, next_, id);
  if (operations[next_].id == id) return;
  ordered_ = false;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    index_by_id_.emplace(operations[i].id, i);
  }
  searchUnordered(id);
}

void StreamAssembler::searchUnordered(std::uint64_t id) {
  const auto [place, is_new] =
      index_by_id_.try_emplace(id, table_.operations.size());
  if (is_new) table_.operations.emplace_back().id = id;
  next_ = place->second;
}

StreamTable StreamAssembler::finish() && {
  if (issued_ < table_.operations.size()) {
    std::erase_if(table_.operations, [](const AssembledOperation& op) {
      return !op.issued.known();
    });
  }
  table_.marks.finish(Instant(table_.header.started().monotonic_ns()),
                      table_.last);
  table_.findOperationSpan();
  return std::move(table_);
}

}  // namespace traced
