#include "cli/export/tables/wait_table.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "analysis/match/match.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/time_split/certified_times.h"
#include "cli/export/operation_facts.h"

namespace traced {

struct WaitTable::Row {
  std::uint32_t group_place;
  std::uint64_t seq_place;
  // Of texts_.
  const std::string* group;
  const std::string* op;
  const std::string* state;
  std::uint32_t rank;
  std::uint64_t op_id;
  std::int64_t step;
  std::int64_t peer;
  std::int64_t correlation_id;
  std::int64_t wait_begin_ns;
  std::int64_t wait_ns;
  std::int64_t stall_ns;
  std::int64_t slack_ns;
  std::int64_t wait_for_peers_ns;
  std::int64_t wait_for_peers_within_ns;
  std::int64_t transfer_ns;
  std::int64_t transfer_within_ns;
};

namespace {

std::int64_t storedTime(const std::optional<std::uint64_t>& ns) {
  return ns ? fitting(*ns) : kNoValue;
}

std::int64_t splitNs(const std::optional<CertifiedTime>& time) {
  return time ? fitting(notBelowZero(time->ns)) : kNoValue;
}

std::int64_t splitWithin(const std::optional<CertifiedTime>& time) {
  return time ? fitting(offByNs(*time)) : kNoValue;
}

std::int64_t transferWithin(const ExportedOperation& operation) {
  const auto& time = operation.split.transfer;
  return time ? fitting(transferOffByNs(*time, operation.call.op)) : kNoValue;
}

std::int64_t peerOrNone(const ExportedCall& call) {
  if (!call.call || !isPointToPoint(call.call->op())) return kNoValue;
  const auto peer = call.table.peerOf(call.op, *call.call);
  return peer ? std::int64_t{*peer} : kNoValue;
}

}  // namespace

WaitTable::WaitTable(const TableFolder& folder) : folder_(folder) {}
WaitTable::~WaitTable() = default;

const TableOf<WaitTable::Row>& WaitTable::table() {
  using R = const Row&;
  static const TableOf<Row> table(
      "waits",
      "an operation of a rank that was waited for, or whose time splits",
      {{"rank", [](R r) { return countCell(r.rank); }},
       {"op_id", [](R r) { return countCell(r.op_id); }},
       {"step", [](R r) { return storedCell(r.step); }},
       {"group_label", [](R r) { return textCell(*r.group); }},
       {"op", [](R r) { return textCell(*r.op); }},
       {"seq", [](R r) { return countCell(r.seq_place); }},
       {"peer_rank", [](R r) { return storedCell(r.peer); }},
       {"correlation_id", [](R r) { return storedCell(r.correlation_id); }},
       {"state", [](R r) { return textCell(*r.state); }},
       {"wait_begin_ns", [](R r) { return storedCell(r.wait_begin_ns); }},
       {"wait_ns", [](R r) { return storedCell(r.wait_ns); }},
       {"stall_ns", [](R r) { return storedCell(r.stall_ns); }},
       {"slack_ns", [](R r) { return storedCell(r.slack_ns); }},
       {"wait_for_peers_ns",
        [](R r) { return storedCell(r.wait_for_peers_ns); }},
       {"wait_for_peers_within_ns",
        [](R r) { return storedCell(r.wait_for_peers_within_ns); }},
       {"transfer_ns", [](R r) { return storedCell(r.transfer_ns); }},
       {"transfer_within_ns",
        [](R r) { return storedCell(r.transfer_within_ns); }}},
      {"group_label", "seq", "rank"});
  return table;
}

void WaitTable::add(const ExportedOperation& operation) {
  static const ExportColumn& step = operationColumn("step");
  static const ExportColumn& correlation = operationColumn("correlation_id");
  const ExportedCall& call = operation.call;
  const AssembledOperation& op = call.op;
  const OperationSplit& split = operation.split;
  const bool was_waited_for = op.wait_began.known() || op.stall_ns_plus_1 > 0;
  if (!was_waited_for && !split.wait_for_peers && !split.transfer) return;
  if (call.table.isSimulated(op)) return;
  const bool has_stall = op.stall_ns_plus_1 > 0;
  const auto textOf = [&](const std::string& text) {
    return &*texts_.insert(text).first;
  };
  rows_.push_back({
      .group_place = operation.group_place,
      .seq_place = operation.seqPlace(),
      .group = textOf(call.group),
      .op = textOf(operationName(call.table, op)),
      .state = textOf(nameOf(op.state())),
      .rank = operation.rank(),
      .op_id = op.id,
      .step = storedNumber(step.number(call)),
      .peer = peerOrNone(call),
      .correlation_id = storedNumber(correlation.number(call)),
      .wait_begin_ns = op.wait_began.known()
                           ? operation.commonNsOf(op.wait_began)
                           : kNoValue,
      .wait_ns = storedTime(between(op.wait_began, op.wait_ended)),
      .stall_ns = has_stall ? fitting(op.stall_ns_plus_1 - 1) : kNoValue,
      .slack_ns = storedTime(split.slack_ns),
      .wait_for_peers_ns = splitNs(split.wait_for_peers),
      .wait_for_peers_within_ns = splitWithin(split.wait_for_peers),
      .transfer_ns = splitNs(split.transfer),
      .transfer_within_ns = transferWithin(operation),
  });
  if (rows_.size() >= kMostRows) writeFile();
}

void WaitTable::writeFile() {
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return std::tie(a.group_place, a.seq_place) <
           std::tie(b.group_place, b.seq_place);
  });
  TableFile file(folder_, table().spec, files_++);
  for (const Row& row : rows_) file.add(table(), row);
  file.finish();
  rows_.clear();
}

void WaitTable::finish() {
  // There is a file, be it without rows, so that readers find the table.
  if (!rows_.empty() || files_ == 0) writeFile();
}

}  // namespace traced
