// TableFile is one file of a table: rows that are sent to be written when there
// are enough of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/common/json.h"
#include "cli/export/columns.h"

namespace traced {

// What is absent; no number of a trace that a table can hold is as low.
inline constexpr std::int64_t kNoValue =
    std::numeric_limits<std::int64_t>::min();

// Tables have signed numbers, as some readers know no others: what is too large
// for them is absent.
inline std::int64_t fitting(std::uint64_t count) {
  return count > std::numeric_limits<std::int64_t>::max()
             ? kNoValue
             : static_cast<std::int64_t>(count);
}

inline CellValue storedCell(std::int64_t value) {
  return value == kNoValue ? CellValue() : CellValue(value);
}

// One column of a table, as far as its rows are in memory.
class TableColumn {
 public:
  explicit TableColumn(const ColumnInfo& info) : info_(info) {}

  const ColumnInfo& info() const { return info_; }
  std::size_t rows() const { return values_.size(); }

  void add(const CellValue& value) { addStored(stored(value)); }
  CellValue cell(std::size_t row) const;

  // A value as it is kept: a number, 0 or 1 of a flag, or a text by its number;
  // or kNoValue.
  std::int64_t stored(const CellValue& value);
  void addStored(std::int64_t value) { values_.push_back(value); }

  // Appends the rows to `data`, as Parquet's writer reads them, and returns how
  // they are there.
  Json pack(std::string& data) const;
  void clear() { values_.clear(); }

 private:
  std::int64_t numberOf(const std::string& text);
  std::size_t appendValid(std::string& data) const;
  void appendValues(std::string& data) const;

  const ColumnInfo& info_;
  std::vector<std::int64_t> values_;
  // A text keeps its number as long as there is the column.
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, std::int64_t> number_of_;
};

// Where tables are written to.
class TableOutput {
 public:
  virtual ~TableOutput() = default;

  // Rows of other tables are dropped.
  virtual bool wants(const char* table) const = 0;
  // False when what is sent arrives nowhere: the rest can be left out.
  virtual bool ok() const = 0;
  // Begins a file of a table and returns its number. Many may be open at once.
  virtual int begin(const TableSpec& table, const std::string& path) = 0;
  virtual void add(int file, const std::vector<TableColumn>& columns) = 0;
  virtual void end(int file) = 0;
};

// Of an export: where its files are, and who writes them.
struct TableFolder {
  TableOutput& output;
  // "job=run42/attempt=0".
  std::string partition;
};

class TableFile {
 public:
  // Rows that are read together.
  static constexpr std::size_t kRowGroup = std::size_t{128} << 10;

  // `number`: among the files of its table.
  TableFile(const TableFolder& folder, const TableSpec& spec,
            std::size_t number = 0);

  template <typename Row>
  void add(const TableOf<Row>& table, const Row& row) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].add(table.columns[i].value(row));
    }
    if (columns_.front().rows() >= kRowGroup) sendRows();
  }

  TableColumn& operator[](std::size_t column) { return columns_[column]; }
  // All columns have as many rows as are to be read together.
  void sendRows();
  void finish();

 private:
  TableOutput& output_;
  const int number_;
  std::vector<TableColumn> columns_;
};

}  // namespace traced
