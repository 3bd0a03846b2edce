// PackedRows reads the rows of a serialized payload in place.
// Protobuf would first build an array per column, which costs more than
// processing the rows.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace_io/packed_column.h"
#include "trace_io/rows.h"

namespace traced {

// Not thread safe.
class PackedRows {
 public:
  // Finds the columns in a serialized Payload, which must outlive this object.
  // Writes everything else to `rest`: a Payload without rows and without its
  // header.
  // Returns false if `payload` differs from what a recorder writes. It may
  // still be a valid Payload, which only protobuf can decide.
  bool split(std::string_view payload, std::string& rest);

  // Returns what columnsAgree() and rowCount() return for a v1::Payload.
  bool columnsAgree() const { return agree_; }
  std::uint64_t rowCount() const { return count_; }
  // Calls visit(row) for each row. Requires columnsAgree().
  template <typename Visit>
  void forEachRow(std::int64_t anchor_ns, Visit&& visit) {
    const detail::RowReaders readers(columns_, anchor_ns);
    if (in_step_) {
      detail::visitInStep(readers, visit);
    } else if (ascending_) {
      detail::visitByOperation(readers, anchor_ns, visit);
    } else {
      latest_.restart(anchor_ns, columns_.of<IssueRow>().first().size());
      detail::visitByTable(readers, latest_, visit);
    }
    detail::visitOthers(columns_, anchor_ns, visit);
  }

 private:
  // Sets in_step_ and ascending_.
  void compareTables();

  PayloadColumns<PackedColumn> columns_;
  LatestInstants latest_;
  bool agree_ = true;
  // Whether the tables name the same operations in the same order, or are
  // empty.
  bool in_step_ = false;
  // Whether the operation ids of each table strictly increase.
  bool ascending_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace traced
