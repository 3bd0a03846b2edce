// WaitTable is the table "waits": of the time of each operation what was
// waiting for other ranks and what was transfer, and for how long the program
// was held up by it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/node_hash_set.h"
#include "cli/export/tables/exported_stream.h"
#include "cli/export/tables/table_file.h"

namespace traced {

class WaitTable {
 public:
  struct Row;

  explicit WaitTable(const TableFolder& folder);
  ~WaitTable();

  static const TableOf<Row>& table();

  // Nothing of an operation of which none of that is known. Ranks come in their
  // order.
  void add(const ExportedOperation& operation);
  void finish();

 private:
  // As many are in memory, and then in a file.
  static constexpr std::size_t kMostRows = std::size_t{1} << 20;

  void writeFile();

  const TableFolder& folder_;
  std::vector<Row> rows_;
  absl::node_hash_set<std::string> texts_;
  std::size_t files_ = 0;
};

}  // namespace traced
