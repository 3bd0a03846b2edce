#include "cli/export/parquet/table_file.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace traced {
namespace {

const char* nameOf(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kNumber:
      return "number";
    case ColumnKind::kFlag:
      return "flag";
    case ColumnKind::kText:
      return "text";
  }
  return "";
}

}  // namespace

TableFile::TableFile(const TableFolder& folder, const TableSpec& spec,
                     std::size_t number)
    : writer_(folder.writer), number_(writer_.nextFile()) {
  Json columns = Json::array();
  for (const TableColumnSpec& column : spec.columns) {
    columns_.emplace_back(column);
    columns.push_back({{"name", column.name},
                       {"kind", nameOf(column.kind)},
                       {"repeats", column.repeats}});
  }
  writer_.send(
      {{"to", number_},
       {"file", absl::StrCat(spec.name, "/", folder.partition,
                             absl::StrFormat("/part-%05d.parquet", number))},
       {"columns", std::move(columns)},
       {"order", spec.order}});
}

void TableFile::endRow() {
  if (columns_.front().rows() >= kRowGroup) sendRows();
}

void TableFile::sendRows() {
  const std::size_t rows = columns_.front().rows();
  std::string data;
  Json columns = Json::array();
  for (TableColumn& column : columns_) columns.push_back(column.takeRows(data));
  writer_.send({{"to", number_},
                {"rows", rows},
                {"bytes", data.size()},
                {"columns", std::move(columns)}},
               data);
}

void TableFile::finish() {
  // A file without rows has the columns all the same.
  if (columns_.front().rows() > 0) sendRows();
  writer_.send({{"to", number_}, {"file_ends", true}});
}

}  // namespace traced
