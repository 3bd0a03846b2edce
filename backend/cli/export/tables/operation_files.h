// OperationFiles writes a table whose rows are operations of ranks, as one or
// more files: "operations" in Parquet, and "waits".

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/export/tables/exported_stream.h"
#include "cli/export/tables/table_file.h"

namespace traced {

// A column without a function takes the value of the operation column with the
// same name.
using OperationTable = TableOf<ExportedOperation>;

// Returns the columns of "operations" in Parquet.
const OperationTable& operationTable();
// Returns "waits": how the time of each operation splits into waiting for other
// ranks and transfer, and how long it blocked the program.
const OperationTable& waitTable();
// Returns whether the operation has a row in "waits". Simulated operations and
// those without a known value have none.
bool isInWaitTable(const ExportedOperation& operation);

// Writes one file, sorted by group, number and rank.
class OperationPart {
 public:
  OperationPart(const TableFolder& folder, const OperationTable& table,
                std::size_t number);

  // Starts the next stream. Ids of definitions have other meanings from here
  // on.
  void beginStream();
  // Adds a row. Ranks must be added in their order.
  void add(const ExportedOperation& operation);
  std::size_t rows() const { return places_.size(); }
  // Sorts the rows and sends them to the output.
  void finish();

 private:
  // Columns that depend on the same definition. Their values are computed once
  // for all operations of a stream that share it.
  struct Shared {
    FieldSource source;
    std::vector<const ExportColumn*> from;
    std::vector<std::size_t> to;
    // A value per column for each distinct definition, in the order in which
    // definitions first occurred.
    std::vector<std::int64_t> values;
    // Maps an id of the current stream to the position of its values.
    absl::flat_hash_map<std::uint32_t, std::uint32_t> place_of;
    std::vector<std::uint32_t> place_of_row;
  };
  struct Own {
    // Exactly one is set.
    const ExportColumn* from;
    CellValue (*value)(const ExportedOperation&);
    std::size_t to;
    std::vector<std::int64_t> values;
  };
  // The sort key of a row.
  struct SortKey {
    std::uint32_t group;
    std::uint64_t seq;

    auto operator<=>(const SortKey&) const = default;
  };

  // Returns the columns that depend on `source`.
  Shared& sharedOf(FieldSource source);
  // Returns the position of the call's values, computing them if they are new.
  std::uint32_t placeIn(Shared& shared, const ExportedCall& call);
  // Returns the indices of the rows in sorted order.
  std::vector<std::uint32_t> sortedRows() const;
  // Sends the sorted rows from `from` to `to` as one row group.
  void sendRows(const std::vector<std::uint32_t>& rows, std::size_t from,
                std::size_t to);

  TableFile file_;
  std::vector<Shared> shared_;
  std::vector<Own> own_;
  std::vector<SortKey> places_;
};

// Splits a table into files of `most_ranks` ranks, or fewer once these have
// kMaxRows rows.
class OperationFiles {
 public:
  static constexpr std::size_t kAnyRanks = ~std::size_t{0};

  OperationFiles(const TableFolder& folder, const OperationTable& table,
                 std::size_t most_ranks)
      : folder_(folder), table_(table), most_ranks_(most_ranks) {}

  // Returns false if the output drops this table.
  bool wanted() const { return folder_.output.wants(table_.spec.name); }

  // Starts the next stream. Begins a new file if the current one is full.
  void beginStream();
  // Adds a row. Call beginStream() first.
  void add(const ExportedOperation& operation) { part_->add(operation); }
  // Writes the last file, even if it has no rows.
  void finish();

 private:
  static constexpr std::size_t kMaxRows = std::size_t{1} << 20;

  // Writes the current file and drops its rows from memory.
  void finishPart();

  const TableFolder& folder_;
  const OperationTable& table_;
  const std::size_t most_ranks_;
  std::optional<OperationPart> part_;
  std::size_t ranks_ = 0;
  std::size_t files_ = 0;
};

}  // namespace traced
