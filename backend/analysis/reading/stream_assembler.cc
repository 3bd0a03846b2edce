#include "analysis/reading/stream_assembler.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "analysis/stream/operation_kinds.h"
#include "trace_io/wrapping.h"

namespace traced {
namespace {

void noteError(AssembledOperation& op, std::uint32_t text, ErrorOrigin origin) {
  if (text == 0 || origin >= op.error_origin) return;
  op.error = text;
  op.error_origin = origin;
}

// Of the first operation whose id is not less; the last one's is not. Looked
// for in steps that double, as it mostly is not far.
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

constexpr std::uint32_t kWaitThrew = 1;
constexpr std::uint32_t kWaitReturnedFalse = 2;

}  // namespace

// Counters only grow, so the largest are the latest: this holds for chunks
// without rows too, whose order positions do not tell. What is deleted of what
// was stored is dropped.
void StreamAssembler::takeAccounts(const v1::Accounts& accounts) {
  const auto age = [](const v1::Accounts& told) {
    return std::tuple(told.produced(), told.closed(), told.recovered(),
                      ~told.stored());
  };
  table_.closed |= accounts.closed();
  if (age(accounts) >= age(table_.accounts)) table_.accounts = accounts;
}

// Each adds what those before it do not say.
void StreamAssembler::takeProcessEnd(const v1::ProcessEnd& seen) {
  v1::ProcessEnd end = seen;
  end.MergeFrom(table_.process_end);
  table_.process_end = std::move(end);
}

// Of those that the chunk before did not have.
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

// What an issue tells of an operation.
[[gnu::always_inline]] inline void StreamAssembler::tell(
    const IssueRow& row, AssembledOperation& op) {
  op.issued = Instant(row.issue_ns);
  op.call = table_.definitions.callInChunk(row.call);
  op.buffers = row.buffers;
  op.thread = row.thread;
  op.seq = row.seq;
  op.batch = row.batch;
  op.context = row.context;
  op.stack = row.stack;
  issued_ += op.issued.known();
  if (op.call != AssembledOperation::kNoCall) noteCall(op);
}

[[gnu::always_inline]] inline void StreamAssembler::apply(const IssueRow& row) {
  see(Instant(row.issue_ns));
  if (!isLatest(row.op)) return applyToKnown(row);
  std::vector<AssembledOperation>& operations = table_.operations;
  // To copy a blank one is faster than to make one.
  AssembledOperation& op = operations.emplace_back(blank_);
  op.id = row.op;
  here_ = &op;
  next_ = operations.size();
  tell(row, op);
}

// An operation of which something was told before it was issued, or that is
// issued twice.
void StreamAssembler::applyToKnown(const IssueRow& row) {
  table_.in_seq_order = false;
  AssembledOperation& op = operation(row.op);
  if (!op.issued.known()) tell(row, op);
}

[[gnu::always_inline]] inline void StreamAssembler::apply(
    const ReturnRow& row) {
  see(Instant(row.return_ns));
  AssembledOperation& op = operation(row.op);
  if (op.returned.known()) return;
  op.returned = Instant(row.return_ns);
  op.failed |= row.outcome == 1;
  noteError(op, row.error, ErrorOrigin::kReturn);
}

[[gnu::always_inline]] inline void StreamAssembler::apply(const DoneRow& row) {
  see(Instant(row.end_ns));
  AssembledOperation& op = operation(row.op);
  const bool only_waited = op.end_source == v1::END_SOURCE_WAIT;
  const bool is_first = !op.ended.known() || only_waited;
  // No source tells an end too early: of several the earliest is the best.
  const bool is_best = is_first || row.end_ns < op.ended.ns();
  // The source of the end tells the duration, or who else told one first: what
  // an engine measures begins behind an event that is before it.
  const auto known_ns = between(op.started, op.ended);
  const bool tells_duration =
      row.engine_ns_plus_1 > 0 && (is_best || !known_ns);
  const std::uint64_t engine_ns_plus_1 = tells_duration ? row.engine_ns_plus_1
                                         : known_ns     ? *known_ns + 1
                                                        : 0;
  if (is_first) {
    op.failed |= row.outcome == 1;
    noteError(op, row.error, ErrorOrigin::kDone);
  }
  if (is_best) {
    op.ended = Instant(row.end_ns);
    op.end_source = static_cast<v1::EndSource>(row.source);
  }
  if (engine_ns_plus_1 > 0) {
    op.started = Instant(wrappingDifference(
        op.ended.ns(), static_cast<std::int64_t>(engine_ns_plus_1 - 1)));
  }
}

[[gnu::always_inline]] inline void StreamAssembler::apply(const WaitRow& row) {
  const std::int64_t end_ns =
      wrappingSum(row.wait_begin_ns, static_cast<std::int64_t>(row.wait_ns));
  see(Instant(end_ns));
  AssembledOperation& op = operation(row.op);
  // A later row is about the same wait; it may have found out the stall.
  if (op.stall_ns_plus_1 == 0) op.stall_ns_plus_1 = row.stall_ns_plus_1;
  if (op.wait_began.known()) return;
  op.wait_began = Instant(row.wait_begin_ns);
  op.wait_ended = Instant(end_ns);
  op.failed |= row.outcome == kWaitThrew || row.outcome == kWaitReturnedFalse;
  noteError(op, row.error, ErrorOrigin::kWait);
  op.source_rank_plus_1 = row.source_rank_plus_1;
  const bool saw_end = row.saw_end == 1 && row.outcome != kWaitThrew;
  if (saw_end && !op.ended.known()) {
    op.ended = Instant(end_ns);
    op.end_source = v1::END_SOURCE_WAIT;
  }
}

[[gnu::always_inline]] inline void StreamAssembler::apply(
    const ReleaseRow& row) {
  see(Instant(row.release_ns));
  AssembledOperation& op = operation(row.op);
  if (!op.released.known()) op.released = Instant(row.release_ns);
}

void StreamAssembler::apply(const MethodRow& row) {
  AssembledOperation& op = operation(row.op);
  // A text may have come under several ids.
  const auto add = [this](std::uint32_t& known, std::uint32_t told) {
    if (told == 0 || told == known) return;
    const bool is_same = table_.methodText(known) == table_.methodText(told);
    known = known == 0 || is_same ? told : AssembledOperation::kSeveral;
  };
  add(op.algorithm, row.algorithm);
  add(op.protocol, row.protocol);
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
  op.channels = static_cast<std::uint16_t>(
      std::max<std::uint32_t>(op.channels, std::min(row.channels, kMost)));
}

[[gnu::always_inline]] inline void StreamAssembler::apply(const MarkRow& row) {
  see(Instant(row.mark_ns));
  table_.marks.add(row);
}

void StreamAssembler::add(v1::Payload& payload, PackedRows* rows) {
  ++table_.chunks;
  table_.definitions.add(payload);
  noteCalls();
  if (payload.has_accounts()) takeAccounts(payload.accounts());
  if (payload.has_process_end()) takeProcessEnd(payload.process_end());
  if (payload.has_anchor()) see(Instant(payload.anchor().monotonic_ns()));
  const bool agree = rows ? rows->columnsAgree() : columnsAgree(payload);
  if (!agree) {
    ++table_.broken_tables;
    return;
  }
  const auto take = [this](const auto& row) __attribute__((always_inline)) {
    apply(row);
  };
  if (rows) {
    rows->forEachRow(payload.anchor().monotonic_ns(), take);
  } else {
    forEachRow(payload, take);
  }
  table_.rows_found += rows ? rows->rowCount() : rowCount(payload);
}

// Rows of one operation may come in any order of chunks, so whatever names it
// first makes its place. The tables of a chunk mostly name the same operations
// in the same order, so the next one is tried before it is looked for near by.
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
  return std::move(table_);
}

}  // namespace traced
