// TableFile is one file of a table: rows that are sent to be written when there
// are enough of them.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "cli/export/parquet/python_writer.h"
#include "cli/export/parquet/table_column.h"

namespace traced {

struct TableSpec {
  const char* name;
  std::vector<TableColumnSpec> columns;
  // Columns by which its rows come in order, in each file.
  std::vector<const char*> order;
};

// Of an export: where its files are, and who writes them.
struct TableFolder {
  PythonWriter& writer;
  // "job=run42/attempt=0".
  std::string partition;
};

class TableFile {
 public:
  // Rows that are read together.
  static constexpr std::size_t kRowGroup = std::size_t{128} << 10;

  // `number`: among the files of its table.
  TableFile(const TableFolder& folder, const TableSpec& spec,
            std::size_t number);

  TableColumn& operator[](std::size_t column) { return columns_[column]; }

  // All columns have one more row.
  void endRow();
  // They have as many as are to be read together.
  void endRows() { sendRows(); }
  void finish();

 private:
  void sendRows();

  PythonWriter& writer_;
  const int number_;
  std::vector<TableColumn> columns_;
};

}  // namespace traced
