#include "cli/export/parquet/wait_table.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "analysis/match/match.h"
#include "analysis/stream/names.h"
#include "analysis/stream/operation_kinds.h"
#include "analysis/time_split/certified_times.h"
#include "cli/export/end_bounds.h"

namespace traced {
namespace {

const TableSpec& waitTableSpec() {
  constexpr auto kText = ColumnKind::kText;
  constexpr auto kNumber = ColumnKind::kNumber;
  static const TableSpec spec = {"waits",
                                 {{"rank", kNumber, true},
                                  {"op_id"},
                                  {"step", kNumber, true},
                                  {"group_label", kText},
                                  {"op", kText},
                                  {"seq"},
                                  {"peer_global", kNumber, true},
                                  {"correlation_id", kNumber, true},
                                  {"state", kText},
                                  {"begin_ns"},
                                  {"wait_ns"},
                                  {"stall_ns"},
                                  {"slack_ns"},
                                  {"wait_for_peers_ns"},
                                  {"wait_for_peers_within_ns"},
                                  {"transfer_ns"},
                                  {"transfer_within_ns"}},
                                 {"group_label", "seq", "rank"}};
  return spec;
}

std::int64_t waitedFor(const std::optional<std::uint64_t>& ns) {
  return ns ? TableColumn::fitting(*ns) : kNoValue;
}

std::int64_t splitNs(const std::optional<CertifiedTime>& time) {
  return time ? TableColumn::fitting(notBelowZero(time->ns)) : kNoValue;
}

std::int64_t splitWithin(const std::optional<CertifiedTime>& time) {
  return time ? TableColumn::fitting(offByNs(*time)) : kNoValue;
}

std::int64_t transferWithin(const ExportedOperation& operation) {
  const auto& time = operation.split.transfer;
  return time ? TableColumn::fitting(transferOffByNs(*time, operation.call.op))
              : kNoValue;
}

std::int64_t peerOrNone(const ExportedCall& call) {
  if (!call.call || !isPointToPoint(call.call->op())) return kNoValue;
  const auto peer = call.table.peerOf(call.op, *call.call);
  return peer ? std::int64_t{*peer} : kNoValue;
}

}  // namespace

std::uint32_t WaitTable::numberOf(const std::string& text) {
  const auto [found, is_new] =
      number_of_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return found->second;
}

void WaitTable::add(const ExportedOperation& operation) {
  const ExportedCall& call = operation.call;
  const AssembledOperation& op = call.op;
  const OperationSplit& split = operation.split;
  const bool was_waited_for = op.wait_began.known() || op.stall_ns_plus_1 > 0;
  if (!was_waited_for && !split.wait_for_peers && !split.transfer) return;
  if (call.table.isSimulated(op)) return;
  const bool has_stall = op.stall_ns_plus_1 > 0;
  rows_.push_back({
      .group_place = operation.group_place,
      .seq_place = operation.seqPlace(),
      .group = numberOf(call.group == "-" ? "" : call.group),
      .op = numberOf(operationName(call.table, op)),
      .state = numberOf(nameOf(op.state())),
      .rank = operation.rank(),
      .op_id = op.id,
      .step = operation.step,
      .peer = peerOrNone(call),
      .correlation_id = operation.correlation_id,
      .begin_ns = op.wait_began.known() ? operation.commonNsOf(op.wait_began)
                                        : kNoValue,
      .wait_ns = waitedFor(between(op.wait_began, op.wait_ended)),
      .stall_ns =
          has_stall ? TableColumn::fitting(op.stall_ns_plus_1 - 1) : kNoValue,
      .slack_ns = waitedFor(split.slack_ns),
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
  TableFile file(folder_, waitTableSpec(), files_++);
  for (const Row& row : rows_) addRow(file, row);
  file.finish();
  rows_.clear();
}

void WaitTable::addRow(TableFile& file, const Row& row) const {
  std::size_t column = 0;
  file[column++].add(row.rank);
  file[column++].addCount(row.op_id);
  file[column++].add(row.step);
  file[column++].addText(texts_[row.group]);
  file[column++].addText(texts_[row.op]);
  file[column++].addCount(row.seq_place);
  file[column++].add(row.peer);
  file[column++].add(row.correlation_id);
  file[column++].addText(texts_[row.state]);
  file[column++].add(row.begin_ns);
  file[column++].add(row.wait_ns);
  file[column++].add(row.stall_ns);
  file[column++].add(row.slack_ns);
  file[column++].add(row.wait_for_peers_ns);
  file[column++].add(row.wait_for_peers_within_ns);
  file[column++].add(row.transfer_ns);
  file[column++].add(row.transfer_within_ns);
  file.endRow();
}

void WaitTable::finish() {
  // There is a file, be it without rows, so that readers find the table.
  if (!rows_.empty() || files_ == 0) writeFile();
}

}  // namespace traced
