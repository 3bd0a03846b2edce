#include "cli/export/parquet/operation_part.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "cli/export/export_cells.h"

namespace traced {

OperationPart::OperationPart(const TableFolder& folder, std::size_t number)
    : file_(folder, operationTable(), number) {
  const std::vector<TableColumnSpec>& columns = operationTable().columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const char* const name = columns[i].name;
    const ExportColumn* const from = exportColumn(name);
    if (from && from->told_by != ToldBy::kOperation) {
      Shared& shared = sharedOf(from->told_by);
      shared.from.push_back(from);
      shared.to.push_back(i);
    } else {
      own_.push_back({from, from ? nullptr : ownTableColumn(name), i, {}});
    }
    if (std::string_view(name) == "end_bound") addEndBounds(file_[i]);
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
        tableValue(shared.from[i]->value(call), file_[shared.to[i]]));
  }
  return next;
}

void OperationPart::add(const ExportedOperation& operation) {
  const ExportedCall& call = operation.call;
  for (Shared& shared : shared_) {
    shared.place_of_row.push_back(placeIn(shared, call));
  }
  for (Own& own : own_) {
    own.values.push_back(own.from ? tableNumber(own.from->number(call))
                                  : own.own->value(operation));
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
        told.add(shared.values[shared.place_of_row[rows[i]] + column]);
      }
    }
  }
  for (const Own& own : own_) {
    TableColumn& told = file_[own.to];
    for (std::size_t i = from; i < to; ++i) told.add(own.values[rows[i]]);
  }
  file_.endRows();
}

}  // namespace traced
