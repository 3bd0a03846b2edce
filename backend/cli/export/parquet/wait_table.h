// WaitTable is the table "waits": of the time of each operation what was
// waiting for other ranks and what was transfer, and for how long the program
// was held up by it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/export/parquet/exported_operation.h"
#include "cli/export/parquet/table_file.h"

namespace traced {

class WaitTable {
 public:
  explicit WaitTable(const TableFolder& folder) : folder_(folder) {}

  // Nothing of an operation of which none of that is known. Ranks come in their
  // order.
  void add(const ExportedOperation& operation);
  void finish();

 private:
  struct Row {
    std::uint32_t group_place;
    std::uint64_t seq_place;
    // Of texts_.
    std::uint32_t group;
    std::uint32_t op;
    std::uint32_t state;
    std::uint32_t rank;
    std::uint64_t op_id;
    std::int64_t step;
    std::int64_t peer;
    std::int64_t correlation_id;
    std::int64_t begin_ns;
    std::int64_t wait_ns;
    std::int64_t stall_ns;
    std::int64_t slack_ns;
    std::int64_t wait_for_peers_ns;
    std::int64_t wait_for_peers_within_ns;
    std::int64_t transfer_ns;
    std::int64_t transfer_within_ns;
  };

  // As many are in memory, and then in a file.
  static constexpr std::size_t kMostRows = std::size_t{1} << 20;

  std::uint32_t numberOf(const std::string& text);
  void writeFile();
  void addRow(TableFile& file, const Row& row) const;

  const TableFolder& folder_;
  std::vector<Row> rows_;
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, std::uint32_t> number_of_;
  std::size_t files_ = 0;
};

}  // namespace traced
