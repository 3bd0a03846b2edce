// TableFile is one file of a table. It sends rows to the output in row groups.

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

// Stands for an absent value. No table value is as low.
inline constexpr std::int64_t kNoValue =
    std::numeric_limits<std::int64_t>::min();

// Returns a count as a signed number, or kNoValue if it does not fit. Some
// readers of tables have no unsigned numbers.
inline std::int64_t fitting(std::uint64_t count) {
  return count > std::numeric_limits<std::int64_t>::max()
             ? kNoValue
             : static_cast<std::int64_t>(count);
}

// Returns the cell of a stored value; kNoValue means absent.
inline CellValue storedCell(std::int64_t value) {
  return value == kNoValue ? CellValue() : CellValue(value);
}

// One column of a table, with the rows in memory.
class TableColumn {
 public:
  explicit TableColumn(const ColumnInfo& info) : info_(info) {}

  const ColumnInfo& info() const { return info_; }
  std::size_t rows() const { return values_.size(); }

  void add(const CellValue& value) { addStored(stored(value)); }
  // Returns a value of the rows in memory.
  CellValue cell(std::size_t row) const;

  // Returns `value` in its stored form: a number, 0 or 1 for a flag, the number
  // of a text, the bits of a real number, or kNoValue.
  std::int64_t stored(const CellValue& value);
  void addStored(std::int64_t value) { values_.push_back(value); }

  // Appends the rows to `data` in the layout that write_parquet.py reads.
  // Returns the sizes of the parts.
  Json pack(std::string& data) const;
  void clear() { values_.clear(); }

 private:
  // Returns the number of a text, assigning one if it is new.
  std::int64_t numberOf(const std::string& text);
  // Appends a bit per row, set if the value is present, or nothing if all are
  // present. Returns the number of bytes appended.
  std::size_t appendValid(std::string& data) const;
  void appendValues(std::string& data) const;

  const ColumnInfo& info_;
  std::vector<std::int64_t> values_;
  // A text keeps its number for the lifetime of the column.
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, std::int64_t> number_of_;
};

// The destination of tables.
class TableOutput {
 public:
  virtual ~TableOutput() = default;

  // Returns false if rows of this table would be dropped.
  virtual bool wants(const char* table) const = 0;
  // Returns false after a failure. The caller can then skip the rest.
  virtual bool ok() const = 0;
  // Begins a file of a table and returns its number. Many files may be open at
  // once.
  virtual int begin(const TableSpec& table, const std::string& path) = 0;
  // Writes the columns as one row group.
  virtual void add(int file, const std::vector<TableColumn>& columns) = 0;
  // Completes a file. No rows may follow.
  virtual void end(int file) = 0;
};

// The output of an export, and the folder of its files in each table.
struct TableFolder {
  TableOutput& output;
  // For example "job=run42/attempt=0".
  std::string partition;
};

class TableFile {
 public:
  // Maximum number of rows of a row group.
  static constexpr std::size_t kRowGroup = std::size_t{128} << 10;

  // Begins the file in the folder's output. The output and `spec` must outlive
  // this object. `number`: index of the file in its table.
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
  // Writes the rows so far as one row group.
  void sendRows();
  // Sends the remaining rows and ends the file.
  void finish();

 private:
  TableOutput& output_;
  const int number_;
  std::vector<TableColumn> columns_;
};

}  // namespace traced
