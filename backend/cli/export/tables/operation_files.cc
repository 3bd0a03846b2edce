#include "cli/export/tables/operation_files.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "analysis/stream/operation_kinds.h"
#include "analysis/time_split/certified_times.h"
#include "cli/export/operation_facts.h"

namespace traced {

namespace {

std::vector<OperationTable::Column> operationsInParquet() {
  std::vector<OperationTable::Column> columns;
  for (const ExportColumn& column : operationColumns()) {
    if (column.in != ColumnIn::kRows) columns.push_back({column.name, nullptr});
  }
  return columns;
}

CellValue timeCell(const std::optional<CertifiedTime>& time) {
  return time ? countCell(notBelowZero(time->ns)) : CellValue();
}

CellValue peerRank(const ExportedOperation& operation) {
  const ExportedCall& call = operation.call;
  if (!call.call || !isPointToPoint(call.call->op())) return {};
  const auto peer = call.table.peerOf(call.op, *call.call);
  return peer ? countCell(*peer) : CellValue();
}

}  // namespace

const OperationTable& operationTable() {
  static const OperationTable table("operations", "an operation of a rank",
                                    operationsInParquet(),
                                    {"group_label", "seq", "rank"});
  return table;
}

const OperationTable& waitTable() {
  using R = const ExportedOperation&;
  static const OperationTable table(
      "waits",
      "an operation of a rank that was waited for, or whose time splits",
      {{"rank", nullptr},
       {"op_id", nullptr},
       {"step", nullptr},
       {"group_label", nullptr},
       {"op", nullptr},
       {"seq", nullptr},
       {"peer_rank", peerRank},
       {"correlation_id", nullptr},
       {"state", nullptr},
       {"wait_begin_ns", nullptr},
       {"wait_ns", nullptr},
       {"stall_ns", nullptr},
       {"slack_ns", [](R r) { return countCell(r.split.slack_ns); }},
       {"wait_for_peers_ns",
        [](R r) { return timeCell(r.split.wait_for_peers); }},
       {"wait_for_peers_within_ns",
        [](R r) {
          const auto& time = r.split.wait_for_peers;
          return time ? countCell(offByNs(*time)) : CellValue();
        }},
       {"transfer_ns", [](R r) { return timeCell(r.split.transfer); }},
       {"transfer_within_ns",
        [](R r) {
          const auto& time = r.split.transfer;
          return time ? countCell(transferOffByNs(*time, r.call.op))
                      : CellValue();
        }}},
      {"group_label", "seq", "rank"});
  return table;
}

bool isInWaitTable(const ExportedOperation& operation) {
  const AssembledOperation& op = operation.call.op;
  const OperationSplit& split = operation.split;
  const bool was_waited_for = op.wait_began.known() || op.stall_ns_plus_1 > 0;
  return (was_waited_for || split.wait_for_peers || split.transfer) &&
         !operation.call.table.isSimulated(op);
}

OperationPart::OperationPart(const TableFolder& folder,
                             const OperationTable& table, std::size_t number)
    : file_(folder, table.spec, number) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto& [name, value] = table.columns[i];
    const ExportColumn* const from = value ? nullptr : &operationColumn(name);
    if (!from || from->source == FieldSource::kOperation) {
      own_.push_back({from, value, i, {}});
    } else {
      Shared& shared = sharedOf(from->source);
      shared.from.push_back(from);
      shared.to.push_back(i);
    }
  }
}

OperationPart::Shared& OperationPart::sharedOf(FieldSource source) {
  for (Shared& shared : shared_) {
    if (shared.source == source) return shared;
  }
  return shared_.emplace_back(Shared{source, {}, {}, {}, {}, {}});
}

void OperationPart::beginStream() {
  for (Shared& shared : shared_) shared.place_of.clear();
}

std::uint32_t OperationPart::placeIn(Shared& shared, const ExportedCall& call) {
  const auto next = static_cast<std::uint32_t>(shared.values.size());
  const auto [found, is_new] =
      shared.place_of.try_emplace(idOfSource(shared.source, call), next);
  if (!is_new) return found->second;
  for (std::size_t i = 0; i < shared.from.size(); ++i) {
    shared.values.push_back(
        file_[shared.to[i]].stored(shared.from[i]->value(call)));
  }
  return next;
}

void OperationPart::add(const ExportedOperation& operation) {
  const ExportedCall& call = operation.call;
  for (Shared& shared : shared_) {
    shared.place_of_row.push_back(placeIn(shared, call));
  }
  for (Own& own : own_) {
    own.values.push_back(own.value ? file_[own.to].stored(own.value(operation))
                                   : storedNumber(own.from->number(call)));
  }
  places_.push_back({operation.group_place, operation.seqPlace()});
}

std::vector<std::uint32_t> OperationPart::sortedRows() const {
  std::vector<std::uint32_t> rows(places_.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](auto a, auto b) { return places_[a] < places_[b]; });
  return rows;
}

void OperationPart::finish() {
  const std::vector<std::uint32_t> rows = sortedRows();
  for (std::size_t from = 0; from < rows.size(); from += TableFile::kRowGroup) {
    sendRows(rows, from, std::min(rows.size(), from + TableFile::kRowGroup));
  }
  file_.finish();
}

void OperationPart::sendRows(const std::vector<std::uint32_t>& rows,
                             std::size_t from, std::size_t to) {
  for (const Shared& shared : shared_) {
    for (std::size_t column = 0; column < shared.to.size(); ++column) {
      TableColumn& column_file = file_[shared.to[column]];
      for (std::size_t i = from; i < to; ++i) {
        column_file.addStored(
            shared.values[shared.place_of_row[rows[i]] + column]);
      }
    }
  }
  for (const Own& own : own_) {
    TableColumn& column_file = file_[own.to];
    for (std::size_t i = from; i < to; ++i)
      column_file.addStored(own.values[rows[i]]);
  }
  file_.sendRows();
}

void OperationFiles::beginStream() {
  const bool full =
      part_ && (ranks_ >= most_ranks_ || part_->rows() >= kMaxRows);
  if (full) finishPart();
  if (!part_) part_.emplace(folder_, table_, files_++);
  part_->beginStream();
  ++ranks_;
}

void OperationFiles::finish() {
  if (!part_) part_.emplace(folder_, table_, files_++);
  finishPart();
}

void OperationFiles::finishPart() {
  part_->finish();
  part_.reset();
  ranks_ = 0;
}

}  // namespace traced
