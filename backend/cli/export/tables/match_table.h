// JobMatchTable is the table "matches". A row is one operation of the job,
// combined from several ranks by group and number.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/export/tables/exported_stream.h"
#include "cli/export/tables/table_file.h"

namespace traced {

// Uses memory for one row per operation of the job. Not thread safe.
class JobMatchTable {
 public:
  // Adds an operation of one rank. Ranks must be added in their order.
  // Operations without a key are ignored.
  void add(const ExportedOperation& operation);
  // Sorts the rows and writes the table. Call once, after all add() calls.
  void write(const TableFolder& folder);

  struct Row {
    OperationKey key;
    const std::string* group = nullptr;
    std::uint32_t group_place = 0;
    std::uint64_t seq = 0;
    // The operation that the first of its ranks called.
    v1::Operation op = v1::OPERATION_UNSPECIFIED;
    std::int64_t correlation_id = kNoValue;
    std::int64_t message_size = kNoValue;
    std::uint32_t group_size = 0;
    std::uint32_t ranks = 0;
    std::uint32_t ended = 0;
    std::uint32_t failed = 0;
    std::uint32_t simulated = 0;
    // Number of ranks for which the end time is only an upper bound.
    std::uint32_t late_ends = 0;
    std::uint32_t last_issue_rank = 0;
    std::int64_t first_issue_ns = 0;
    std::int64_t last_issue_ns = 0;
    std::int64_t first_end_ns = kNoValue;
    std::int64_t last_end_ns = kNoValue;
    std::int64_t last_rank = kNoValue;
    std::int64_t seems_last_rank = kNoValue;
    std::int64_t behind_ns = kNoValue;
  };

  // Returns the columns of the table.
  static const TableOf<Row>& table();

 private:
  // Returns the row of the operation, creating it if necessary.
  Row& rowOf(const ExportedOperation& operation);
  // Updates the first and last issue time.
  static void addIssue(Row& row, const ExportedOperation& operation);
  // Updates the first and last end time. Ignores unknown ends.
  static void addEnd(Row& row, const ExportedOperation& operation);
  // Updates which rank was the last to be ready.
  static void addReady(Row& row, const ExportedOperation& operation);

  OperationIndex index_;
  std::vector<Row> rows_;
};

}  // namespace traced
