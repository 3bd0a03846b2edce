// OperationFiles are the files of a table whose rows are operations of ranks:
// "operations" in Parquet, and "waits".

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

// A column without a function has the value of the operation column of its
// name.
using OperationTable = TableOf<ExportedOperation>;

const OperationTable& operationTable();
// Of the time of each operation what was waiting for other ranks and what was
// transfer, and for how long the program was held up by it.
const OperationTable& waitTable();
// Whether any of that is known.
bool isInWaitTable(const ExportedOperation& operation);

// One file, sorted by group, number and rank.
class OperationPart {
 public:
  OperationPart(const TableFolder& folder, const OperationTable& table,
                std::size_t number);

  // Ids of what is said next are those of another stream.
  void beginStream();
  // Ranks come in their order.
  void add(const ExportedOperation& operation);
  std::size_t rows() const { return places_.size(); }
  // Sorts the rows and has them written.
  void finish();

 private:
  // Columns that are told by the same: their values are found once for all
  // operations of a stream that share it.
  struct Shared {
    ToldBy told_by;
    std::vector<const ExportColumn*> from;
    std::vector<std::size_t> to;
    // A value for each column, of one after the other that tells.
    std::vector<std::int64_t> values;
    // Where those of an id begin, of this stream.
    absl::flat_hash_map<std::uint32_t, std::uint32_t> place_of;
    std::vector<std::uint32_t> place_of_row;
  };
  struct Own {
    // One of them.
    const ExportColumn* from;
    CellValue (*value)(const ExportedOperation&);
    std::size_t to;
    std::vector<std::int64_t> values;
  };
  // Where a row stands.
  struct Place {
    std::uint32_t group;
    std::uint64_t seq;

    auto operator<=>(const Place&) const = default;
  };

  Shared& sharedOf(ToldBy told_by);
  std::uint32_t placeIn(Shared& shared, const ExportedCall& call);
  std::vector<std::uint32_t> sortedRows() const;
  void sendRows(const std::vector<std::uint32_t>& rows, std::size_t from,
                std::size_t to);

  TableFile file_;
  std::vector<Shared> shared_;
  std::vector<Own> own_;
  std::vector<Place> places_;
};

// So many ranks are in each file, unless they have very many operations.
class OperationFiles {
 public:
  static constexpr std::size_t kAnyRanks = ~std::size_t{0};

  OperationFiles(const TableFolder& folder, const OperationTable& table,
                 std::size_t most_ranks)
      : folder_(folder), table_(table), most_ranks_(most_ranks) {}

  bool wanted() const { return folder_.output.wants(table_.spec.name); }

  void beginStream();
  void add(const ExportedOperation& operation) { part_->add(operation); }
  void finish();

 private:
  static constexpr std::size_t kMostRows = std::size_t{1} << 20;

  void finishPart();

  const TableFolder& folder_;
  const OperationTable& table_;
  const std::size_t most_ranks_;
  std::optional<OperationPart> part_;
  std::size_t ranks_ = 0;
  std::size_t files_ = 0;
};

}  // namespace traced
