// OperationFiles are the files of the table "operations", each with the
// operations of some ranks, sorted.

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

class OperationPart {
 public:
  OperationPart(const TableFolder& folder, std::size_t number);

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
    const ExportColumn* from;
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
  explicit OperationFiles(const TableFolder& folder) : folder_(folder) {}

  void beginStream();
  void add(const ExportedOperation& operation) { part_->add(operation); }
  void finish();

 private:
  static constexpr std::size_t kMostRanks = 64;
  static constexpr std::size_t kMostRows = std::size_t{1} << 20;

  void finishPart();

  const TableFolder& folder_;
  std::optional<OperationPart> part_;
  std::size_t ranks_ = 0;
  std::size_t files_ = 0;
};

}  // namespace traced
