#include "analysis/stream_assembler.h"

#include <utility>

namespace traced {
namespace {

std::int64_t wrappingAdd(std::int64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + b);
}

std::int64_t wrappingSubtract(std::int64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - b);
}

void noteError(AssembledOperation& op, std::uint32_t text, ErrorOrigin origin) {
  if (text == 0 || origin >= op.error_origin) return;
  op.error = text;
  op.error_origin = origin;
}

constexpr std::uint32_t kWaitThrew = 1;
constexpr std::uint32_t kWaitReturnedFalse = 2;

}  // namespace

void StreamAssembler::add(v1::Payload& payload) {
  ++table_.chunks;
  table_.definitions.add(payload);
  if (payload.has_accounts()) takeAccounts(payload.accounts());
  if (payload.has_anchor()) see(payload.anchor().monotonic_ns());
  if (columnsAgree(payload)) {
    addRows(payload);
  } else {
    ++table_.broken_tables;
  }
}

// Counters only grow, so the largest are the latest: this holds for chunks
// without rows too, whose order positions do not tell.
void StreamAssembler::takeAccounts(const v1::Accounts& accounts) {
  table_.closed |= accounts.closed();
  if (accounts.produced() >= table_.accounts.produced()) {
    table_.accounts = accounts;
  }
}

void StreamAssembler::addRows(const v1::Payload& payload) {
  forEachRow(payload, [this](const auto& row) { apply(row); });
  table_.rows_found += rowCount(payload);
}

void StreamAssembler::apply(const IssueRow& row) {
  see(row.issue_ns);
  AssembledOperation& op = operation(row.op);
  if (op.issued.known()) return;
  op.issued = Instant(row.issue_ns);
  op.call = table_.definitions.callInChunk(row.call);
  op.buffers = row.buffers;
  op.thread = row.thread;
  op.seq = row.seq;
  op.batch = row.batch;
}

void StreamAssembler::apply(const ReturnRow& row) {
  see(row.return_ns);
  AssembledOperation& op = operation(row.op);
  if (op.returned.known()) return;
  op.returned = Instant(row.return_ns);
  op.failed |= row.outcome == 1;
  noteError(op, row.error, ErrorOrigin::kReturn);
}

void StreamAssembler::apply(const DoneRow& row) {
  see(row.end_ns);
  AssembledOperation& op = operation(row.op);
  const bool only_waited = op.end_source == v1::END_SOURCE_WAIT;
  const bool is_first = !op.ended.known() || only_waited;
  // Of the first source that told it.
  const auto engine_ns = between(op.started, op.ended);
  const std::uint64_t engine_ns_plus_1 =
      engine_ns ? *engine_ns + 1 : row.engine_ns_plus_1;
  if (is_first) {
    op.failed |= row.outcome == 1;
    noteError(op, row.error, ErrorOrigin::kDone);
  }
  // No source tells an end too early: of several the earliest is the best.
  if (is_first || row.end_ns < op.ended.ns()) {
    op.ended = Instant(row.end_ns);
    op.end_source = static_cast<v1::EndSource>(row.source);
  }
  if (engine_ns_plus_1 > 0) {
    op.started = Instant(wrappingSubtract(op.ended.ns(), engine_ns_plus_1 - 1));
  }
}

void StreamAssembler::apply(const WaitRow& row) {
  const std::int64_t end_ns = wrappingAdd(row.wait_begin_ns, row.wait_ns);
  see(end_ns);
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

void StreamAssembler::apply(const ReleaseRow& row) {
  see(row.release_ns);
  AssembledOperation& op = operation(row.op);
  if (!op.released.known()) op.released = Instant(row.release_ns);
}

void StreamAssembler::apply(const MarkRow& row) {
  see(row.mark_ns);
  table_.marks.add(row);
}

// Rows of one operation may come in any order of chunks, so whatever names it
// first makes its place. The tables of a chunk mostly name the same operations
// in the same order, so the next one is tried before it is looked up.
AssembledOperation& StreamAssembler::operation(std::uint64_t id) {
  std::vector<AssembledOperation>& operations = table_.operations;
  if (next_ >= operations.size() || operations[next_].id != id) {
    const auto end = static_cast<std::uint32_t>(operations.size());
    const auto [place, is_new] = index_by_id_.try_emplace(id, end);
    if (is_new) operations.emplace_back().id = id;
    next_ = place->second;
  }
  return operations[next_++];
}

void StreamAssembler::see(std::int64_t ns) {
  const Instant instant(ns);
  if (!instant.known()) return;
  if (!table_.last.known() || ns > table_.last.ns()) table_.last = instant;
}

StreamTable StreamAssembler::finish() && {
  std::erase_if(table_.operations, [](const AssembledOperation& op) {
    return !op.issued.known();
  });
  for (const AssembledOperation& op : table_.operations) {
    table_.simulated += table_.isSimulated(op);
  }
  table_.marks.finish(Instant(table_.header.started().monotonic_ns()),
                      table_.last);
  return std::move(table_);
}

}  // namespace traced
