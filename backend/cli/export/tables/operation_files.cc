#include "cli/export/tables/operation_files.h"

#include <algorithm>
#include <numeric>

namespace traced {

OperationPart::OperationPart(const TableFolder& folder, std::size_t number)
    : file_(folder, operationTable(), number) {
  const std::vector<const ColumnInfo*>& columns = operationTable().columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ExportColumn& from = operationColumn(columns[i]->name);
    if (from.told_by == ToldBy::kOperation) {
      own_.push_back({&from, i, {}});
    } else {
      Shared& shared = sharedOf(from.told_by);
      shared.from.push_back(&from);
      shared.to.push_back(i);
    }
  }
}

OperationPart::Shared& OperationPart::sharedOf(ToldBy told_by) {
  for (Shared& shared : shared_) {
    if (shared.told_by == told_by) return shared;
  }
  return shared_.emplace_back(Shared{told_by, {}, {}, {}, {}, {}});
}

void OperationPart::beginStream() {
  for (Shared& shared : shared_) shared.place_of.clear();
}

std::uint32_t OperationPart::placeIn(Shared& shared, const ExportedCall& call) {
  const auto next = static_cast<std::uint32_t>(shared.values.size());
  const auto [found, is_new] =
      shared.place_of.try_emplace(idOfTeller(shared.told_by, call), next);
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
    own.values.push_back(storedNumber(own.from->number(call)));
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
      TableColumn& told = file_[shared.to[column]];
      for (std::size_t i = from; i < to; ++i) {
        told.addStored(shared.values[shared.place_of_row[rows[i]] + column]);
      }
    }
  }
  for (const Own& own : own_) {
    TableColumn& told = file_[own.to];
    for (std::size_t i = from; i < to; ++i) told.addStored(own.values[rows[i]]);
  }
  file_.sendRows();
}

void OperationFiles::beginStream() {
  const bool full =
      part_ && (ranks_ >= kMostRanks || part_->rows() >= kMostRows);
  if (full) finishPart();
  if (!part_) part_.emplace(folder_, files_++);
  part_->beginStream();
  ++ranks_;
}

void OperationFiles::finish() {
  if (!part_) part_.emplace(folder_, files_++);
  finishPart();
}

void OperationFiles::finishPart() {
  part_->finish();
  part_.reset();
  ranks_ = 0;
}

}  // namespace traced
